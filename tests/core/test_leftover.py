from __future__ import annotations

import pytest

from triage_bot.core.leftover import Leftover, left_behind
from triage_bot.core.results import Failure

FULL = "CUDA out of memory. GPU 0 has a total capacity of 79.10 GiB of which 9.00 GiB is free. "


@pytest.mark.parametrize(
    ("kind", "message", "left"),
    [
        ("AssertionError", "the default scale is not 1", None),
        ("RuntimeError", "CUDA error: invalid argument", None),
        ("MemoryError", "", None),
        (
            "OutOfMemoryError",
            FULL + "Including non-PyTorch memory, this process has 70.00 GiB memory in use.",
            "memory",
        ),
        ("OutOfMemoryError", FULL + "Process 71 has 70.00 GiB memory in use.", "memory"),
        ("OutOfMemoryError", "out of memory: 9 of 99 bytes are free on the emulated device", "memory"),
        ("CudaError", "part or all of the requested memory range is already mapped (712)", "registration"),
        ("AcceleratorError", "CUDA error: pointer does not correspond to a registered memory region", "registration"),
        ("RuntimeError", "CUDA driver error: CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "registration"),
        ("RuntimeError", "CUDA error: device-side assert triggered", "error"),
    ],
)
def test_the_words_of_a_failure_name_what_was_left_or_nothing(kind: str, message: str, left: str | None) -> None:
    words = {
        "memory": Leftover.DEVICE_MEMORY,
        "registration": Leftover.HOST_REGISTRATION,
        "error": Leftover.CUDA_ERROR,
        None: None,
    }
    assert left_behind(Failure(kind, message)) is words[left]


def test_without_a_failure_nothing_is_named() -> None:
    assert left_behind(None) is None
