"""GitHub's expressions, evaluated by GitHub's own evaluator under node."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).parents[1] / "expressions" / "evaluate.mjs"
NODE = Path(sys.executable).with_name("node")


def evaluate(expression: str, contexts: dict[str, Any], status: str = "success") -> Any:
    """The value of one bare expression."""
    asked = json.dumps([{"expression": expression, "contexts": contexts, "status": status}])
    done = subprocess.run([NODE, SCRIPT], input=asked, capture_output=True, text=True, timeout=30, check=False)
    if done.returncode:
        raise ValueError(f"{expression!r}: {done.stderr.strip()[-500:]}")
    (value,) = json.loads(done.stdout)
    return value


def render(template: str, contexts: dict[str, Any]) -> str:
    """A text with ``${{ }}`` in it, as GitHub fills it in."""

    def filled(match: re.Match[str]) -> str:
        value = evaluate(match[1], contexts)
        return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)

    return re.sub(r"\$\{\{(.*?)\}\}", filled, template, flags=re.DOTALL)


def condition(text: Any, contexts: dict[str, Any], status: str = "success") -> bool:
    """Whether an ``if:`` lets its job or step run: ``success()`` is implied unless a status function is named."""
    if text is None:
        return status == "success"
    bare = re.sub(r"^\$\{\{(.*)\}\}$", r"\1", str(text).strip(), flags=re.DOTALL)
    if not re.search(r"\b(always|success|failure|cancelled)\s*\(", bare):
        bare = f"success() && ({bare})"
    return bool(evaluate(bare, contexts, status))
