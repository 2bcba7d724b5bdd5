from __future__ import annotations

from dataclasses import replace

import pytest

from triage_bot.core.alike import alike, masked, signature
from triage_bot.core.results import Failure

CORRUPT = Failure("AssertionError", "store raced compute even with the barrier: 1 corrupt", "tests/test_store.py", 57)


@pytest.mark.parametrize(
    ("line", "mask"),
    [
        ("1 corrupt of 64", "<n> corrupt of <n>"),
        ("took 0.734 s, limit 3e-2", "took <n> s, limit <n>"),
        ("blocks [3, 5, 9] differ", "blocks <numbers> differ"),
        ("blocks [3] differ", "blocks <numbers> differ"),
        ("tensor([1., 2.5, -3.])", "tensor<numbers>"),
        ("rows [[1, 2], [3, 4]]", "rows <numbers>"),
        ("<Stream at 0x7f3a90>", "<Stream at <address>>"),
        ("cannot read /tmp/pytest-of-me/pytest-12/a.bin", "cannot read <path>"),
        ("expected int8 on cuda:1, not test_2", "expected int8 on cuda:<n>, not test_2"),
        ("loss is nan, limit inf", "loss is <n>, limit <n>"),
        ("[rank0]: [Rank 3] stopped", "[rank<n>]: [Rank <n>] stopped"),
        ("17.9 GiB is free, 20 MiB asked, 4096 bytes left", "<size> is free, <size> asked, <size> left"),
        ("assert [0, 1, 2, 3, 4, 5, ...] == []", "assert <numbers> == []"),
        ("assert [1000000000, ...00000005, ...] == []", "assert <numbers> == []"),
        ("assert [(0, 1), (1, ..., (5, 6), ...] == []", "assert <numbers> == []"),
        ("assert {0: 1, 1: 2} == {}", "assert <numbers> == {}"),
        ("array([[0 0 ... 1]])", "array<numbers>"),
        ("assert not ['row 1', 'row 22', 'row 3', ...]", "assert not ['row <n>']"),
        ("torn: [(1, 'x'), (2, 'x')]", "torn: [(<n>, 'x')]"),
        ("phases ['control', 'fixed'] of 2", "phases ['control', 'fixed'] of <n>"),
        ("infinite nanny", "infinite nanny"),
        ("a  b\tc", "a b c"),
    ],
)
def test_what_varies_from_run_to_run_is_masked(line: str, mask: str) -> None:
    assert masked(line) == mask


def test_another_count_is_the_same_failure() -> None:
    assert alike(CORRUPT, replace(CORRUPT, message=CORRUPT.message.replace("1 corrupt", "14 corrupt")))


@pytest.mark.parametrize(
    "other",
    [
        replace(CORRUPT, type="ValueError"),
        replace(CORRUPT, line=56),
        replace(CORRUPT, file="tests/test_load.py"),
        replace(CORRUPT, message="vacuous control: the control phase never raced"),
    ],
)
def test_another_type_place_or_message_is_another_failure(other: Failure) -> None:
    assert not alike(CORRUPT, other)


@pytest.mark.parametrize(
    ("message", "same"),
    [
        ("assert ['row 7: torn'] == []", True),
        ("assert ['row 3: torn', 'row 4: torn'] == []", True),
        ("assert ['row 12: to...ow 9: torn', ...] == []", True),
        ("assert ['row 7: late'] == []", False),
        ("assert [] == ['row 0: torn']", False),
    ],
)
def test_values_that_pytest_cut_are_compared_up_to_the_cut(message: str, same: bool) -> None:
    cut = replace(CORRUPT, message="assert ['row 0: torn...5: torn', ...] == []")
    assert alike(cut, replace(CORRUPT, message=message)) is same
    assert alike(replace(CORRUPT, message=message), cut) is same


def test_only_the_first_line_of_a_message_counts() -> None:
    assert alike(CORRUPT, replace(CORRUPT, message=f"{CORRUPT.message}\nassert 1 == 0\n  +  where 1 = run()"))


@pytest.mark.parametrize(
    "reported",
    [
        Failure("", f"AssertionError: {CORRUPT.message}"),
        Failure("AssertionError", f"AssertionError: {CORRUPT.message}", "test_store.py", 57),
        Failure("builtins.AssertionError", CORRUPT.message, "/checkout/tests/test_store.py", 0),
        Failure("", CORRUPT.message),
    ],
)
def test_a_report_that_knows_less_or_writes_it_otherwise_tells_of_the_same_failure(reported: Failure) -> None:
    assert alike(reported, CORRUPT)
    assert alike(CORRUPT, reported)


def test_words_before_a_colon_are_part_of_the_message() -> None:
    assert not alike(replace(CORRUPT, message="Store: corrupt"), replace(CORRUPT, message="Load: corrupt"))


def test_the_signature_says_what_makes_another_failure_alike() -> None:
    assert signature(CORRUPT) == (
        "AssertionError at tests/test_store.py:57: store raced compute even with the barrier: <n> corrupt"
    )


WORKER_DIED = Failure("Crash", "worker 'gw1' crashed while running 't.py::test_x'")


@pytest.mark.parametrize(
    ("reported", "shown"),
    [
        (WORKER_DIED, Failure("Crash", "the process ended by signal SIGSEGV without a result")),
        (WORKER_DIED, Failure("Crash", "the process ended by exit code 7 without a result")),
        (
            Failure("Crash", "running the test CRASHED with signal 11 (SIGSEGV)", "/ci/t.py", 3),
            Failure("Crash", "the process ended by signal SIGSEGV without a result"),
        ),
        (
            Failure("Failed", "Timeout (>2.0s) from pytest-timeout.", "t.py", 3),
            Failure("Timeout", "no result after 120 s: the trial was ended with its whole process group"),
        ),
    ],
)
def test_a_test_that_dies_or_hangs_again_does_so_alike_whoever_tells_it(reported: Failure, shown: Failure) -> None:
    assert alike(reported, shown)


@pytest.mark.parametrize(
    "other",
    [
        Failure("", "assert 0"),
        Failure("Timeout", "no result after 120 s"),
        Failure("AssertionError", "worker 'gw1' crashed while running 't.py::test_x'"),
    ],
)
def test_a_death_is_alike_to_nothing_but_a_death(other: Failure) -> None:
    assert not alike(WORKER_DIED, other)


def test_deaths_by_two_signals_are_two_failures() -> None:
    assert not alike(Failure("Crash", "ended by signal SIGSEGV"), Failure("Crash", "ended by signal SIGABRT"))


def test_an_exception_that_is_called_timeout_keeps_its_words() -> None:
    lock, queue = (Failure("filelock.Timeout", f"waited for the {name}", "t.py", 3) for name in ("lock", "queue"))
    assert alike(lock, lock)
    assert not alike(lock, queue)
