"""Measurements; each prints its table and says whether it is as promised."""
