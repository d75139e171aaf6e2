"""``gnomon fit``: fit and save the adapter that the probe chose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from gnomon import audit
from gnomon.adapters.bridge import check_bridge_folder
from gnomon.cli._environment import environment
from gnomon.cli._options import json_option, place_type, quiet_option, state_dir_option
from gnomon.cli._output import only_results_on_stdout, print_json, print_lines
from gnomon.cli._probe_options import (
    FILE_FLAGS,
    common_options,
    files_from,
    given_option,
    given_paths,
    input_options,
    settings_from,
)
from gnomon.cli._progress import progress_shown
from gnomon.errors import GnomonError, MismatchError, NotMeasuredError, UsageError
from gnomon.probe.files import FILE_ROLES
from gnomon.probe.fit import MAX_PAIRS, fit_bridge
from gnomon.probe.gather import gather
from gnomon.probe.recording import recorded_files
from gnomon.probe.replay import (
    files_of_record,
    recorded_adapter,
    recorded_settings,
)
from gnomon.sources.escape import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gnomon.adapters.bridge import Bridge
    from gnomon.probe.files import ProbeFiles
    from gnomon.probe.settings import ProbeSettings

SCHEMA = "gnomon.fit/1"


@click.command(name="fit")
@click.option(
    "--out",
    type=place_type,
    required=True,
    metavar="DIR",
    help="Folder of the bridge: weights and manifest.",
)
@click.option(
    "--from",
    "seq",
    type=click.IntRange(min=1),
    metavar="SEQ",
    help="Take inputs, seed and adapter from this probe in the trail.",
)
@click.option(
    "--pairs",
    type=click.IntRange(min=2),
    default=MAX_PAIRS,
    show_default=True,
    help="Most document pairs to fit on.",
)
@given_option
@input_options
@common_options
@state_dir_option
@json_option
@quiet_option
def command(
    out: Path,
    seq: int | None,
    pairs: int,
    given: Sequence[str],
    state_dir: Path,
    as_json: bool,
    quiet: bool,
    **flags: Any,
) -> None:
    """Fit an adapter on all documents it may use, save it as a bridge, record it.

    With --from SEQ it is the adapter that this probe chose, on the files that it read; else name
    the files and an adapter. Serve it with gnomon.Bridge.load(DIR).to_index_space(query).
    """  # fmt: skip
    paths = given_paths(given)
    _refuse_idle_flags(seq, paths)
    check_bridge_folder(out)
    files, settings, name = _asked(seq, state_dir, flags, paths)
    audit.check_appendable(state_dir)
    with only_results_on_stdout(), progress_shown("fitting", quiet=quiet) as progress:
        gathered = gather(files)
        recorded = recorded_files(files, gathered.fingerprints, state_dir)
        if seq is not None:
            _require_unchanged(audit.read_record(state_dir, seq), recorded)
        bridge = fit_bridge(gathered.inputs, settings, name, pairs=pairs, probed=seq is not None)
        progress(1, 1)
    outputs = _outputs(bridge)
    record = audit.append(
        state_dir,
        action="fit",
        inputs={
            "files": recorded,
            "options": files.options(),
            "settings": settings.to_json() | {"pairs": pairs},
            "probe": seq,
        },
        outputs=outputs,
        env=environment(settings.threads),
    )
    _save(bridge, out, record)
    if as_json:
        place = {"audit": {"seq": record.seq, "hash": record.hash}}
        print_json(SCHEMA, {**outputs, "path": str(out), **place})
        return
    print_lines(
        f"bridge: {outputs['adapter']['name']}, rank {outputs['adapter']['rank']}, "
        f"{counted(outputs['adapter']['n_pairs'], 'pair')}, {bridge.query_profile.id} to "
        f"{bridge.index_profile.id}",
        f"saved: {out}",
        f"record: {record.seq} {record.hash}",
    )


def _save(bridge: Bridge, out: Path, record: audit.Record) -> None:
    try:
        bridge.save(out)
    except GnomonError as error:
        error.add_note(f"record {record.seq} stands for a bridge that was not saved")
        raise


def _refuse_idle_flags(seq: int | None, given: dict[str, Path]) -> None:
    """Refuse flags that the others leave without effect."""
    if seq is None:
        if given:
            raise UsageError("--input says where files of a record are; it needs --from SEQ")
        return
    context = click.get_current_context()
    for name in ("corpus", "old", "new", *FILE_FLAGS, "seed"):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise UsageError(
                f"--{name.replace('_', '-')} and --from SEQ exclude each other: the record of the "
                "probe names files and seed; --input NAME=PATH tells where a file is now"
            )


def _require_unchanged(record: audit.Record, found: dict[str, Any]) -> None:
    changed = audit.compare_inputs(record.inputs["files"], found)
    if changed:
        raise MismatchError(
            f"{', '.join(changed)}: not what probe {record.seq} read, so its decision says nothing "
            "about this bridge; run the probe again, or name files and adapter without --from"
        )


def _asked(
    seq: int | None, state_dir: Path, flags: dict[str, Any], given: dict[str, Path]
) -> tuple[ProbeFiles, ProbeSettings, str]:
    """Return the files, the settings and the adapter, from the trail or from the flags."""
    settings = settings_from(flags)
    if seq is None:
        if settings.adapter is None:
            raise UsageError("name an adapter with --adapter, or a probe with --from SEQ")
        return files_from(flags), settings, settings.adapter
    record = audit.read_record(state_dir, seq)
    if record.action != "probe":
        raise NotMeasuredError(
            f"record {seq} is a {record.action}, not a probe; it chose no adapter"
        )
    paths = audit.located_files(record, state_dir, FILE_ROLES, root=None, given=given)
    settings = recorded_settings(record, threads=flags["threads"])
    name = flags["adapter"] or recorded_adapter(record)
    return files_of_record(record, paths), settings, name


def _outputs(bridge: Bridge) -> dict[str, Any]:
    adapter = bridge.adapter
    return {
        "adapter": {
            "name": adapter.name,
            "rank": adapter.rank,
            "n_pairs": adapter.n_pairs,
            "sha256": adapter.sha256,
        },
        "models": {
            "new": {"id": bridge.query_profile.id, "fingerprint": bridge.query_profile.fingerprint},
            "old": {"id": bridge.index_profile.id, "fingerprint": bridge.index_profile.fingerprint},
        },
        "usable_documents": bridge.usable_documents,
    }
