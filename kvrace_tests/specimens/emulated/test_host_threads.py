"""A background thread reports each piece that it has copied; the test gives it a fixed time and looks.

The thread waits for the device as it must, and every byte is right. What is missing is a wait between two threads of
the host, so slow calls break it however little runs on the device at once: time-sensitive. The twin waits for the
report.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import Streams

TRUTH = {
    "test_pieces_are_reported_by_then": "time-sensitive",
    "test_pieces_are_reported": "healthy",
}

SIZE = 32
PIECES = 16
PATIENCE = 0.06


def _report_pieces(device: Streams, *, patient: bool) -> int:
    data, pinned = device.device_buffer(1, SIZE), device.host_buffer(1, SIZE)
    stream = device.new_stream("pieces")
    reporter = device.worker("reporter")
    reported: list[int] = []

    def piece(number: int) -> None:
        stream.fill(data, number)
        stream.copy(pinned, data, [(0, 0)])
        stream.synchronize()
        reported.append(pinned.peek(0)[0])

    for number in range(PIECES):
        reporter.submit(lambda number=number: piece(number))  # type: ignore[misc]  # the usual default-argument idiom
    if patient:
        device.wait_until(lambda: len(reported) == PIECES, timeout=30.0)
    else:
        device.host_sleep(PATIENCE)
    seen = len(reported)
    reporter.close()
    assert reported == list(range(PIECES)), "a piece was copied wrong"
    return seen


@pytest.mark.stream
def test_pieces_are_reported_by_then(device: Streams) -> None:
    seen = _report_pieces(device, patient=False)
    assert seen == PIECES, f"{PIECES - seen} pieces were not reported in time"


@pytest.mark.stream
def test_pieces_are_reported(device: Streams) -> None:
    seen = _report_pieces(device, patient=True)
    assert seen == PIECES, f"{PIECES - seen} pieces were not reported in time"
