"""Specimens on the emulated device."""
