"""CI flake triage for GPU code: from a red check to the cause, the proof and a tried fix.

Imports nothing, so that the pytest plugin stays cheap to load.
"""

__version__ = "0.1.0"
