"""``st:``: models of sentence-transformers, known by their content and asked with their prompts."""

from __future__ import annotations

import shutil
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gnomon.embedding.transformer import TransformerEmbedder
from gnomon.errors import InvalidInputError, MissingDependencyError

if TYPE_CHECKING:
    from pathlib import Path


class FakeModel:
    """What is used of ``SentenceTransformer``: its prompts, its width, and ``encode``."""

    prompts: dict[str, str] = {}  # noqa: RUF012  # as in the package
    default_prompt_name: str | None = None

    def __init__(self, model: str, *, device: str) -> None:
        assert device == "cpu"
        if model == "none":
            raise OSError("none is not a local folder\nand more lines")
        self.asked: list[str] = []

    def get_embedding_dimension(self) -> int:
        """Return the width under its present name."""
        return 2

    def get_sentence_embedding_dimension(self) -> int:
        """Warn, as the package does of the old name."""
        raise AssertionError("the old name warns")

    def encode(self, texts: list[str], *, prompt: str | None = None, **_: Any) -> Any:
        """Put the default prompt before each text unless one is given, as the package does."""
        if prompt is None and self.default_prompt_name:
            prompt = self.prompts[self.default_prompt_name]
        self.asked += [(prompt or "") + text for text in texts]
        return np.array([[len(text), 1.0] for text in texts])


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> type[FakeModel]:
    """Put a model of a few lines in the place of the package."""
    module = ModuleType("sentence_transformers")
    model = type("Model", (FakeModel,), {})
    module.SentenceTransformer = model  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    return model


def test_vectors(package: type[FakeModel]) -> None:
    """Float32, one row a text, no row for no text."""
    embedder = TransformerEmbedder("some/model")
    assert embedder.profile.id == "sentence-transformers/some/model"
    assert embedder.profile.revision is None
    assert embedder.embed_documents(["ab", "c"]).tolist() == [[2, 1], [1, 1]]
    assert embedder.embed_questions(["ab"]).dtype == np.float32
    assert embedder.embed_questions([]).shape == (0, 2)


def test_the_prompts_of_the_model_are_its_prefixes(package: type[FakeModel]) -> None:
    """Recorded in the profile, each put once, whatever the model's default is."""
    package.prompts = {"query": "query: ", "passage": "passage: ", "document": ""}
    package.default_prompt_name = "query"
    embedder = TransformerEmbedder("e5")
    profile = embedder.profile
    assert (profile.query_prefix, profile.document_prefix) == ("query: ", "passage: ")
    embedder.embed_questions(["q"])
    embedder.embed_documents(["d"])
    assert embedder._model.asked == ["query: q", "passage: d"]
    plain = TransformerEmbedder("e5", query_prefix="", document_prefix="")
    plain.embed_questions(["q"])
    assert plain._model.asked == ["q"]


def test_a_folder_is_known_by_its_content(package: type[FakeModel], tmp_path: Path) -> None:
    """Where it lies does not matter, and is not recorded; one byte of a file does."""
    first = tmp_path / "ann" / "minilm"
    (first / "1_Pooling").mkdir(parents=True)
    (first / "model.safetensors").write_bytes(b"weights")
    (first / "1_Pooling" / "config.json").write_text("{}", encoding="utf-8")
    second = tmp_path / "bob" / "minilm"
    shutil.copytree(first, second)
    one, two = (TransformerEmbedder(str(place)).profile for place in (first, second))
    assert one == two
    assert one.id == "sentence-transformers/minilm"
    (second / "model.safetensors").write_bytes(b"others!")
    assert TransformerEmbedder(str(second)).profile.fingerprint != one.fingerprint


def test_refusals(package: type[FakeModel], monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that cannot be loaded, and a package that is not there: one line each."""
    with pytest.raises(InvalidInputError, match=r"cannot load 'none': none is not a local folder$"):
        TransformerEmbedder("none")
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingDependencyError, match=r"gnomon\[sentence-transformers\]"):
        TransformerEmbedder("some/model")
