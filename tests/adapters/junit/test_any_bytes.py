"""Any bytes given as a report end in a reading or a refusal; whatever is certain stays certain."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests import report_shapes

QUICK = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],  # shrinking takes minutes; benchmarks/fuzz_reading.py does it
    suppress_health_check=[HealthCheck.too_slow],
)


@QUICK
@given(report_shapes.any_bytes())
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    report_shapes.read_any_bytes(content)


@QUICK
@given(report_shapes.elements())
def test_any_nesting_of_elements_is_read_whole(document: str) -> None:
    report_shapes.read_whole(document)


@QUICK
@given(report_shapes.elements(), st.floats(0, 1))
def test_a_cut_adds_no_test_that_passed(document: str, share: float) -> None:
    report_shapes.read_cut(document, share)
