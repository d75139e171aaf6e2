"""Judgements of a collection against its documents and queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.errors import InvalidInputError
from gnomon.golden.collection_reading import read_judged
from gnomon.golden.finding import Finding
from gnomon.golden.quoting import Quoting
from gnomon.sources.escape import by_number, counted, listed, quoted
from gnomon.sources.ids import near_miss

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gnomon.golden.collection_reading import JudgedFile, TextFile
    from gnomon.sources.collection import CollectionFiles

# More judged ids that are nowhere than this are no slip: it is another corpus, or cut otherwise.
MOST_DANGLING = 0.1
_EXAMPLES = 3
# What other tools write for an id that was not there.
_ABSENT = frozenset({"none", "null", "nan", "n/a", "<na>"})


def is_another_corpus(n_lost: int, n_judged: int) -> bool:
    """Return whether so many judged ids are nowhere that the judgements belong elsewhere."""
    return n_lost > MOST_DANGLING * n_judged


def of_judgements(judged: JudgedFile, documents: TextFile, queries: TextFile) -> Iterator[Finding]:
    """Yield what does not fit between judgements, documents and queries."""
    judged_documents = {document for _, document in judged.gains}
    yield from _dangling("document", judged_documents, documents, queries, judged.file)
    yield from _dangling("query", judged.queries, queries, documents, judged.file)
    if judged.n_repeated:
        yield Finding(
            "repeated-judgement",
            None,
            None,
            f"{counted(judged.n_repeated, 'line says', 'lines say')} again what an earlier one "
            "says; keep one",
            judged.file,
        )
    yield from _unjudged(judged, queries)
    yield from _unjudged_copies(judged, documents)
    yield from _quotations(judged, documents, queries)


def of_splits(judged: JudgedFile, files: CollectionFiles) -> Iterator[Finding]:
    """Yield the splits in ``qrels/`` that judge queries which these judgements judge as well."""
    folder = files.root / "qrels"
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if path == judged.path or ".tsv" not in path.suffixes or not path.is_file():
            continue
        try:
            other = read_judged(path, files.root, [])
        except InvalidInputError as error:
            yield Finding("broken-line", None, None, str(error), str(path.relative_to(files.root)))
            continue
        both = sorted(judged.queries & other.queries)
        if both:
            yield Finding(
                "split-overlap",
                None,
                None,
                f"{len(both):,} of its {counted(len(other.queries), 'query', 'queries')} "
                f"{by_number(len(both), 'is', 'are')} judged in {judged.file} as well: "
                f"{listed(both, first=_EXAMPLES)}; what was tuned on one can't be "
                "measured on the other",
                other.file,
            )


def _dangling(
    noun: str, judged: set[str], known: TextFile, other: TextFile, file: str
) -> Iterator[Finding]:
    lost = sorted(judged.difference(known.ids))
    if not lost:
        return
    swapped = judged <= set(other.ids)
    foreign = is_another_corpus(len(lost), len(judged))
    yield Finding(
        "another-corpus" if foreign else f"dangling-{noun}",
        None,
        None,
        f"{len(lost):,} of {counted(len(judged), f'judged {noun}', f'judged {_plural(noun)}')} "
        f"{by_number(len(lost), 'is', 'are')} not in {known.file}: "
        f"{listed(lost, first=_EXAMPLES)}{_why(lost, known.ids, swapped=swapped)}",
        file,
    )


def _why(lost: Sequence[str], known: Sequence[str], *, swapped: bool) -> str:
    if swapped:
        return "; the columns of queries and documents seem to be exchanged"
    absent = sum(name.strip().lower() in _ABSENT for name in lost)
    if absent:
        return f"; {absent} of them read None, null or nan, what tools write where there is no id"
    return near_miss(lost, known) or f"; known are {listed(known[:_EXAMPLES], first=_EXAMPLES)}"


def _unjudged(judged: JudgedFile, queries: TextFile) -> Iterator[Finding]:
    known = judged.queries
    unjudged = [name for name in queries.ids if name not in known]
    if unjudged:
        yield Finding(
            "unjudged-query",
            None,
            None,
            f"{len(unjudged):,} of {counted(len(queries.ids), 'query', 'queries')} "
            f"{by_number(len(unjudged), 'has', 'have')} no judgement and "
            f"{by_number(len(unjudged), 'is', 'are')} left out of every measure: "
            f"{listed(unjudged, first=_EXAMPLES)}",
            queries.file,
        )
    relevant = judged.relevant
    asked = [name for name in queries.ids if name in known]
    bare = [name for name in asked if name not in relevant]
    if asked and len(bare) == len(asked):
        yield Finding(
            "nothing-relevant",
            None,
            None,
            "no query has a relevant document, so nothing can be measured; a gain of 1 or more "
            "says that a document is relevant",
            judged.file,
        )
    elif bare:
        yield Finding(
            "no-relevant",
            None,
            None,
            f"{counted(len(bare), 'judged query has', 'judged queries have')} no relevant "
            f"document, so recall and nDCG are undefined: {listed(bare, first=_EXAMPLES)}",
            judged.file,
        )


def _unjudged_copies(judged: JudgedFile, documents: TextFile) -> Iterator[Finding]:
    copies: dict[bytes, list[str]] = {}
    for name, digest in zip(documents.ids, documents.digests, strict=True):
        if digest is not None:
            copies.setdefault(digest, []).append(name)
    twins = {name: names for names in copies.values() if len(names) > 1 for name in names}
    found = []
    for (query, document), gain in judged.gains.items():
        if gain < 1:
            continue
        copy = next((t for t in twins.get(document, ()) if (query, t) not in judged.gains), None)
        if copy is not None:
            found.append((query, document, copy))
    if found:
        shown = ", ".join(
            f"{quoted(copy)} beside {quoted(document)} for query {quoted(query)}"
            for query, document, copy in found[:_EXAMPLES]
        )
        yield Finding(
            "unjudged-copy",
            None,
            None,
            f"{counted(len(found), 'relevant document has', 'relevant documents have')} a copy "
            f"without a judgement: {shown}; judge both, or a system that finds the copy is called "
            "wrong",
            judged.file,
        )


def _quotations(judged: JudgedFile, documents: TextFile, queries: TextFile) -> Iterator[Finding]:
    names = list(documents.texts)
    row_of = {name: row for row, name in enumerate(names)}
    quoting = Quoting(documents.texts.values())
    found = []
    for query, relevant in judged.relevant.items():
        rows = [row_of[name] for name in relevant if name in row_of]
        run = quoting.quoted_run(queries.texts.get(query, ""), rows)
        if run is not None:
            found.append((query, names[run[0]], run[1]))
    if found:
        query, document, words = found[0]
        yield Finding(
            "quotes-gold",
            None,
            None,
            f"{counted(len(found), 'query quotes', 'queries quote')} a relevant document: "
            f"{quoted(query)} quotes {quoted(document)}: {quoted(words)}"
            f"{' and so on' if len(found) > 1 else ''}; that is easier than what readers ask",
            queries.file,
        )


def _plural(noun: str) -> str:
    return "queries" if noun == "query" else f"{noun}s"
