"""The devices that the suite runs on, and the witnesses that judge what ran there."""
