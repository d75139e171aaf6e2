"""What a probe's record says about its inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.adapters.registry import ADAPTER_NAMES
from gnomon.audit import file_entry
from gnomon.rules.upgrade import (
    ARR_BANDS,
    BREAK_EVEN_NOISE,
    BRIDGE_LOSES,
    GAIN_WORTHWHILE,
    NOISE_BANDS,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from gnomon.embedding.profile import Profile
    from gnomon.probe.files import ProbeFiles
    from gnomon.probe.settings import ProbeSettings
    from gnomon.sources import FileFingerprint

ACTION = "probe"
METRIC_VERSION = 1  # rises when a figure of the same name starts to mean something else


def recorded_files(
    files: ProbeFiles,
    fingerprints: Mapping[str, FileFingerprint],
    state_dir: str | os.PathLike[str],
) -> dict[str, Any]:
    """Return role -> path, size and hash of every file that was read."""
    return {
        role: file_entry(
            path,
            state_dir,
            sha256=fingerprints[role].sha256,
            size=fingerprints[role].size,
            rows=fingerprints[role].rows,
        )
        for role, path in files.roles()
    }


def recorded_inputs(
    files: ProbeFiles,
    fingerprints: Mapping[str, FileFingerprint],
    settings: ProbeSettings,
    profiles: Mapping[str, Profile],
    state_dir: str | os.PathLike[str],
) -> dict[str, Any]:
    """Return the ``inputs`` of the record: files, settings, models and the rule's thresholds."""
    return {
        "files": recorded_files(files, fingerprints, state_dir),
        "options": files.options(),
        "settings": settings.to_json(),
        "models": {
            side: {"profile": profile.as_dict(), "fingerprint": profile.fingerprint}
            for side, profile in profiles.items()
        },
        "sampling": {
            "strategy": "smallest splitmix64 keys by seed, purpose and row",
            "seed": settings.seed,
            "sample": settings.sample,
        },
        "thresholds": {
            "arr_bands": {decision: edge for edge, decision in ARR_BANDS},
            "upgrade_gain": GAIN_WORTHWHILE,
            "bridge_loses": BRIDGE_LOSES,
            "break_even_noise": list(BREAK_EVEN_NOISE),
            "noise_bands": [
                {"threshold": edge, "low": low, "high": high}
                for edge, (low, high) in NOISE_BANDS.items()
            ],
        },
        "adapters": list(ADAPTER_NAMES) if settings.adapter is None else [settings.adapter],
    }
