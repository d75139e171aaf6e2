"""``gnomon index``: build an index from Markdown pages or a corpus."""

from __future__ import annotations

import os
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gnomon.cli._configured import Configured, configured
from gnomon.cli._options import json_option, place_type, quiet_option
from gnomon.cli._output import only_results_on_stdout, print_json, print_lines, print_note
from gnomon.cli._progress import progress_shown
from gnomon.cli._targets import check_folder
from gnomon.embedding.cache import EmbeddingCache
from gnomon.errors import UsageError
from gnomon.kernels import Analyzer
from gnomon.retrieval.build import Built, Plan, Source, build_index, read_source
from gnomon.retrieval.index_files import check_own_folder
from gnomon.retrieval.opening import Surroundings, check_uri, open_embedder
from gnomon.sources.config import GUARD_MODES
from gnomon.sources.escape import counted
from gnomon.sources.files import shown

if TYPE_CHECKING:
    from gnomon.embedding.embedder import Embedder

SCHEMA = "gnomon.index-report/1"


@click.command(name="index")
@click.argument("docs", required=False, type=place_type)
@click.option("--out", type=place_type, metavar="DIR", help="Folder of the index.")
@click.option(
    "--embedder",
    metavar="URI",
    help="Where vectors come from, such as wordllama: or lsa:128.",
)
@click.option("--no-embed", is_flag=True, help="Lexical only: no vectors.")
@click.option(
    "--dense-mode",
    type=click.Choice(["cosine", "zscore"]),
    default="cosine",
    show_default=True,
    help="How the gate reads cosines; zscore is for models without a stable level.",
)
@click.option("--guard-mode", type=click.Choice(GUARD_MODES), help="Whether verdicts are enforced.")
@click.option(
    "--calibration",
    type=place_type,
    metavar="FILE",
    help="Thresholds to inline. [default: calibration.<index name>.json, else calibration.json, "
    "beside the probes]",
)
@click.option("--cache", metavar="FILE", help="File that keeps vectors between runs.")
@click.option("--no-cache", is_flag=True, help="Embed everything anew and keep nothing.")
@click.option("--threads", type=click.IntRange(1, 4096), metavar="N", help="Threads.")
@click.option("--dry", is_flag=True, help="Say what would be built, write nothing.")
@json_option
@quiet_option
def command(
    docs: Path | None,
    out: Path | None,
    embedder: str | None,
    no_embed: bool,
    dense_mode: str,
    guard_mode: str | None,
    calibration: Path | None,
    cache: str | None,
    no_cache: bool,
    threads: int | None,
    dry: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Build an index from DOCS: a folder of Markdown pages, a corpus.jsonl, or a folder with one.

    The index holds the chunks, a lexical index of every field, their vectors unless --no-embed, and
    the thresholds and levers that were measured for it, where they still fit. Identical input gives
    identical bytes. Vectors of unchanged chunks come from the cache.
    """  # fmt: skip
    settings = configured()
    place = _docs(docs, settings)
    target = out or Path(settings.value("index"))
    uri = _uri(embedder, settings, no_embed=no_embed)
    check_own_folder(target)
    check_folder(target)
    if calibration is not None and not calibration.is_file():
        raise UsageError(f"--calibration: {shown(calibration)} is no file")
    plan = Plan(
        analyzer=Analyzer(stemmer=settings.value("stemmer")),
        languages=settings.value("languages"),
        dense_mode="zscore" if dense_mode == "zscore" else "cosine",
        guard_mode=settings.value("guard.mode", guard_mode),
        calibration=calibration or _calibration_beside(settings, target),
        tuning=Path(settings.value("tuning")),
        config={"top_k": settings.value("top_k")},
    )
    with only_results_on_stdout(), progress_shown("embedding", quiet=quiet) as progress:
        source = read_source(place)
        model = None if uri is None else _open(uri, source, plan.analyzer, settings)
        keeps = not (no_cache or model is None or dry)
        with closing(_cache(cache, settings)) if keeps else nullcontext() as kept:
            built = build_index(
                source,
                None if dry else target,
                plan,
                uri=uri,
                embedder=model,
                cache=kept,
                progress=progress,
                threads=threads,
            )
    for link in built.links_left_out:
        print_note(f"{link}: is a link that leaves the folder, loops or leads nowhere; left out")
    if as_json:
        print_json(SCHEMA, _report(built, target, dry=dry))
        return
    print_lines(*_lines(built, target, dry=dry))


def _docs(docs: Path | None, settings: Configured) -> Path:
    if docs is not None:
        return docs
    named = settings.value("docs")
    if named is None:
        raise UsageError(
            "no pages are named; give the folder, as in: gnomon index docs/, or set docs in "
            "gnomon.toml"
        )
    return Path(named)


def _uri(embedder: str | None, settings: Configured, *, no_embed: bool) -> str | None:
    if no_embed:
        if embedder is not None:
            raise UsageError("--no-embed and --embedder contradict each other; keep one")
        return None
    uri = settings.value("embedder", embedder)
    if uri is None:
        raise UsageError(
            "no embedder is named; give one with --embedder, such as wordllama: or lsa:128, set "
            "embedder in gnomon.toml, or choose --no-embed"
        )
    check_uri(uri)
    return str(uri)


def _open(uri: str, source: Source, analyzer: Analyzer, settings: Configured) -> Embedder:
    around = Surroundings(
        settings.config,
        os.environ,
        settings.project_variables,
        texts=[chunk.passage for chunk in source.chunks],
        analyzer=analyzer,
    )
    return open_embedder(uri, around)


def _cache(named: str | None, settings: Configured) -> EmbeddingCache:
    return EmbeddingCache(settings.value("cache", named))


def _calibration_beside(settings: Configured, target: Path) -> Path | None:
    named = settings.value("calibration")
    if named is not None:
        return Path(named)
    folder = Path(settings.value("probes")).parent
    candidates = (folder / f"calibration.{target.name}.json", folder / "calibration.json")
    return next((path for path in candidates if path.is_file()), None)


def _report(built: Built, target: Path, *, dry: bool) -> dict[str, Any]:
    return {
        "out": None if dry else str(target),
        "dry": dry,
        "embedded": built.embedded,
        "notes": list(built.notes),
        "links_left_out": list(built.links_left_out),
        "manifest": built.manifest.as_dict(),
    }


def _lines(built: Built, target: Path, *, dry: bool) -> list[str]:
    manifest = built.manifest
    guard, levers = manifest.guard, manifest.levers
    model = (
        "no vectors"
        if manifest.profile is None
        else (
            f"{manifest.profile.id}, {counted(manifest.profile.dim, 'dimension')}, "
            f"{built.embedded} embedded now"
        )
    )
    tau = "none" if guard.tau is None else f"{guard.tau:.2f}"
    lines = [
        f"{'would write' if dry else 'index'}: {target}",
        (
            f"chunks: {manifest.chunks:,} on {counted(manifest.pages, 'page')}, hash "
            f"{manifest.hash[:12]}"
        ),
        f"embedder: {model}",
        (
            f"guard: tau {tau}, tau_lexical {guard.tau_lexical:.2f}, window "
            f"[{guard.cos_floor:.2f}, {guard.cos_ceil:.2f}], {guard.source}, mode "
            f"{manifest.guard_mode}"
        ),
        (
            f"levers: MMR_LAMBDA {levers['MMR_LAMBDA']:g} "
            f"({levers.values['MMR_LAMBDA'].source}), GATE_K {levers['GATE_K']:g} "
            f"({levers.values['GATE_K'].source})"
        ),
    ]
    if manifest.tuning is not None:
        about = manifest.tuning
        lines.append(
            f"tuning: measured on {str(about['index_hash'])[:12]}, level {about['level']}, "
            f"{counted(about['records'], 'record')}"
        )
    return [*lines, *built.notes]
