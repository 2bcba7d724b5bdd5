"""Every page leads where it says, and names only make targets that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT, prose, text

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def anchors(page: Path) -> set[str]:
    """Where a link into a page may lead, as GitHub names headings."""
    headings = re.findall(r"^#{1,6} +(.+)$", text(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_resolves(page: Path) -> None:
    links = [link for link in _LINK.findall(text(page)) if not re.match(r"[a-z]+:", link)]
    for link in links:
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_relative_to(ROOT), link
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        links = [(page.parent / link.partition("#")[0]).resolve() for link in _LINK.findall(prose(page))]
        waiting += [target for target in links if target.suffix == ".md" and target not in reached and target.exists()]
    assert set(PAGES) <= reached


def test_every_make_target_that_a_page_names_exists() -> None:
    targets = set(re.findall(r"^([a-z][a-z-]*):", text(ROOT / "Makefile"), re.MULTILINE))
    for page in PAGES:
        assert set(re.findall(r"(?:`|\$ )make ([a-z-]+)", text(page))) <= targets, page.name
