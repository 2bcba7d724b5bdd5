"""Whose memory ran out, from the numbers in the text."""

from __future__ import annotations

import pytest

from triage_bot.core.memory import Holder, holder


@pytest.mark.parametrize(
    ("text", "whose"),
    [
        ("GPU 0 has a total capacity of 24.00 GiB. this process has 23.10 GiB memory in use.", Holder.OURS),
        (
            "GPU 0 has a total capacity of 80.00 GiB of which 1 GiB is free. Process 77 has 70.00 GiB memory in use. "
            "Including non-PyTorch memory, this process has 900.00 MiB memory in use.",
            Holder.ANOTHERS,
        ),
        ("ValueError: Free memory on device cuda:0 (10.00/80.00 GiB) on startup is less than desired", Holder.BEFORE),
        ("ValueError: Memory of devices devices=[0] not free after dur_s=60", Holder.BEFORE),
        ("ValueError: Free memory on device (7.50/8.00 GiB) on startup is less than desired", None),
        ("CUDA error: out of memory", None),
        ("GPU 0 has a total capacity of 80.00 GiB. this process has 1.00 GiB memory in use.", None),
        ("a total capacity of 1.2.3 GiB, this process has ... GiB memory in use", None),
    ],
)
def test_the_holder_of_most_of_the_memory_is_named_or_nobody_is(text: str, whose: Holder | None) -> None:
    assert holder(text) is whose
