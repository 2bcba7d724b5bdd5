"""The parts of the race suite's CUDA device that need no device."""

from __future__ import annotations

import threading
from importlib.util import find_spec

import pytest

from kvrace_tests.harness.cuda.batch import batch_copy
from kvrace_tests.harness.cuda.streams import runs, stretches
from kvrace_tests.harness.cuda.worker import ThreadWorker

pytestmark = pytest.mark.torch


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        (range(4), [(0, 3)]),
        ([0, 1, 5], [(0, 1), (5, 5)]),
        ([3, 2], [(3, 3), (2, 2)]),
        ([], []),
    ],
)
def test_neighbouring_blocks_are_filled_by_one_operation(blocks: list[int], expected: list[tuple[int, int]]) -> None:
    assert list(stretches(blocks)) == expected


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([(0, 4), (1, 5), (2, 6)], [((0, 4), 3)]),
        ([(0, 0), (2, 1), (3, 2)], [((0, 0), 1), ((2, 1), 2)]),
        ([(1, 1), (0, 0)], [((1, 1), 1), ((0, 0), 1)]),
        ([], []),
    ],
)
def test_blocks_that_are_neighbours_on_both_sides_are_copied_by_one_operation(
    pairs: list[tuple[int, int]], expected: list[tuple[tuple[int, int], int]]
) -> None:
    assert list(runs(pairs)) == expected


def test_a_worker_does_its_jobs_in_order_and_ends() -> None:
    done: list[int] = []
    worker = ThreadWorker("copier")
    for i in range(3):
        worker.submit(lambda i=i: done.append(i))
    worker.close()
    assert done == [0, 1, 2]
    assert worker.error is None


def test_a_dead_worker_raises_what_it_died_of() -> None:
    dead = threading.Event()

    def fail() -> None:
        dead.set()
        raise ValueError("no such block")

    worker = ThreadWorker("copier")
    worker.submit(fail)
    dead.wait()
    worker.close()
    with pytest.raises(ValueError, match="no such block"):
        worker.submit(fail)


@pytest.mark.skipif(find_spec("cuda") is not None, reason="cuda-bindings are installed")
def test_without_cuda_bindings_there_is_no_batched_copy() -> None:
    assert batch_copy() is None
