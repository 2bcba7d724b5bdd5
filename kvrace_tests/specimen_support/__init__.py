"""Small libraries on torch streams that the torch specimens test: code under test, not part of any test suite."""
