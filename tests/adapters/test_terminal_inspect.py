"""What ``inspect`` shows, pinned whole."""

from __future__ import annotations

from pathlib import Path

from triage_bot.adapters.junit.reading import read_reports
from triage_bot.adapters.terminal_inspect import render

REPORT = """<testsuites><testsuite name="pytest" tests="8">
<testcase classname="t.a" name="ok"/>
<testcase classname="t.a" name="bad"><failure message="ValueError: no&#10;more">t/a.py:7: ValueError</failure>
</testcase>
<testcase classname="t.a" name="again"/><testcase classname="t.a" name="again"/>
<testcase classname="t.a" name="fault"><error message="CUDA error: an illegal memory access was encountered"/>
</testcase>
<testcase classname="t.a" name="after"><failure message="std::bad_alloc"/></testcase>
<testcase time="0.0"/>
<testcase classname="t.a" name="gone"><skipped/></testcase>
</testsuite></testsuites>"""

SHOWN = """r.xml: 7 tests: 2 failed, 1 errored, 1 flaky, 1 passed, 1 skipped, 1 never finished
  likely one event: 1 failure after t.a::fault
  failed:
    t.a::bad  t/a.py:7: ValueError: no more
    t.a::fault  CUDA error: an illegal memory access was encountered  [sticky-cuda]
    t.a::after  std::bad_alloc  [out-of-memory]
  retried, passed in the end:
    t.a::again  failed 1 of 2: retried; the report does not say why
  never finished, and the report does not name them: 1 test
  odd: retries-left-empty: suite pytest: 1 attempt retried, and no reason left
  odd: header-mismatch: suite pytest: its header counts 8 tests, it holds 7 (pytest counts each subtest there)
  odd: unfinished: 1 test started and never finished"""


def shown(folder: Path, document: str) -> str:
    file = folder / "r.xml"
    file.write_text(document)
    return render(read_reports([str(file)])).replace(f"{folder}/", "")


def test_failures_retries_oddities_and_what_never_ran_are_all_there(tmp_path: Path) -> None:
    assert shown(tmp_path, REPORT) == SHOWN


def test_a_green_run_still_shows_what_was_retried(tmp_path: Path) -> None:
    document = "<testsuite><testcase name='a'><flakyFailure message='once'/></testcase></testsuite>"
    assert shown(tmp_path, document) == (
        "r.xml: 1 test: 1 flaky\n  retried, passed in the end:\n    a  failed 1 of 2: once"
    )


def test_what_passed_first_is_not_said_to_have_passed_in_the_end(tmp_path: Path) -> None:
    document = "<testsuite><testcase name='a'/><testcase name='a'><failure message='m'/></testcase></testsuite>"
    assert shown(tmp_path, document) == "r.xml: 1 test: 1 flaky\n  passed, and failed:\n    a  failed 1 of 2: m"


def test_names_and_messages_cannot_move_the_cursor_nor_open_a_line(tmp_path: Path) -> None:
    case = "<testcase name='a&#10;  odd: x&#x9b;2J&#x202e;'><failure message='m'/></testcase>"
    lines = shown(tmp_path, f"<testsuite>{case}</testsuite>").splitlines()
    assert lines[2] == "    a   odd: x 2J  m"


def test_memory_that_ran_out_is_told_with_its_holder(tmp_path: Path) -> None:
    message = "CUDA out of memory. GPU 0 has a total capacity of 8.00 GiB. this process has 7.00 GiB memory in use."
    document = f"<testsuite><testcase name='a'><failure message='{message}'/></testcase></testsuite>"
    assert "[out-of-memory, ours]" in shown(tmp_path, document)


def test_a_report_that_was_not_read_is_never_shown_as_zero_failures(tmp_path: Path) -> None:
    told = render(read_reports([str(tmp_path / "gone.xml")]))
    assert "not read" in told
    assert "runner-crashed" in told


def test_a_failure_without_words_is_shown_with_the_last_line_that_was_printed(tmp_path: Path) -> None:
    case = "<testcase name='a'><failure message=''/><system-out>start\nran out of blocks\n\n</system-out></testcase>"
    assert "a  ran out of blocks" in shown(tmp_path, f"<testsuite>{case}</testsuite>")


def test_a_failed_teardown_is_no_further_attempt(tmp_path: Path) -> None:
    teardown = """<testcase name="a"><error message='failed on teardown with "E: boom"'/></testcase>"""
    document = f"<testsuite><testcase name='a'><failure message='own'/></testcase>{teardown}</testsuite>"
    assert "    a  own\n" in shown(tmp_path, document) + "\n"


def test_most_of_a_run_that_fails_at_once_is_told_as_one_event(tmp_path: Path) -> None:
    cases = "".join(f"<testcase name='{at}'><failure message='m'/></testcase>" for at in range(9))
    told = shown(tmp_path, f"<testsuite>{cases}<testcase name='ok'/></testsuite>")
    assert "  likely one event: 9 of the 10 tests that ran failed at once" in told


def test_of_many_failures_those_that_say_the_same_share_a_line(tmp_path: Path) -> None:
    said = ["illegal address 0x{at:x}" if at % 3 else "out of {at} blocks" for at in range(300)]
    cases = "".join(
        f"<testcase name='t{at}'><failure message='{text.format(at=at)}'>t.py:{at}: E</failure></testcase>"
        for at, text in enumerate(said)
    )
    assert shown(tmp_path, f"<testsuite>{cases}</testsuite>").splitlines()[1:] == [
        "  likely one event: 300 tests failed at once, more than 50",
        "  failed, the first of those that say the same:",
        "    t0  t.py:0: E: out of 0 blocks",
        "        and 99 tests more",
        "    t1  t.py:1: E: illegal address 0x1",
        "        and 199 tests more",
    ]


def test_a_retry_that_left_only_a_type_is_told_by_it(tmp_path: Path) -> None:
    case = "<testcase name='a'><flakyError type='KeyError'/></testcase>"
    assert "failed 1 of 2: KeyError" in shown(tmp_path, f"<testsuite>{case}</testsuite>")


def test_a_retry_that_the_machine_caused_is_marked(tmp_path: Path) -> None:
    case = "<testcase name='a'><flakyFailure message='No space left on device'/></testcase>"
    assert "failed 1 of 2: No space left on device  [infrastructure]" in shown(
        tmp_path, f"<testsuite>{case}</testsuite>"
    )


def test_a_long_name_does_not_hide_what_failed(tmp_path: Path) -> None:
    name = f"test_x[{'-'.join(['bfloat16'] * 17)}]"
    told = shown(
        tmp_path, f"<testsuite><testcase name='{name}'><failure message='torn&#10;  block 3'/></testcase></testsuite>"
    )
    assert told.splitlines()[2:] == [f"    {name}", "        torn block 3"]


def test_colours_of_a_message_are_left_out(tmp_path: Path) -> None:
    case = "<testcase name='a'><failure message='#x1B[31mred#x1B[0m alert'/></testcase>"
    assert "    a  red alert" in shown(tmp_path, f"<testsuite>{case}</testsuite>")
