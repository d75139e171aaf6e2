"""Which variables came with the checkout: the shell's own are the user's word, these are not."""

from __future__ import annotations

from contextvars import ContextVar

project_variables: ContextVar[frozenset[str]] = ContextVar("project_variables", default=frozenset())
