"""The probe from inputs to result: gather lists in few walks, measure, ask the rule."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gnomon.errors import NotMeasuredError
from gnomon.kernels import norms
from gnomon.probe.bridging import FirstLists, measure
from gnomon.probe.choosing import Chosen, compare, without_comparison
from gnomon.probe.conclusion import Conclusion
from gnomon.probe.finding import rows_named
from gnomon.probe.fits import Fits
from gnomon.probe.fitting import Fitter, one_blas_thread
from gnomon.probe.mini_index import mini_index
from gnomon.probe.passes import DocumentPass, Walks
from gnomon.probe.plan import Rows, no_rows, sample_rows, selection_rows, union_of
from gnomon.probe.spaces import Spaces, resized
from gnomon.probe.truth import Evaluation, evaluation_of, relevance_by_oracle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gnomon.adapters.base import FittedAdapter
    from gnomon.probe.inputs import ProbeInputs
    from gnomon.probe.passes import RankedLists
    from gnomon.probe.result import ProbeResult
    from gnomon.probe.settings import ProbeSettings
    from gnomon.types import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeRun:
    """A result and the adapters behind its deciding figures, which the trail stores for replay."""

    result: ProbeResult
    adapters: Sequence[FittedAdapter]


def run_probe(
    inputs: ProbeInputs,
    settings: ProbeSettings,
    *,
    stored: Sequence[FittedAdapter] | None = None,
    progress: Progress | None = None,
) -> ProbeRun:
    """Measure the five rankings and decide.

    Parameters
    ----------
    inputs
        Vectors and judgements.
    settings
        What to measure.
    stored
        Adapters of an earlier run to use for the deciding figures, in its order; a replay passes
        them so that no figure hangs on this machine's LAPACK. What comes from other fits
        (``REFIT_FIELDS``) is then not measured.
    progress
        Told about the blocks of every walk over the documents.

    Returns
    -------
    ProbeRun

    Raises
    ------
    NotMeasuredError
        The inputs cannot answer: no query to evaluate, k above the number of documents, a corpus
        too small to fit on, or nothing that the rule could decide by.
    InvalidInputError
        A row of a matrix holds NaN or infinity; the message names matrix and row.
    MismatchError
        ``stored`` holds other adapters than this run takes.
    """
    with rows_named(inputs, settings.threads), one_blas_thread():
        part = _sampled(inputs, settings)
        walks = None if progress is None else Walks(progress, expected=_most_walks(part))
        run = _run(part, settings, stored, walks)
    if walks is not None:
        walks.finish()
    return run


def _run(
    inputs: ProbeInputs,
    settings: ProbeSettings,
    stored: Sequence[FittedAdapter] | None,
    progress: Walks | None,
) -> ProbeRun:
    spaces = Spaces(inputs, settings.threads)
    evaluation = evaluation_of(inputs, settings)
    depth = _depth(inputs, settings, evaluation)
    held_out = no_rows() if evaluation.masked is None else evaluation.masked
    selection = selection_rows(settings, inputs.covered, held_out)
    fits = Fits(Fitter(inputs, settings), union_of([selection, held_out]), stored)
    if stored is not None:  # the choice was made in the run that they come from
        selection = no_rows()

    new_walk, old_walk = spaces.new_pass(), spaces.old_pass()
    with fits.prepare(evaluation.relevance) as preparing:
        oracle, neighbours = _ask_new_space(
            spaces, new_walk, evaluation, selection, depth, progress
        )
        preparing.result()
    if evaluation.relevance is None:
        found = relevance_by_oracle(evaluation.tier, oracle.ids, settings.k)
        evaluation = replace(evaluation, relevance=found)

    first, chosen = _ask_old_space(
        spaces, old_walk, fits, evaluation, selection, neighbours, held_out, oracle, progress
    )
    adapters = fits.adapters(evaluation, chosen)
    measured = measure(
        spaces, evaluation, adapters, first, k=settings.k, depth=depth, progress=progress
    )
    conclusion = Conclusion(
        spaces=spaces,
        settings=settings,
        evaluation=evaluation,
        measured=measured,
        depth=depth,
        chosen=chosen,
        adapters=adapters,
        clusters=fits.fitter.clusters,
        mini_index=mini_index(spaces, settings, evaluation, adapters, measured, progress),
        zero_rows={
            "old documents": old_walk.report.zero_rows,
            "new documents": new_walk.report.zero_rows,
            "old queries": _count_zero(evaluation.old),
            "new queries": _count_zero(evaluation.new),
        },
    )
    return ProbeRun(result=conclusion.result(), adapters=adapters.deciding)


def _most_walks(inputs: ProbeInputs) -> int:
    """Count the walks over documents: new, old, bridged, the folds of the oracle, the part."""
    return 5 if inputs.new_rows is not None else 4


def _sampled(inputs: ProbeInputs, settings: ProbeSettings) -> ProbeInputs:
    """Return the inputs with the new vectors of the sample only, as ``--sample`` asks."""
    if settings.sample is None:
        return inputs
    log = inputs.log
    judged = no_rows() if log is None or log.relevance is None else log.relevance.rows
    rows = sample_rows(settings, inputs.covered, judged)
    return replace(inputs, new_docs=inputs.new_vectors(rows), new_rows=rows)


def _depth(inputs: ProbeInputs, settings: ProbeSettings, evaluation: Evaluation) -> int:
    """Return the candidate depth, cut to what every list can hold."""
    findable = len(inputs.covered) - (0 if evaluation.masked is None else 1)
    if settings.k > findable:
        raise NotMeasuredError(
            f"k is {settings.k}, but a list can hold no more than {findable} of the "
            f"{len(inputs.covered)} documents with new vectors; lower --k"
        )
    return min(settings.candidate_depth, findable)


def _count_zero(vectors: NDArray[Any]) -> int:
    return int((norms(vectors) == 0.0).sum())


def _ask_new_space(
    spaces: Spaces,
    walk: DocumentPass,
    evaluation: Evaluation,
    selection: Rows,
    depth: int,
    progress: Walks | None,
) -> tuple[RankedLists, Rows]:
    """Return the oracle's lists, and the nearest document of every selection document."""
    masked = None if evaluation.masked is None else spaces.in_new(evaluation.masked)
    asked = walk.ask(evaluation.new, depth, masked=masked)
    if len(selection) == 0:
        return spaces.run_new(walk, progress)[asked], no_rows()
    vectors = spaces.inputs.new_vectors(selection)
    nearest = walk.ask(vectors, 1, masked=spaces.in_new(selection))
    answers = spaces.run_new(walk, progress)
    return answers[asked], answers[nearest].ids[:, 0]


def _ask_old_space(
    spaces: Spaces,
    walk: DocumentPass,
    fits: Fits,
    evaluation: Evaluation,
    selection: Rows,
    neighbours: Rows,
    held_out: Rows,
    oracle: RankedLists,
    progress: Walks | None,
) -> tuple[FirstLists, Chosen]:
    """Return the lists that need no adapter, and the adapter that the held-out documents choose."""
    settings = fits.fitter.settings
    swapped = resized(evaluation.new, spaces.inputs.old_docs.shape[1])
    shown = settings.k + 1  # the next document tells whether the cut falls between equal scores
    quo = walk.ask(evaluation.old, shown, masked=evaluation.masked)
    swap = walk.ask(swapped, shown, masked=evaluation.masked)
    comparison = None
    if len(selection):
        comparison = compare(
            fits.fitter, walk, selection=selection, neighbours=neighbours, held_out=held_out
        )
    answers = walk.run(progress)
    forced = settings.adapter if fits.stored is None else fits.stored[0].name
    chosen = without_comparison(forced) if comparison is None else comparison.settle(answers)
    lists = FirstLists(status_quo=answers[quo], naive_swap=answers[swap], oracle=oracle)
    return lists, chosen
