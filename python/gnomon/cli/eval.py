"""``gnomon eval``: measure retrieval and refusal, and answers if a chat endpoint is given."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gnomon.cli._collection_flags import CollectionFlags, collection_options
from gnomon.cli._configured import configured
from gnomon.cli._embedding import question_embedding
from gnomon.cli._eval_ending import Ending, end
from gnomon.cli._eval_pool import Asking, open_pool
from gnomon.cli._options import (
    json_option,
    limit_type,
    place_type,
    question_embedder_option,
    quiet_option,
    seed_option,
    state_dir_option,
)
from gnomon.cli._output import only_results_on_stdout
from gnomon.cli._progress import progress_shown
from gnomon.errors import UsageError
from gnomon.evaluation.baseline import read_baseline, require_comparable
from gnomon.evaluation.collection_result import measures_of
from gnomon.evaluation.expectations import parse_expectations
from gnomon.evaluation.gate_only import GATE_ONLY_MEASURES, evaluate_gate, setup_of
from gnomon.golden.levels import LEVELS
from gnomon.retrieval.opening import check_uri

if TYPE_CHECKING:
    from gnomon.cli._configured import Configured
    from gnomon.evaluation.result import Measure


@click.command(name="eval")
@click.argument("index_dir", required=False, type=place_type, metavar="[INDEX]")
@click.option("--gate-only", is_flag=True, help="Measure retrieval and refusal; ask no model.")
@click.option("--golden", type=place_type, metavar="FILE", help="The golden set.")
@click.option("--level", type=click.Choice(LEVELS), help="Records of this level and those below.")
@click.option("--limit", type=limit_type, metavar="N", help="The first N of those.")
@click.option(
    "--resume", is_flag=True, help="Go on with a run that broke off; ask only what is missing."
)
@click.option(
    "--baseline",
    type=place_type,
    metavar="FILE",
    help="Compare with this report. [default: the last one of the same name]",
)
@click.option(
    "--expect",
    "expected",
    multiple=True,
    metavar="MEASURE>=NUMBER",
    help="Exit with 4 unless it holds (>= > <= < ==); may be repeated.",
)
@click.option(
    "--junit",
    type=place_type,
    metavar="FILE",
    help="Write the expectations as JUnit XML.",
)
@click.option("--out", type=place_type, metavar="DIR", help="Folder of the reports.")
@question_embedder_option
@seed_option
@collection_options
@state_dir_option
@json_option
@quiet_option
def command(
    index_dir: Path | None,
    gate_only: bool,
    golden: Path | None,
    level: str | None,
    limit: int | None,
    resume: bool,
    baseline: Path | None,
    expected: tuple[str, ...],
    junit: Path | None,
    out: Path | None,
    embedder: str | None,
    seed: int,
    state_dir: Path,
    as_json: bool,
    quiet: bool,
    **collection: Any,
) -> int:
    """Measure what an index retrieves and refuses on a golden set.

    Every record is asked of the index as a reader would ask it. The figures go to stdout and, with
    every record, to a report as JSON and as Markdown, which is compared with the last one of the
    same name where both measured the same records. Exit 4 when an --expect is not met, 3 when a
    chunk from outside a scope was retrieved or an answer cites what it was not given.

    Answers come from the chat model of the configuration (chat.endpoint, chat.model) and are kept
    as they come in. Without one, or to ask none, give --gate-only.

    With --collection, a TREC run (--run) or an index (--index) is measured by recall, nDCG, MRR and
    MAP on the judgements of a BEIR folder; --qrels alone takes the judgements of a TREC track.
    """  # fmt: skip
    flags = CollectionFlags(**collection)
    if gate_only and resume:
        raise UsageError("--resume goes on asking a chat model; leave out --gate-only")
    settings = configured()
    if flags.given:
        golden_flags = {
            "--gate-only": gate_only, "--golden": golden, "--level": level, "--limit": limit,
            "--resume": resume,
        }  # fmt: skip
        other = [name for name, value in golden_flags.items() if value]
        flags = flags.check(index_dir, other, embedder)
    measures: tuple[Measure, ...] = GATE_ONLY_MEASURES
    if flags.given:
        measures = measures_of(flags.metric_names)
    elif not gate_only:
        from gnomon.cli import _eval_answers as answers  # noqa: PLC0415  # slow, for it alone

        speaker, measures = answers.open_speaker(settings), answers.MEASURES
    expectations = parse_expectations(expected, [one.name for one in measures])
    if embedder is not None:
        check_uri(embedder)
    ending = Ending(
        reports=out or Path(settings.value("reports")),
        baseline=None if baseline is None else read_baseline(baseline),
        expectations=expectations,
        junit=junit,
        state_dir=state_dir,
        as_json=as_json,
    )
    place = index_dir or Path(settings.value("index"))
    golden_file = golden or Path(settings.value("golden"))
    read = flags.read() if flags.given else [place, golden_file]
    ending.check(read if baseline is None else [*read, baseline])
    if flags.given:
        from gnomon.cli._eval_collection import measure_collection  # noqa: PLC0415  # slow, as well

        return measure_collection(
            flags, ending, settings, embedder=embedder, seed=seed, quiet=quiet
        )
    asked = Asking(
        place=place,
        golden=golden_file,
        level=level,
        limit=limit,
        embedder=embedder,
        seed=seed,
    )
    if gate_only:
        return measure_gate(asked, ending, settings, quiet=quiet)
    return answers.measure_answers(asked, ending, settings, speaker, resume=resume, quiet=quiet)


def measure_gate(asking: Asking, ending: Ending, settings: Configured, *, quiet: bool) -> int:
    """Measure retrieval and refusal on a pool, and return the exit code."""
    with only_results_on_stdout(), progress_shown("records", quiet=quiet) as progress:
        pool = open_pool(asking)
        setup = setup_of(
            pool.index, asking.index_name, pool.records,
            level=asking.level, limit=asking.limit,
        )  # fmt: skip
        if ending.baseline is not None:
            require_comparable(setup, ending.baseline)
        with question_embedding(pool.index, asking.place, asking.embedder, settings) as embed:
            result = evaluate_gate(
                pool.index, pool.records, embed, setup, progress, seed=asking.seed
            )
    return end(result, ending, inputs=pool.recorded(asking, setup, ending.state_dir))
