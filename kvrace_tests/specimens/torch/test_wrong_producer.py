"""A reader needs the work of two streams and waits for one of them.

In the first test it waits for the same stream twice; in the second both producers record one event, so that what the
reader waits for is the later record, and the tuner's is lost. Either way nothing orders the reader behind the tuner:
ordering bugs, hidden because the tuner is quick. The twin waits for both.
"""

from __future__ import annotations

import torch

TRUTH = {
    "test_reader_waits_for_one_producer_twice": "ordering-bug",
    "test_reader_waits_for_an_event_of_two_producers": "ordering-bug",
    "test_reader_waits_for_both_producers": "healthy",
}

SIZE = 4096


class Model:
    """Weights and a bias, written by two streams, and their sum, made by a third."""

    def __init__(self) -> None:
        self.weights, self.bias, self.total = (torch.zeros(SIZE, device="cuda") for _ in range(3))
        self.loader = torch.cuda.Stream()
        self.tuner = torch.cuda.Stream()
        self.reader = torch.cuda.Stream()
        torch.add(self.weights, self.bias, out=self.total)  # loads the kernel
        torch.cuda.synchronize()

    def tune(self) -> None:
        with torch.cuda.stream(self.tuner):
            self.bias.fill_(4)

    def load(self) -> None:
        with torch.cuda.stream(self.loader):
            self.weights.fill_(3)

    def summed(self) -> torch.Tensor:
        with torch.cuda.stream(self.reader):
            torch.add(self.weights, self.bias, out=self.total)
        self.reader.synchronize()
        return self.total.cpu()


def test_reader_waits_for_one_producer_twice() -> None:
    model = Model()
    model.load()
    model.tune()
    for _ in range(2):
        model.reader.wait_stream(model.loader)
    assert model.summed().eq(7).all(), "the sum misses a part"


def test_reader_waits_for_an_event_of_two_producers() -> None:
    model = Model()
    produced = torch.cuda.Event()
    model.tune()
    produced.record(model.tuner)
    model.load()
    produced.record(model.loader)
    model.reader.wait_event(produced)
    assert model.summed().eq(7).all(), "the sum misses a part"


def test_reader_waits_for_both_producers() -> None:
    model = Model()
    model.load()
    model.tune()
    for producer in (model.loader, model.tuner):
        model.reader.wait_stream(producer)
    assert model.summed().eq(7).all(), "the sum misses a part"
