"""A rendered comment as a browser sees it: which tags, links and comments there are, and what is plain text."""

from __future__ import annotations

from html.parser import HTMLParser

import cmarkgfm
from cmarkgfm.cmark import Options


class Page(HTMLParser):
    """Markdown rendered by GitHub's own renderer, short of its filter of tags, which the bot must not lean on."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.comments: list[str] = []
        self.prose = ""
        """Text outside code: where a mention would be one."""
        self.code = ""
        self.unclosed: list[str] = []
        self._open: list[str] = []
        options = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES
        self.feed(cmarkgfm.github_flavored_markdown_to_html(markdown, options))
        self.close()
        self.unclosed += self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag not in ("br", "hr", "img", "input"):
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if self._open[-1:] == [tag]:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1] == tag:
            self._open.pop()
        else:
            self.unclosed.append(f"/{tag}")

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def handle_data(self, data: str) -> None:
        if {"code", "pre"} & set(self._open):
            self.code += data
        else:
            self.prose += data
