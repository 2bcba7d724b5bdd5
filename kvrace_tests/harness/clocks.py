"""Vector clocks: who knows what of whom. Whole numbers only, so every answer is exact."""

from __future__ import annotations

from typing import NewType

Agent = NewType("Agent", int)
"""Something whose own steps are in order: a thread, a lane, or one unordered read."""


class Clock:
    """How far each agent had come when something happened; agents that are not named had not begun."""

    __slots__ = ("_steps",)

    def __init__(self, steps: dict[Agent, int] | None = None) -> None:
        self._steps = steps if steps is not None else {}

    def copy(self) -> Clock:
        """The same knowledge, free to grow apart."""
        return Clock(dict(self._steps))

    def join(self, other: Clock) -> None:
        """Learn everything that ``other`` knows."""
        mine = self._steps
        for agent, step in other._steps.items():
            if step > mine.get(agent, 0):
                mine[agent] = step

    def tick(self, agent: Agent) -> int:
        """Take the agent's next step; its number, from 1."""
        step = self._steps.get(agent, 0) + 1
        self._steps[agent] = step
        return step

    def knows(self, agent: Agent, step: int) -> bool:
        """Whether that step of that agent happened before."""
        return self._steps.get(agent, 0) >= step
