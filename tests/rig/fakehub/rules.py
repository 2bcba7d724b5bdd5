"""Rules that GitHub enforces and its description does not mention."""

from __future__ import annotations

import re
from typing import Any

from tests.rig.fakehub.exchange import Refused, invalid

BODY_LIMIT = 65_536


def body_fits(resource: str, body: str) -> None:
    if not body.strip():
        raise invalid(resource, "body", "body can't be blank", "missing_field")
    if len(body) > BODY_LIMIT:
        raise invalid(resource, "body", f"body is too long (maximum is {BODY_LIMIT} characters)")


def check_is_whole(fields: dict[str, Any], output: dict[str, Any]) -> None:
    if fields.get("status") == "completed" and not fields.get("conclusion"):
        raise invalid("CheckRun", "conclusion", "a completed check run needs a conclusion", "missing_field")
    if output and not (output.get("title") and output.get("summary")):
        raise invalid("CheckRun", "output", "output needs a title and a summary", "missing_field")
    for annotation in output.get("annotations", []):
        if annotation["end_line"] < annotation["start_line"] or annotation["start_line"] < 1:
            raise invalid("CheckRun", "annotations", "line numbers are out of order")


def label_is_new(name: str, color: str, description: str, known: set[str]) -> None:
    if name.lower() in {label.lower() for label in known}:
        raise invalid("Label", "name", "name already exists", "already_exists")
    if len(name) > 50:
        raise invalid("Label", "name", "name is too long (maximum is 50 characters)")
    if not re.fullmatch(r"[0-9A-Fa-f]{6}", color):
        raise invalid("Label", "color", "color must be six hexadecimal digits without a #", "invalid")
    if len(description) > 100:
        raise invalid("Label", "description", "description is too long (maximum is 100 characters)")


def lines_in_diff(patch: str) -> set[int]:
    """Line numbers on the right side that a diff shows: the only ones that a review may comment on."""
    shown: set[int] = set()
    line = 0
    for row in patch.splitlines():
        hunk = re.match(r"@@ -\d+(?:,\d+)? \+(\d+)", row)
        if hunk:
            line = int(hunk[1])
        elif not row.startswith(("-", "\\")):
            shown.add(line)
            line += 1
    return shown


def review_comment_is_placed(files: dict[str, str], comment: dict[str, Any]) -> None:
    path, line = comment.get("path"), comment.get("line")
    if path not in files:
        raise Refused(422, "Unprocessable Entity", ["Path could not be resolved"])
    shown = lines_in_diff(files[path])
    if line not in shown:
        raise Refused(422, "Unprocessable Entity", ["Line could not be resolved"])
    first = comment.get("start_line")
    if first is not None and (first not in shown or first >= line):
        raise Refused(422, "Unprocessable Entity", ["Start line could not be resolved"])


def dispatch_fits(workflow: dict[str, Any], inputs: dict[str, Any]) -> None:
    # A YAML 1.1 reader takes the bare key ``on`` for a boolean.
    triggers = workflow.get("on", workflow.get(True)) or {}
    if "workflow_dispatch" not in triggers:
        raise Refused(422, "Workflow does not have 'workflow_dispatch' trigger")
    declared = (triggers["workflow_dispatch"] or {}).get("inputs", {})
    unexpected = sorted(set(inputs) - set(declared))
    if unexpected:
        raise Refused(422, f"Unexpected inputs provided: {unexpected}")
    for name, rules in declared.items():
        if rules.get("required") and not inputs.get(name) and "default" not in rules:
            raise Refused(422, f"Required input '{name}' not provided")
        if rules.get("type") == "choice" and name in inputs and inputs[name] not in rules["options"]:
            raise Refused(422, f"Provided value '{inputs[name]}' for input '{name}' not in the list of allowed values")
    if any(not isinstance(value, (str, bool, int, float)) for value in inputs.values()):
        raise Refused(422, "Invalid input")
