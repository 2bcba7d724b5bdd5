"""What GitHub's own Markdown library makes of hostile text that went through the door."""

from __future__ import annotations

import re

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options
from hypothesis import given
from hypothesis import strategies as st

from triage_bot.core.markdown import cell, clip, code, fence, html_code, label, prose

HOSTILE = [
    "@team look at #12, o/r#5, GH-3 and @octo/owners",
    "<img src=x onerror=alert(1)> <!-- triage-bot v1 --> </details>",
    "a | b \\| c || d",
    "`@team` `` ` ``` odd",
    "https://evil.example www.evil.example a@evil.example mailto:a@b.co ftp://x",
    "[click](https://evil.example) ![i](x) [^1] <https://evil.example>",
    "# heading\n- item\n1. item\n> quote\n---\n===\n```\nfence",
    "&lt;b&gt; &#64;team $x^2$ **bold** __b__ ~~gone~~",
    "deadbeefcafe 0123456789abcdef0123456789abcdef01234567",
    "\x1b[31mred\x00 \u202egnp.exe\u2066 \u200b",
    "_www.evil.example xGH-3",
    "=====",
    "-----",
    "    indented",
]


def render(markdown: str) -> str:
    return str(
        cmarkgfm.github_flavored_markdown_to_html(markdown, Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES)
    )


def tags(html: str) -> set[str]:
    return set(re.findall(r"</?([a-z0-9]+)", html))


def outside_code(html: str) -> str:
    return re.sub(r"<code>.*?</code>", "", html, flags=re.DOTALL)


@pytest.mark.parametrize("text", HOSTILE)
def test_prose_stays_prose(text: str) -> None:
    html = render(f"before\n\n{prose(text)}\n\nafter")
    assert tags(html) <= {"p", "code", "span"}
    assert not re.search(r"@\w|#\d|://|www\.|\b[0-9a-f]{7,}\b", outside_code(html))


@pytest.mark.parametrize("text", HOSTILE)
def test_code_is_one_span_everywhere(text: str) -> None:
    assert tags(render(f"x {code(text)} y")) <= {"p", "code"}
    table = render(f"| a | b |\n|---|---|\n| {cell(text)} | {cell('z')} |\n")
    assert table.count("<td>") == 2
    assert table.count("<code>") == 2


@pytest.mark.parametrize("text", HOSTILE)
def test_a_fence_ends_where_we_end_it(text: str) -> None:
    assert render(f"{fence(text)}\n\nafter").endswith("</code></pre>\n<p>after</p>\n")


@pytest.mark.parametrize("text", HOSTILE)
def test_a_summary_holds_one_code_element(text: str) -> None:
    html = render(f"<details><summary>{html_code(text)}</summary>\n\nbody\n\n</details>")
    assert tags(html) == {"details", "summary", "code", "p"}


def test_quoted_names_in_a_sentence_become_code() -> None:
    assert prose("`_drive_store` left 3 ms") == "`_drive_store` left 3 ms"
    assert "\\`" in prose("an odd ` tick")


def test_controls_and_direction_overrides_become_visible() -> None:
    assert code("a\x00b\u202ec") == "`a\ufffdb\ufffdc`"


def test_a_label_keeps_only_what_a_diagram_cannot_misread() -> None:
    assert label("copy:stream;\nclick <b>#1") == "copy stream click b 1"
    assert label("::") == "unnamed"


def test_clipping_says_so() -> None:
    assert clip("abcdef", 4) == "abc…"
    assert clip("abcd", 4) == "abcd"


PIECES = [*"`~*_[]()<>@#|\\!&:/.-+=\n\r\t $wax1", "https://", "www.", "&lt;", "-->"]
NASTY = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@given(NASTY)
def test_no_text_escapes_from_where_it_is_put(text: str) -> None:
    assert tags(render(f"x {prose(text)} y")) <= {"p", "code", "span"}
    assert tags(render(prose(text))) <= {"p", "code", "span"}
    assert tags(render(f"x {code(text)} y")) <= {"p", "code"}
    assert render(f"{fence(text)}\n\nafter").endswith("</code></pre>\n<p>after</p>\n")
    assert render(f"| a | b |\n|---|---|\n| {cell(text)} | z |\n").count("<td>") == 2
