"""Pure decisions: the standard library and scipy only; no clock, environment, randomness, logging or I/O."""
