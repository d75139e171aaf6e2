"""From the URI of an embedder to the embedder."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gnomon.embedding.profile import Profile
from gnomon.errors import InvalidInputError, UsageError
from gnomon.kernels import default_threads
from gnomon.sources.collection import read_description
from gnomon.sources.config import Config
from gnomon.sources.files import shown
from gnomon.sources.jsonl import read_records
from gnomon.sources.vectors import read_vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gnomon.embedding.embedder import Embedder
    from gnomon.kernels import Analyzer

SCHEMES: Final = ("precomputed", "wordllama", "use", "st", "openai", "ollama", "lsa")
# Those that ask another machine.
ENDPOINT_SCHEMES: Final = ("openai", "ollama")
OPENAI_KEY_VARIABLES: Final = ("GNOMON_OPENAI_API_KEY", "OPENAI_API_KEY")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What an embedder may need beside its URI.

    Attributes
    ----------
    config
        Names the hosts of endpoints.
    environment
        Holds the keys.
    project_variables
        Variables that come with the checkout and not from the shell.
    texts
        The texts of the corpus, in order: ``lsa:`` is fitted on them and ``precomputed:`` has a row
        for each.
    analyzer
        Cuts texts into terms for ``lsa:``.
    stored
        The folder in which an index keeps its ``lsa:`` model, once fitted.
    """

    config: Config
    environment: Mapping[str, str]
    project_variables: frozenset[str] = frozenset()
    texts: Sequence[str] | None = None
    analyzer: Analyzer | None = None
    stored: Path | None = None


def check_uri(uri: str) -> None:
    """Refuse a URI that names no embedder, before any work starts.

    Raises
    ------
    UsageError
        When it has no known scheme, or lacks its part behind the colon.
    """
    scheme, colon, rest = uri.partition(":")
    if not colon or scheme not in _OPENERS:
        raise UsageError(
            f"the embedder {uri!r} is none of "
            + ", ".join(f"{name}:" for name in SCHEMES)
            + "; try wordllama: (offline, with gnomon[demo]) or lsa:128 (no model at all)"
        )
    if not rest and scheme in _AS:
        raise UsageError(f"the embedder {uri!r} lacks what follows the colon, as in {_AS[scheme]}")
    if scheme == "lsa" and (not rest.isdecimal() or int(rest) < 1):
        raise UsageError(f"the embedder {uri!r} names no number of dimensions, as in lsa:128")


def open_embedder(uri: str, around: Surroundings) -> Embedder:
    """Return the embedder that a URI names.

    Raises
    ------
    UsageError
        When the URI names none.
    """
    check_uri(uri)
    scheme, _, rest = uri.partition(":")
    return _OPENERS[scheme](rest, around)


_AS: Final = {
    "precomputed": "precomputed:vectors.npy",
    "st": "st:sentence-transformers/all-MiniLM-L6-v2",
    "openai": "openai:text-embedding-3-small",
    "ollama": "ollama:nomic-embed-text",
    "lsa": "lsa:128",
}


def _wordllama(_rest: str, _around: Surroundings) -> Embedder:
    from gnomon.embedding.offline import WordLlamaEmbedder  # noqa: PLC0415  # an extra

    return WordLlamaEmbedder()


def _use(_rest: str, _around: Surroundings) -> Embedder:
    from gnomon.embedding.offline import UniversalSentenceEmbedder  # noqa: PLC0415  # an extra

    return UniversalSentenceEmbedder(threads=default_threads())


def _transformer(rest: str, _around: Surroundings) -> Embedder:
    from gnomon.embedding.transformer import TransformerEmbedder  # noqa: PLC0415  # an extra

    return TransformerEmbedder(rest)


def _lsa(rest: str, around: Surroundings) -> Embedder:
    from gnomon.embedding.lsa import LsaEmbedder  # noqa: PLC0415  # SciPy is slow to import

    if around.texts is not None:
        return LsaEmbedder.fit(around.texts, int(rest), analyzer=around.analyzer)
    if around.stored is None or around.analyzer is None:
        raise UsageError("lsa: is fitted on a corpus; it embeds questions behind its own index")
    return LsaEmbedder.load(around.stored, analyzer=around.analyzer)


def _precomputed(rest: str, around: Surroundings) -> Embedder:
    from gnomon.embedding.stored import StoredEmbedder  # noqa: PLC0415  # beside the others

    path = Path(rest)
    source = read_vectors(path, name="vectors")
    beside = path.with_suffix(".texts.jsonl")
    if beside.exists():
        texts: Sequence[str] = [_text_of(record.fields) for record in read_records(beside)]
    elif around.texts is not None:
        texts = around.texts
    else:
        raise InvalidInputError(
            f"{shown(path)}: whose vectors are these? Questions are looked up by text; list the "
            f'texts in row order in {shown(beside)}, one {{"text": ...}} a line'
        )
    return StoredEmbedder(_profile_beside(path, source.dim), texts, source.array, where=shown(path))


def _text_of(fields: Mapping[str, Any]) -> str:
    return str(fields.get("text", ""))


def _profile_beside(path: Path, dim: int) -> Profile:
    """Return the profile of ``NAME.json``, for ``NAME.npy`` and ``NAME.corpus.npy`` alike."""
    name = path.with_suffix("")
    for stem in (name, name.with_suffix("")):
        described = stem.with_name(f"{stem.name}.json")
        if described.is_file():
            info = read_description(described)
            return Profile.from_embedding_info(info, where=shown(described), name=stem.name)
    return Profile(f"precomputed/{name.name}", dim)


def _openai(rest: str, around: Surroundings) -> Embedder:
    from gnomon.embedding.remote import OPENAI_HOST, openai_embedder  # noqa: PLC0415  # an extra

    endpoint = _endpoint("endpoint.openai", OPENAI_HOST, around, keys=OPENAI_KEY_VARIABLES)
    return openai_embedder(endpoint, rest)


def _ollama(rest: str, around: Surroundings) -> Embedder:
    from gnomon.embedding.remote import OLLAMA_HOST, ollama_embedder  # noqa: PLC0415  # an extra

    return ollama_embedder(_endpoint("endpoint.ollama", OLLAMA_HOST, around, keys=()), rest)


def _endpoint(name: str, default: str, around: Surroundings, *, keys: Sequence[str]) -> Any:
    from gnomon.embedding.endpoint import Host, JsonEndpoint, Key  # noqa: PLC0415  # an extra

    setting = around.config.resolve(
        name, environment=around.environment, project_variables=around.project_variables
    )
    host = Host(str(setting.value or default).rstrip("/"), setting.origin)
    found = next((v for v in keys if around.environment.get(v)), None)
    if found is None or not host.takes_keys:
        return JsonEndpoint(host)
    return JsonEndpoint(host, key=Key(found, around.environment[found]))


_OPENERS: Final[Mapping[str, Callable[[str, Surroundings], Embedder]]] = {
    "precomputed": _precomputed,
    "wordllama": _wordllama,
    "use": _use,
    "st": _transformer,
    "openai": _openai,
    "ollama": _ollama,
    "lsa": _lsa,
}


def surroundings(
    config: Config | None = None, environment: Mapping[str, str] | None = None
) -> Surroundings:
    """Return plain surroundings: the given configuration, or none, and ``os.environ``."""
    return Surroundings(config or Config(), os.environ if environment is None else environment)
