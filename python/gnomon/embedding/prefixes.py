"""Which well-known model families need a prefix, and a warning when a profile lacks it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.types import Caveat

if TYPE_CHECKING:
    from gnomon.embedding.profile import Profile


@dataclass(frozen=True, slots=True)
class PrefixedFamily:
    """A family of models that was trained with a text in front of its inputs.

    ``pattern`` is searched in the lower-cased profile id; the first family that matches is used.
    An empty prefix means that this side takes none.
    """

    name: str
    pattern: str
    query_prefix: str
    document_prefix: str
    source: str


# The last five were compared with texts of the makers or of MTEB; those of Arctic v2 and of GTE
# (Qwen) with texts that quote a model card. Order matters: an instruction-tuned variant stands
# before the family it comes from.
FAMILIES: tuple[PrefixedFamily, ...] = (
    PrefixedFamily(
        "E5 instruct",
        r"(?<![a-z0-9])e5(?![a-z0-9]).*(instruct|mistral)",
        "Instruct: ",
        "",
        "model card of intfloat/multilingual-e5-large-instruct",
    ),
    PrefixedFamily(
        "E5",
        r"(?<![a-z0-9])e5(?![a-z0-9])",
        "query: ",
        "passage: ",
        "model card of intfloat/e5-small-v2, FAQ 1",
    ),
    PrefixedFamily(
        "nomic-embed-text",
        r"nomic-embed-text",
        "search_query: ",
        "search_document: ",
        "model card of nomic-ai/nomic-embed-text-v1.5, Usage",
    ),
    PrefixedFamily(
        "BGE v1 (English)",
        r"\bbge-(small|base|large)-en\b",
        "Represent this sentence for searching relevant passages: ",
        "",
        "model card of BAAI/bge-base-en-v1.5, Usage; MTEB's bge_models.py",
    ),
    PrefixedFamily(
        "mxbai-embed-large",
        r"mxbai-embed-large",
        "Represent this sentence for searching relevant passages: ",
        "",
        "model card of mixedbread-ai/mxbai-embed-large-v1, Quickstart; mixedbread.ai",
    ),
    PrefixedFamily(
        "Arctic Embed v2",
        r"snowflake-arctic-embed.*v2",
        "query: ",
        "",
        "model card of Snowflake/snowflake-arctic-embed-m-v2.0, Usage",
    ),
    PrefixedFamily(
        "Arctic Embed v1",
        r"snowflake-arctic-embed",
        "Represent this sentence for searching relevant passages: ",
        "",
        "model card of Snowflake/snowflake-arctic-embed-m, Usage; MTEB's arctic_models.py",
    ),
    PrefixedFamily(
        "GTE instruct (Qwen)",
        r"\bgte-qwen",
        "Instruct: ",
        "",
        "model card of Alibaba-NLP/gte-Qwen2-7B-instruct, Usage",
    ),
)


def family_of(profile_id: str) -> PrefixedFamily | None:
    """Return the prefixed family that a model id belongs to, or None.

    Models that need no prefix (``all-MiniLM``, ``bge-m3``, ``gte-base`` ...) give None.

    Examples
    --------
    >>> family_of("intfloat/e5-base-v2").document_prefix
    'passage: '
    >>> family_of("thenlper/gte-base") is None
    True
    """
    lowered = profile_id.lower()
    return next((family for family in FAMILIES if re.search(family.pattern, lowered)), None)


def missing_prefix_warnings(profile: Profile) -> tuple[Caveat, ...]:
    """Return one warning per side (query, document) whose usual prefix the profile lacks.

    A wrong prefix raises no error anywhere: it only lowers retrieval quality, which then looks
    like a weak model. Only the start of the recorded prefix is compared, since instruction-tuned
    models put a task text behind it.

    Returns
    -------
    tuple of Caveat
        Code ``missing_prefix``; empty for a model that is not known or needs no prefix.
    """
    family = family_of(profile.id)
    if family is None:
        return ()
    sides = (
        ("query", family.query_prefix, profile.query_prefix),
        ("document", family.document_prefix, profile.document_prefix),
    )
    return tuple(
        Caveat(
            "missing_prefix",
            f"model {profile.id!r} looks like {family.name}, whose {side} texts start with "
            f"{expected!r} ({family.source}), but its profile records the {side} prefix "
            f"{recorded!r}; check how the vectors were made",
        )
        for side, expected, recorded in sides
        if not recorded.strip().startswith(expected.strip())
    )
