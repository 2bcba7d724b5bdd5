"""Plain torch tests with a known defect and its true verdict, and a healthy twin for each; each needs a CUDA device.

They look as a user's tests do and know nothing of this project. A module's ``TRUTH`` gives the verdict of each of its
tests (``healthy`` where there must be none), its ``LEAKER`` and ``LEAKING_STREAM`` what the witness must say. pytest
collects them only when it is pointed at them.
"""
