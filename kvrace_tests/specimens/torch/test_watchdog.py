"""A watchdog thread cancels a batch of thirty awaited steps that is not done after 0.1 s; it takes a millisecond.

A host that is slow to wake after each wait loses against the watchdog, whatever the device does meanwhile: two host
threads race, and nothing on the device: time-sensitive. The twin's watchdog is patient.
"""

from __future__ import annotations

import threading

import torch

TRUTH = {
    "test_impatient_watchdog": "time-sensitive",
    "test_patient_watchdog": "healthy",
}

STEPS = 30


def _batch(patience: float) -> tuple[bool, float]:
    counter = torch.zeros(1, device="cuda")
    stream = torch.cuda.Stream()
    counter.add_(1)  # loads the kernel
    torch.cuda.synchronize()
    cancelled = threading.Event()
    watchdog = threading.Timer(patience, cancelled.set)
    watchdog.start()
    try:
        for _ in range(STEPS):
            with torch.cuda.stream(stream):
                counter.add_(1)
            stream.synchronize()
        return cancelled.is_set(), counter.item()
    finally:
        watchdog.cancel()
        watchdog.join()


def test_impatient_watchdog() -> None:
    cancelled, _ = _batch(0.1)
    assert not cancelled, "the watchdog cancelled the batch"


def test_patient_watchdog() -> None:
    cancelled, count = _batch(20.0)
    assert not cancelled, "the watchdog cancelled the batch"
    assert count == STEPS + 1
