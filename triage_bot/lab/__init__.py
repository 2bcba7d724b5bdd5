"""Runs trials: processes, probes and devices."""
