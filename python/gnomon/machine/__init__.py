"""What this machine can do at most, what the kernels do of it, and what installed peers do."""

from __future__ import annotations

from gnomon.machine.result import SCHEMA, MachineResult
from gnomon.machine.settings import MachineSettings

__all__ = ["SCHEMA", "MachineResult", "MachineSettings"]
