"""A library copies a tensor aside on a stream of its own, and the caller goes on to change the tensor in place.

Nothing makes the next update wait for the copy of the last state. ``append`` only launches, so no phase ends there:
an ordering bug. The twin sets the library's fence before each update.
"""

from __future__ import annotations

import torch

from kvrace_tests.specimen_support.history import History

TRUTH = {
    "test_history_of_updates_in_place": "ordering-bug",
    "test_history_of_fenced_updates_in_place": "healthy",
}

SIZE = 4096
UPDATES = 8


def test_history_of_updates_in_place() -> None:
    state = torch.zeros(SIZE, dtype=torch.int32, device="cuda")
    history = History(state, UPDATES)
    for step in range(UPDATES):
        state.fill_(step)
        history.append(state)
    wrong = [i for i, row in enumerate(history.states()) if not bool(row.eq(i).all())]
    assert not wrong, f"{len(wrong)} states are not what they were"


def test_history_of_fenced_updates_in_place() -> None:
    state = torch.zeros(SIZE, dtype=torch.int32, device="cuda")
    history = History(state, UPDATES)
    for step in range(UPDATES):
        history.fence()
        state.fill_(step)
        history.append(state)
    wrong = [i for i, row in enumerate(history.states()) if not bool(row.eq(i).all())]
    assert not wrong, f"{len(wrong)} states are not what they were"
