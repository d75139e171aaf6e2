"""The settings that a command runs under."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from gnomon.cli._environment_file import project_variables
from gnomon.sources.config import Config, Setting, read_config


@dataclass(frozen=True, slots=True)
class Configured:
    """The files' settings, and which variables came with the checkout.

    Attributes
    ----------
    project_variables
        What ``.env.local`` has set; the shell's own variables are not among them.
    """

    config: Config
    project_variables: frozenset[str]

    def setting(self, name: str, given: Any = None) -> Setting:
        """Return the value in force of a key, with its origin."""
        return self.config.resolve(
            name, given, environment=os.environ, project_variables=self.project_variables
        )

    def value(self, name: str, given: Any = None) -> Any:
        """Return the value in force of a key."""
        return self.setting(name, given).value


def configured() -> Configured:
    """Read the configuration of the current folder and of the user.

    Raises
    ------
    UsageError
        When a file has an unknown key or an impossible value.
    """
    return Configured(read_config(), project_variables.get())
