"""What an arm does inside a trial: stall, skew, serialize, drain at phase boundaries, and witness what was left over.

Things that don't work, and so are not done here: draining between any two lines (cures real bugs and blames the test),
draining streams on which earlier statements, or the same one after its last wait, left work by design, and touching the
device while a graph is captured (the stall would be replayed, a synchronization or query breaks the capture).
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from types import FrameType

from triage_bot.core.arms import Arm, Isolation
from triage_bot.core.trials import Boundary, Residue, Site, StreamUse
from triage_bot.lab.launchers import Launcher, Launchers
from triage_bot.lab.names import StreamNames
from triage_bot.lab.places import Places
from triage_bot.lab.runtime import StreamRuntime

STALL_SECONDS = 0.005
"""Long against a launch (some 20 us), short against a test: at 5 ms a 3 % flake of an H200 failed 10 times of 10."""


@dataclass
class _Open:
    """A statement or phase that has begun and not ended."""

    statement: str
    site: Site
    frame: FrameType | None
    busy_before: frozenset[int] | None
    """None on a thread beside the test's own: that stands only for what it was seen to launch itself."""
    launched: set[int] = field(default_factory=set)
    unfinished: frozenset[int] = frozenset()
    """The streams that still had work of it when the host last waited: it acted as if that were complete.

    What it launches only after that is left in flight by design.
    """

    def own(self, busy: Collection[int]) -> frozenset[int]:
        """Those of the busy streams that it put work on, as far as can be told."""
        new = frozenset() if self.busy_before is None else frozenset(busy) - self.busy_before
        return new | self.launched.intersection(busy)


class Probes:
    """The observer of one trial. Told by the runtime what the test does, and by the lines where it is."""

    def __init__(
        self,
        arm: Arm,
        runtime: StreamRuntime,
        names: StreamNames,
        places: Places,
        stall: float = STALL_SECONDS,
    ) -> None:
        self._arm = arm
        self._runtime = runtime
        self._names = names
        self._places = places
        self._launchers = Launchers(runtime, names.suite)
        self._launched_by: dict[int, set[Launcher]] = {}
        self._stall = stall
        self._drains = arm.isolation in (Isolation.DRAINED, Isolation.DRAINED_DEEP)
        self._deep = arm.isolation is Isolation.DRAINED_DEEP
        self._serializes = arm.isolation is Isolation.SERIALIZED
        self._thread = threading.get_ident()
        self._unfinished: Counter[int] = Counter()
        self._stacks: dict[int, list[_Open]] = {self._thread: []}
        """By thread, what has begun and not ended, the innermost last."""
        self._left_on: dict[int, list[int]] = {}
        """By stream: the boundaries at which it had work left, as long as nothing was launched on it again."""
        self.boundaries: list[Boundary] = []
        self._marking = threading.Lock()

    @property
    def needs_launches(self) -> bool:
        """Whether this arm acts on, or reasons about, single operations."""
        return self._arm.skewed is not None or self._arm.isolation is not None

    @property
    def needs_lines(self) -> bool:
        """Whether this arm has boundaries inside functions."""
        return self._drains

    # What the runtime tells.

    def before_launch(self, stream: int) -> None:
        """Slow the skewed stream."""
        if not self._runtime.capturing() and self._is_skewed(stream):
            self._runtime.stall(stream, self._stall)

    def after_launch(self, stream: int) -> None:
        """Remember who launched; under ``serialized`` wait for it."""
        here, main = self._open, self._stacks[self._thread]
        for statement in here if here is main else here + main:
            statement.launched.add(stream)
        if self._drains:
            self._reuse(stream)
            launchers = self._launched_by.setdefault(stream, set())
            if Launcher.PRODUCT not in launchers:
                launchers.add(self._launchers.nearest())
        if self._serializes and not self._runtime.capturing():
            self._runtime.synchronize()

    def after_wait(self, stream: int) -> None:
        """Widen the window between being allowed to run and running."""
        if self._runtime.capturing():
            return
        if self._arm.stretched:
            self._runtime.stall(stream, self._stall)
        if self._serializes:
            self._runtime.synchronize()

    def after_host_sync(self) -> None:
        """The open statements acted as if their work were complete; let the host be late, too."""
        if self._open and not self._runtime.capturing():
            busy = self._runtime.busy()
            for statement in self._open:
                statement.unfinished = statement.own(busy)
        if self._arm.stretched and not self._arm.hasty and not self._runtime.capturing():
            self._runtime.stall_host(self._stall)

    def after_query(self, subject: int, done: bool) -> None:
        """Remember who was last heard to be unfinished, and how often in a row."""
        if threading.get_ident() == self._thread:
            self._unfinished[subject] = 0 if done else self._unfinished[subject] + 1

    @property
    def asked_in_vain(self) -> int:
        """How often in a row some stream or event was not done, up to when the test asked it last."""
        return max(self._unfinished.values(), default=0)

    def _is_skewed(self, stream: int) -> bool:
        return self._arm.skewed is not None and self._names.called(stream, self._arm.skewed)

    # What the lines tell.

    def line(self, frame: FrameType, line: int) -> None:
        """End the statement of ``frame`` that ``line`` does not belong to, and begin the one it does."""
        statement = self._places.at(frame.f_code, line)
        if statement is None:
            return
        self._close_above(frame)
        here = self._places.site(frame.f_code, statement.first)
        if self._open and self._open[-1].frame is frame:
            if self._open[-1].site == here:
                return
            self._close()
        elif self._deep and self._open and self._open[-1].frame is _caller(frame):
            # Two phases may be two calls in one statement: each call ends as a statement does, under its caller's name.
            self._begin(self._open[-1].statement, self._open[-1].site, frame)
        self._begin(statement.text, here, frame)

    def leave(self, frame: FrameType) -> None:
        """End the last statement of a function, and the call of it."""
        self._close_above(frame)
        while self._open and self._open[-1].frame is frame:
            self._close()

    def begin_phase(self, name: str, site: Site) -> None:
        """``setup`` or ``call`` begins."""
        if self._drains:
            self._begin(name, site, None)

    def end_phase(self, *, unconditionally: bool) -> None:
        """A phase of the test ends; ``unconditionally`` where nothing may pass on, as from one test to the next.

        From ``setup`` to ``call`` the rule of statements holds: a fixture that merely launches leaves work by design,
        and a test that forgets to wait for it must go on failing.
        """
        if not self._drains:
            return
        while self._open and self._open[-1].frame is not None:
            self._close()
        if self._open:
            self._close(unconditionally=unconditionally)

    @property
    def _open(self) -> list[_Open]:
        """What is open on this thread: a test may do its phases on threads that it starts."""
        return self._stacks.setdefault(threading.get_ident(), [])

    def _begin(self, statement: str, site: Site, frame: FrameType | None) -> None:
        busy: frozenset[int] | None = None
        if threading.get_ident() == self._thread:
            busy = frozenset() if self._runtime.capturing() else frozenset(self._runtime.busy())
        self._open.append(_Open(statement, site, frame, busy))

    def _close_above(self, frame: FrameType) -> None:
        """Frames that ended by an exception never said so: close what is not an ancestor of ``frame``."""
        alive: set[int] = set()
        ancestor: FrameType | None = frame
        while ancestor is not None:
            alive.add(id(ancestor))
            ancestor = ancestor.f_back
        while self._open and self._open[-1].frame is not None and id(self._open[-1].frame) not in alive:
            self._close()

    def _close(self, *, unconditionally: bool = False) -> None:
        ended = self._open.pop()
        if not (ended.unfinished or unconditionally) or self._runtime.capturing():
            return
        busy = self._runtime.busy()
        own = ended.own(busy) if unconditionally else ended.unfinished
        leftover = [handle for handle in busy if handle in own]
        if leftover:
            uses = {handle: self._use(handle) for handle in leftover}
            residues = tuple(Residue(uses[done.handle], done.seconds) for done in self._runtime.drain(leftover))
            with self._marking:
                for handle in leftover:
                    self._left_on.setdefault(handle, []).append(len(self.boundaries))
                self.boundaries.append(Boundary(ended.statement, ended.site, residues))

    def _reuse(self, handle: int) -> None:
        """Work was launched on a stream: mark what was left on it before."""
        use = self._use(handle) if handle in self._left_on else None
        if use is None or use.created is None:
            return
        with self._marking:
            for at in self._left_on.pop(handle, ()):
                boundary = self.boundaries[at]
                marked = (
                    replace(left, reused=left.reused or left.stream.name == use.name) for left in boundary.residues
                )
                self.boundaries[at] = replace(boundary, residues=tuple(marked))

    def _use(self, handle: int) -> StreamUse:
        """The stream; not the suite's when the code under test launched on it, whoever made it.

        One that nobody was seen to make, such as the default stream, is whose work it was.
        """
        use = self._names.of(handle)
        launchers = self._launched_by.get(handle, set())
        if use.created is None:
            return replace(use, in_suite=Launcher.SUITE in launchers and Launcher.PRODUCT not in launchers)
        return replace(use, in_suite=use.in_suite and Launcher.PRODUCT not in launchers)

    def uses(self) -> tuple[StreamUse, ...]:
        """The streams of this trial."""
        return self._names.uses()


def _caller(frame: FrameType) -> FrameType | None:
    """The frame whose statement calls ``frame``; comprehensions and lambdas are part of the statement they stand in."""
    caller = frame.f_back
    while caller is not None and caller.f_code.co_name.startswith("<"):
        caller = caller.f_back
    return caller
