"""The table of contents: each ordering edge and the case that shows what dropping it does."""

from __future__ import annotations

from kvrace_tests.offload.ordering import Edge

CASES: dict[Edge, str] = {
    Edge.STORE_AFTER_COMPUTE_WRITE: "test_store",
    Edge.COMPUTE_READ_AFTER_LOAD: "test_load_read",
    Edge.LOAD_AFTER_COMPUTE_READ: "test_load",
    Edge.REUSE_AFTER_STORE_READ: "test_store_reuse",
    Edge.STAGING_AFTER_COPY_READ: "test_staging",
    Edge.FREE_AFTER_SIDE_READ: "test_lifetime",
    Edge.HANDOVER_OWN_EVENT: "test_handover",
    Edge.HOST_READ_AFTER_STORE: "test_host_read",
    Edge.REPLAY_AFTER_SIDE_WRITE: "test_graph",
    Edge.REASSIGN_AFTER_LOAD_WRITE: "test_reassign",
    Edge.SOURCE_IN_STREAM_ORDER: "test_unordered_source",
    Edge.REDUCE_AFTER_PRODUCE: "test_reduce",
    Edge.COUNT_AFTER_OTHER_BLOCKS: "test_intra_kernel",
}
"""Module of each case, beside this file."""


def listing() -> str:
    """The table as text, one edge a line."""
    width = max(len(edge.label) for edge in Edge)
    lines = [f"{'edge':{width}}  {'hazard':17}  {'case':21}  what it orders"]
    for edge, module in CASES.items():
        promise = edge.value
        lines.append(
            f"{edge.label:{width}}  {promise.hazard.value:17}  {module:21}  {promise.first}, only then {promise.then}"
        )
    return "\n".join(lines)
