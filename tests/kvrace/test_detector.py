from __future__ import annotations

from kvrace_tests.harness.detector import Race, races
from kvrace_tests.harness.trace import (
    Access,
    Acquired,
    Entry,
    LaneId,
    Launched,
    Marked,
    MemoryId,
    Opened,
    OperationId,
    PointId,
    Reached,
    Recorded,
    Released,
    ThreadId,
    Touched,
    Waited,
)
from kvrace_tests.offload.ordering import Hazard

MAIN, WORKER = ThreadId(0), ThreadId(1)
A, B = LaneId(1), LaneId(2)
POINT = PointId(1)
BLOCK = Access(MemoryId(1), (0,))


def _write(lane: LaneId, access: Access = BLOCK, thread: ThreadId = MAIN) -> Launched:
    return Launched(OperationId(lane), thread, lane, f"write on {lane}", (), (access,), early=False)


def _read(lane: LaneId, thread: ThreadId = MAIN, *, early: bool = False) -> Launched:
    return Launched(OperationId(lane + 10), thread, lane, f"read on {lane}", (BLOCK,), (), early)


def _hazards(*entries: Entry) -> list[Hazard]:
    return [race.hazard for race in races(entries)]


ORDER = (Recorded(MAIN, A, POINT), Waited(MAIN, B, POINT))


def test_a_read_that_nothing_orders_after_a_write_races() -> None:
    assert _hazards(_write(A), _read(B)) == [Hazard.RAW]


def test_a_wait_orders_it() -> None:
    assert _hazards(_write(A), *ORDER, _read(B)) == []


def test_a_write_after_an_unordered_read_races_and_after_an_ordered_one_does_not() -> None:
    assert _hazards(_read(A), _write(B)) == [Hazard.WAR]
    assert _hazards(_read(A), *ORDER, _write(B)) == []


def test_two_unordered_writes_race() -> None:
    assert _hazards(_write(A), _write(B)) == [Hazard.WAW]


def test_two_reads_never_race() -> None:
    assert _hazards(_read(A), _read(B)) == []


def test_one_lane_is_in_order() -> None:
    assert _hazards(_write(A), _read(A), _write(A)) == []


def test_other_blocks_do_not_matter() -> None:
    assert _hazards(_write(A), _write(B, Access(MemoryId(1), (1,)))) == []


def test_a_wait_for_an_earlier_record_does_not_cover_later_work() -> None:
    assert _hazards(Recorded(MAIN, A, POINT), _write(A), Waited(MAIN, B, POINT), _read(B)) == [Hazard.RAW]


def test_what_the_host_waited_for_is_ordered_before_what_it_launches_next() -> None:
    assert _hazards(_write(A), Recorded(MAIN, A, POINT), Reached(MAIN, POINT), _read(B)) == []


def test_another_thread_does_not_know_what_this_one_waited_for() -> None:
    entries = (_write(A), Recorded(MAIN, A, POINT), Reached(MAIN, POINT), _read(B, WORKER))
    assert _hazards(*entries) == [Hazard.RAW]


def test_a_job_that_is_handed_over_carries_what_its_giver_knows() -> None:
    entries = (_write(A), Recorded(MAIN, A, POINT), Reached(MAIN, POINT), Released(MAIN, 1), Acquired(WORKER, 1))
    assert _hazards(*entries, _read(B, WORKER)) == []


def test_order_is_transitive_over_lanes() -> None:
    second = PointId(2)
    entries = (_write(A), *ORDER, Recorded(MAIN, B, second), Waited(MAIN, LaneId(3), second), _read(LaneId(3)))
    assert _hazards(*entries) == []


def test_a_host_read_needs_a_host_wait_and_not_a_wait_of_a_lane() -> None:
    touched = Touched(OperationId(99), MAIN, BLOCK, write=False)
    assert _hazards(_write(A), *ORDER, touched) == [Hazard.RAW]
    assert _hazards(_write(A), Recorded(MAIN, A, POINT), Reached(MAIN, POINT), touched) == []


def test_an_early_read_is_not_ordered_by_the_waits_of_its_lane() -> None:
    assert _hazards(_write(A), *ORDER, _read(B, early=True)) == [Hazard.RAW]


def test_an_early_read_is_over_when_its_lane_goes_on() -> None:
    assert _hazards(_read(B, early=True), _write(B)) == []


def test_an_early_race_is_found_although_a_later_access_is_ordered() -> None:
    entries = (_read(B), _write(A), *ORDER, _read(B))
    assert _hazards(*entries) == [Hazard.WAR]


def test_a_race_names_both_accesses_their_places_and_phases() -> None:
    (race,) = races([Opened(A, "compute"), Marked("control"), _write(A), Marked("fixed"), _read(B)])
    assert isinstance(race, Race)
    assert str(race) == (
        "read after write: nothing orders 'write on 1' on compute (control) "
        "before 'read on 2' on lane 2 (fixed), block 0"
    )
