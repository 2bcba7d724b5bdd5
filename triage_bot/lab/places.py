"""Where the test is: the statement of a line of a watched function, read from its source file."""

from __future__ import annotations

import linecache
from collections.abc import Collection
from types import CodeType

from triage_bot.core.trials import Site
from triage_bot.lab.statements import Statement, statements
from triage_bot.lab.suite import SuiteFiles


class Places:
    """The watched functions, statement by statement."""

    def __init__(self, codes: Collection[CodeType], suite: SuiteFiles, *, deep: bool) -> None:
        self.codes = frozenset(codes)
        self._suite = suite
        self._by_code = {
            code: statements("".join(linecache.getlines(code.co_filename)), code.co_firstlineno, deep=deep)
            for code in self.codes
        }

    def at(self, code: CodeType, line: int) -> Statement | None:
        """The statement that ``line`` of ``code`` belongs to; None between statements and in unwatched code."""
        return self._by_code.get(code, {}).get(line)

    def site(self, code: CodeType, line: int) -> Site:
        """``line`` of ``code``, relative to the suite's root."""
        return Site(self._suite.relative(code.co_filename), line, code.co_name)
