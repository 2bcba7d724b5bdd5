"""Tests with a known defect and its true verdict; collected only when an argument points here."""
