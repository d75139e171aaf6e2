"""``gnomon bench``: compare two retrieval configurations on answers, with no key."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from gnomon import audit
from gnomon.cli._bench_emit import emit
from gnomon.cli._configured import configured
from gnomon.cli._environment import environment
from gnomon.cli._eval_pool import Asking
from gnomon.cli._options import (
    json_option,
    place_type,
    question_embedder_option,
    quiet_option,
    seed_option,
    state_dir_option,
)
from gnomon.cli._output import only_results_on_stdout, print_json, print_lines
from gnomon.errors import UsageError
from gnomon.evaluation import bench_pairs, bench_runs, bench_score, bench_shards, bench_verdicts
from gnomon.evaluation.bench_answers import read_answers
from gnomon.evaluation.bench_tasks import is_config_name, read_tasks
from gnomon.golden.levels import LEVELS
from gnomon.report.bench_text import judge_lines, runs_lines, score_lines
from gnomon.retrieval.opening import check_uri
from gnomon.rules.moved import LEAST_RUNS
from gnomon.sources.atomic import atomic_write, make_folder, write_text
from gnomon.sources.escape import by_number, counted
from gnomon.sources.files import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gnomon.evaluation.bench_score import Answers
    from gnomon.evaluation.bench_tasks import TaskFile

FOLDER: Final = Path("gnomon/bench")
_SIDES: Final = 2


def _name(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    if not is_config_name(value):
        raise click.BadParameter(
            f"{value!r} is no name; expected letters, digits, - and _, at most 64 of them"
        )
    return value


def _paths(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[Path, ...]:
    parts = value.split(",")
    if not all(part.strip() for part in parts):
        raise click.BadParameter(f"{value!r} names no file between two commas")
    return tuple(Path(part.strip()) for part in parts)


tasks_option = click.option(
    "--tasks", required=True, callback=_paths, metavar="FILE,FILE", help="Tasks of both sides."
)


@click.group(name="bench")
def command() -> None:
    """Compare two retrieval configurations on answers, with no key.

    emit writes tasks, shard cuts them for answerers, score compares what comes back, runs does so
    over several runs, judge-emit and judge-score ask a judge whose word is advisory. What an
    answerer gets and must return is written beside the tasks (bench-protocol.md).
    """


@command.command("emit")
@click.argument("index_dir", required=False, type=place_type, metavar="[INDEX]")
@click.option(
    "--config", "name", required=True, callback=_name, metavar="NAME", help="Name of this side."
)
@click.option("--golden", type=place_type, metavar="FILE", help="The golden set.")
@click.option("--level", type=click.Choice(LEVELS), help="Records of this level and those below.")
@click.option(
    "--history",
    type=place_type,
    metavar="FILE",
    help="Answers to the earlier turns of follow-ups, which were emitted first.",
)
@click.option(
    "--out",
    type=place_type,
    default=FOLDER,
    show_default=True,
    metavar="DIR",
    help="Folder of the tasks.",
)
@question_embedder_option
@json_option
@quiet_option
def emit_command(
    index_dir: Path | None,
    name: str,
    golden: Path | None,
    level: str | None,
    history: Path | None,
    out: Path,
    embedder: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write the tasks of one configuration: the index, its levers and its guard as they are now.

    A golden set with follow-ups needs two rounds: the first one writes their earlier turns
    (stage 1), and with the answers to those as --history the second one writes the turns that are
    scored (stage 2).
    """
    if embedder is not None:
        check_uri(embedder)
    settings = configured()
    asking = Asking(
        place=index_dir or Path(settings.value("index")),
        golden=golden or Path(settings.value("golden")),
        level=level,
        limit=None,
        embedder=embedder,
        seed=0,
    )
    make_folder(out)
    with only_results_on_stdout():
        file, path = emit(asking, name, history, out, settings, quiet=quiet)
    facts = {
        "file": str(path),
        "protocol": str(out / bench_shards.PROTOCOL_FILE),
        "config": name,
        "stage": file.stage,
        "level": file.level,
        "tasks": len(file.to_answer),
        "refused": len(file.tasks) - len(file.to_answer),
        "tasks_hash": file.hash,
    }
    if as_json:
        print_json("gnomon.bench-emit/1", facts)
        return
    refused = f", {facts['refused']} refused by the guard" if file.stage == 2 else ""
    then = (
        "have them answered and run gnomon bench emit again with --history"
        if file.stage == 1
        else "cut them with gnomon bench shard; the task file itself holds the gold"
    )
    print_lines(
        f"stage {file.stage}: {counted(len(file.to_answer), 'task')} to answer{refused}",
        f"written: {shown(path)}",
        f"next: {then}",
    )


@command.command("shard")
@click.argument("tasks", type=place_type, metavar="TASKS")
@click.option("--shards", type=click.IntRange(1, 1000), required=True, metavar="N")
@click.option("--out", type=place_type, metavar="DIR", help="[default: beside the tasks]")
@json_option
def shard_command(tasks: Path, shards: int, out: Path | None, as_json: bool) -> None:
    """Cut tasks into files for answerers, without anything that answers are scored against."""
    file = read_tasks(tasks)
    folder = out or tasks.parent
    make_folder(folder)
    paths = bench_shards.write_shards(folder, file, shards)
    if as_json:
        print_json("gnomon.bench-shards/1", {"files": [str(path) for path in paths]})
        return
    print_lines(*(f"written: {shown(path)}" for path in paths))


@command.command("score")
@tasks_option
@click.option(
    "--answers", required=True, callback=_paths, metavar="PATH,PATH", help="A file or folder each."
)
@seed_option
@state_dir_option
@json_option
def score_command(
    tasks: tuple[Path, ...], answers: tuple[Path, ...], seed: int, state_dir: Path, as_json: bool
) -> None:
    """Compare the answers to the tasks of two configurations, or count those of one.

    The figures are those of gnomon eval. One run of answers proves nothing, and the output says so.
    """
    if len(tasks) > _SIDES or len(tasks) != len(answers):
        raise UsageError(
            f"--tasks names {len(tasks)} and --answers {len(answers)}; expected one or two of each"
        )
    audit.check_appendable(state_dir)
    sides = [read_tasks(path) for path in tasks]
    bench_score.check_sides(sides)
    given = [read_answers(path, side) for path, side in zip(answers, sides, strict=True)]
    results = [
        bench_score.score_side(side, one, seed=seed) for side, one in zip(sides, given, strict=True)
    ]
    body = bench_score.score_json(sides, results)
    _end("bench.score", bench_score.SCHEMA, body, score_lines(body), state_dir, as_json=as_json)


@command.command("runs")
@tasks_option
@click.option("--runs-a", required=True, callback=_paths, metavar="PATH,PATH,PATH")
@click.option("--runs-b", required=True, callback=_paths, metavar="PATH,PATH,PATH")
@seed_option
@state_dir_option
@json_option
def runs_command(
    tasks: tuple[Path, ...],
    runs_a: tuple[Path, ...],
    runs_b: tuple[Path, ...],
    seed: int,
    state_dir: Path,
    as_json: bool,
) -> None:
    """Set the difference of two configurations beside the spread of runs of the same one.

    Give three runs of answers or more for each. A difference under 2 points, or inside the spread,
    has not moved; one whose interval over the records holds 0 is within the noise.
    """
    if len(tasks) != _SIDES:
        raise UsageError(
            f"--tasks names {counted(len(tasks), 'file')}; expected those of two configurations"
        )
    for flag, paths in (("--runs-a", runs_a), ("--runs-b", runs_b)):
        if len(paths) < LEAST_RUNS:
            raise UsageError(
                f"{flag} names {counted(len(paths), 'run')}; a spread needs {LEAST_RUNS} or more"
            )
        if len({path.resolve() for path in paths}) < len(paths):
            raise UsageError(f"{flag} names one run twice; a spread needs runs of their own")
    audit.check_appendable(state_dir)
    sides = [read_tasks(path) for path in tasks]
    bench_score.check_sides(sides)
    runs = [
        [read_answers(path, side) for path in paths]
        for side, paths in zip(sides, (runs_a, runs_b), strict=True)
    ]
    body = bench_runs.compare_runs(sides, runs, seed=seed)
    _end("bench.runs", bench_runs.SCHEMA, body, runs_lines(body), state_dir, as_json=as_json)


@command.command("judge-emit")
@tasks_option
@click.option("--answers", required=True, callback=_paths, metavar="PATH,PATH")
@click.option("--pairs", required=True, type=place_type, metavar="FILE")
@click.option("--key", required=True, type=place_type, metavar="FILE")
@json_option
def judge_emit_command(
    tasks: tuple[Path, ...], answers: tuple[Path, ...], pairs: Path, key: Path, as_json: bool
) -> None:
    """Write blind pairs of answers for a judge, and the key to them apart.

    Which configuration stands where follows from secret random bytes in the key; keep it from the
    judge. Neither file may be there already.
    """
    if len(tasks) != _SIDES or len(answers) != _SIDES:
        raise UsageError("--tasks and --answers need two of each, in the same order")
    _check_new(pairs, key)
    sides = [read_tasks(path) for path in tasks]
    bench_score.check_sides(sides)
    given: Sequence[Answers] = [
        read_answers(path, side) for path, side in zip(answers, sides, strict=True)
    ]
    made = _write_pairs(sides, given, pairs, key)
    n_pairs, n_telling = len(made.pairs), sum(pair.tells for pair in made.pairs)
    facts = {
        "pairs": str(pairs),
        "key": str(key),
        "n_pairs": n_pairs,
        "n_telling": n_telling,
        "n_identical": made.identical,
    }
    if as_json:
        print_json("gnomon.bench-judge-emit/1", facts)
        return
    print_lines(
        f"{counted(n_pairs, 'pair')}, {n_telling} of which "
        f"{by_number(n_telling, 'tells its', 'tell their')} side; "
        f"{counted(made.identical, 'record has', 'records have')} equal answers and "
        f"{by_number(made.identical, 'is', 'are')} left out",
        f"written: {shown(pairs)}, for the judge",
        f"written: {shown(key)}, not for the judge",
    )


@command.command("judge-score")
@click.option("--pairs", required=True, type=place_type, metavar="FILE")
@click.option("--key", required=True, type=place_type, metavar="FILE")
@click.option("--verdicts", required=True, type=place_type, metavar="FILE")
@state_dir_option
@json_option
def judge_score_command(
    pairs: Path, key: Path, verdicts: Path, state_dir: Path, as_json: bool
) -> None:
    """Count what a judge said of blind pairs. It is advisory: the exit code never depends on it."""
    audit.check_appendable(state_dir)
    judged = bench_verdicts.join_verdicts(pairs, key, verdicts)
    body = bench_verdicts.judged_json(judged, bench_verdicts.read_key(key))
    schema = bench_verdicts.SCHEMA
    _end("bench.judge", schema, body, judge_lines(body), state_dir, as_json=as_json)


def _check_new(pairs: Path, key: Path) -> None:
    if pairs.resolve() == key.resolve():
        raise UsageError("--pairs and --key name one file; the judge must not see the key")
    for flag, path in (("--pairs", pairs), ("--key", key)):
        if path.exists():
            raise UsageError(
                f"{flag} {shown(path)} is there already; what a judge was given is not written over"
            )
        if not path.parent.is_dir():
            raise UsageError(f"{flag} {shown(path)}: the folder does not exist")


def _write_pairs(
    sides: Sequence[TaskFile], given: Sequence[Answers], pairs: Path, key: Path
) -> bench_pairs.Pairs:
    secret = secrets.token_bytes(bench_pairs.SECRET_BYTES)
    made = bench_pairs.make_pairs(sides, given, secret)
    body = bench_pairs.key_body(made, sides, secret)
    write_text(key, bench_pairs.key_text(body), private=True)
    with atomic_write(pairs) as out:
        out.writelines(bench_pairs.pairs_lines(made, bench_pairs.commitment_of(body)))
    return made


def _end(
    action: str,
    schema: str,
    body: Mapping[str, Any],
    lines: Sequence[str],
    state_dir: Path,
    *,
    as_json: bool,
) -> None:
    record = audit.append(
        state_dir,
        action=action,
        inputs=_inputs(body),
        outputs=_outputs(body),
        env=environment(None),
    )
    if as_json:
        print_json(schema, {**body, "audit": {"seq": record.seq, "hash": record.hash}})
    else:
        print_lines(*lines)


def _inputs(body: Mapping[str, Any]) -> dict[str, Any]:
    sides = [
        {name: side[name] for name in ("tasks_hash", "golden_hash", "prompt_hash", "n_records")}
        for side in body.get("sides", ())
    ]
    return {"sides": sides, "seed": body.get("seed")}


def _outputs(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the trail keeps: figures, no record and no configuration by name."""
    kept = {name: value for name, value in body.items() if name not in {"sides", "configs"}}
    kept["figures"] = [
        {
            name: {"mean": one["mean"], "n_measured": one["n_measured"]}
            for name, one in side.get("figures", {}).items()
        }
        for side in body.get("sides", ())
    ]
    return kept
