"""Specimens on the emulated device: tests with a known defect and its true verdict, and healthy ones that look bad.

A module's ``TRUTH`` gives the verdict of each of its tests (``healthy`` where there must be none), ``LEAKER`` and
``LEAKING_STREAM`` what the witness of its cross-phase contamination must say, ``POLLUTER`` the test that a later one
suffers from; a polluter that is not in ``TRUTH`` has no verdict of its own. pytest collects all this only when it is
pointed here.
"""
