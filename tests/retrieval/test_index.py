"""The index that is served: the verdict, its channels, scopes and excerpts."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.retrieval.docs import PAGES, SubjectEmbedder, build, write_pages

from gnomon.errors import InvalidInputError, MismatchError, UsageError
from gnomon.retrieval.gate_score import expected_best, standard_score
from gnomon.retrieval.index import Index
from gnomon.retrieval.ranking import fuse
from gnomon.retrieval.turns import wordings_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Write the pages."""
    return write_pages(tmp_path / "docs")


@pytest.fixture
def index(docs: Path, tmp_path: Path) -> Index:
    """Return an index with vectors."""
    build(docs, tmp_path / "index", SubjectEmbedder())
    return Index.open(tmp_path / "index", embedder=SubjectEmbedder())


@pytest.fixture
def lexical(docs: Path, tmp_path: Path) -> Index:
    """Return an index without vectors."""
    build(docs, tmp_path / "lexical", None)
    return Index.open(tmp_path / "lexical")


class TestVerdict:
    """One question."""

    def test_the_parts_of_the_score(self, index: Index) -> None:
        """G = 0.75 D + 0.25 L, D from the best cosine through the provisional window."""
        verdict = index.evaluate("How do I rotate a key?")
        score = verdict.score
        assert score.dense is not None
        assert score.cosine is not None
        assert score.dense == min(max((score.cosine - 0.44) / (0.64 - 0.44), 0.0), 1.0)
        assert score.total == 0.75 * score.dense + 0.25 * score.lexical
        assert (verdict.passes, verdict.threshold, verdict.source) == (True, 0.30, "provisional")
        assert verdict.closest_pages[0] == "guide/keys"
        assert verdict.chunks[0].page == "guide/keys"

    def test_coverage_is_of_content_terms_in_the_best_three(self, lexical: Index) -> None:
        """'rotate' and 'key' are there, 'borscht' is not; function words do not count."""
        verdict = lexical.evaluate("How do I rotate a key for borscht?")
        assert verdict.score.lexical == pytest.approx(2 / 3)
        assert verdict.score.total == verdict.score.lexical
        assert (verdict.score.dense, verdict.threshold) == (None, 0.30)

    def test_nothing_known(self, lexical: Index) -> None:
        """No term of the question occurs: nothing is found, nothing is shown."""
        verdict = lexical.evaluate("borscht recipe")
        assert (verdict.passes, verdict.score.total, verdict.chunks) == (False, 0.0, ())
        assert (verdict.cause, verdict.closest_pages) == ("no-evidence", ())

    @pytest.mark.parametrize(
        ("mode", "dense", "refuses"),
        [
            ("off", True, False),
            ("calibrated", True, True),
            ("calibrated", False, True),
            ("dense-only", True, True),
            ("dense-only", False, False),
        ],
    )
    def test_modes(self, docs: Path, tmp_path: Path, mode: str, dense: bool, refuses: bool) -> None:
        """The verdict is always scored; the mode says whether it is acted upon."""
        embedder = SubjectEmbedder() if dense else None
        build(docs, tmp_path / "index", embedder, guard_mode=mode)
        verdict = Index.open(tmp_path / "index", embedder=embedder).evaluate("borscht recipe")
        assert (verdict.passes, verdict.refuses, verdict.mode) == (False, refuses, mode)

    def test_standard_score(self, docs: Path, tmp_path: Path) -> None:
        """In zscore mode the best cosine is compared with those of all chunks."""
        build(docs, tmp_path / "index", SubjectEmbedder(), dense_mode="zscore")
        index = Index.open(tmp_path / "index", embedder=SubjectEmbedder())
        score = index.evaluate("rotate a key").score
        stored = np.load(tmp_path / "index" / "vectors.npy").astype(np.float64)
        vector = SubjectEmbedder().embed_questions(["rotate a key"])[0].astype(np.float64)
        cosines = stored @ vector / np.linalg.norm(stored, axis=1) / np.linalg.norm(vector)
        z = standard_score(cosines.astype(np.float32), float(cosines.max().astype(np.float32)))
        assert score.z == pytest.approx(z, rel=1e-5)
        expected = min(max((z - expected_best(len(index))) / 3, 0), 1)
        assert score.dense == pytest.approx(expected, abs=1e-5)


class TestFollowUps:
    """A question that leans on the one before it."""

    BEFORE = ("How do I revoke a key?",)

    def test_a_term_in_the_evidence(self, lexical: Index) -> None:
        """'and for backend calls?' is admitted: 'backend' stands in what the pair finds."""
        verdict = lexical.evaluate("and for backend calls?", previous=self.BEFORE)
        assert (verdict.admissible, verdict.admitted_by) == (True, "term")
        assert verdict.passes

    def test_no_term_in_the_evidence(self, lexical: Index) -> None:
        """'and for AWS S3 buckets?' is not, though the pair would find a page."""
        verdict = lexical.evaluate("and for AWS S3 buckets?", previous=self.BEFORE)
        assert (verdict.admissible, verdict.admitted_by, verdict.channel) == (False, None, "raw")
        assert not verdict.passes

    def test_function_words_only(self, lexical: Index) -> None:
        """A question without content leans wholly on the one before."""
        verdict = lexical.evaluate("and what about that?", previous=self.BEFORE)
        assert (verdict.admitted_by, verdict.channel) == ("no content terms", "with-last")
        assert verdict.passes

    def test_another_script(self, index: Index, lexical: Index) -> None:
        """A Russian follow-up on English pages abstains to the dense channel, if there is one."""
        question = "а для бэкенда?"
        assert index.evaluate(question, previous=self.BEFORE).admitted_by == "another script"
        assert lexical.evaluate(question, previous=self.BEFORE).admissible is False

    def test_chains(self, lexical: Index) -> None:
        """A chain leans back two turns when the turn between was itself composed."""
        chain = ("How do I revoke a key?", "and what about that?")
        verdict = lexical.evaluate("and for this?", previous=chain)
        assert (verdict.channel, verdict.passes) == ("with-last-two", True)
        longer = lexical.evaluate("and then?", previous=(*chain, "and for this?"))
        assert longer.admitted_by == "no content terms"

    def test_never_less_than_alone(self, index: Index) -> None:
        """Composing never adds a refusal."""
        for question in ("borscht", "rotate a key", "and then?", "timeouts of calls"):
            alone = index.evaluate(question).score.total
            for before in ("borscht recipe", "How do I revoke a key?"):
                assert index.evaluate(question, previous=[before]).score.total >= alone

    def test_vectors_for_every_wording(self, index: Index) -> None:
        """Given vectors must cover every wording; then nothing is embedded."""
        questions = ["How do I revoke a key?", "and what about that?", "and for this?"]
        texts = wordings_of(questions)
        assert len(texts) == 6
        given = dict(zip(texts, SubjectEmbedder().embed_questions(texts), strict=True))
        index.embedder = None
        index.evaluate(questions[-1], previous=questions[:-1], vectors=given)
        del given[texts[-1]]
        with pytest.raises(InvalidInputError, match="no vector is given for the text"):
            index.evaluate(questions[-1], previous=questions[:-1], vectors=given)


class TestScope:
    """A question about a part of the pages."""

    def test_out_of_scope_is_told_from_no_evidence(self, lexical: Index) -> None:
        """The trail is explained elsewhere; borscht nowhere."""
        elsewhere = lexical.evaluate("export the trail as CSV", scope=["guide"])
        assert (elsewhere.passes, elsewhere.would_pass_unscoped) == (False, True)
        assert elsewhere.cause == "out-of-scope"
        nowhere = lexical.evaluate("borscht recipe", scope=["guide"])
        assert (nowhere.would_pass_unscoped, nowhere.cause) == (False, "no-evidence")

    @pytest.mark.parametrize("name", ["index", "lexical"])
    def test_nothing_out_of_scope_leaves(self, name: str, request: pytest.FixtureRequest) -> None:
        """Neither excerpts nor their neighbours nor closest pages."""
        asked: Index = request.getfixturevalue(name)
        for question in ("call key audit trail", "export it", "timeouts"):
            verdict = asked.evaluate(question, scope=["/guide/calls"])
            assert {chunk.page for chunk in verdict.chunks} <= {"guide/calls"}
            assert set(verdict.closest_pages) <= {"guide/calls"}
            assert all(i.startswith("guide/calls#") for c in verdict.chunks for i in c.also)

    def test_an_empty_scope(self, lexical: Index) -> None:
        """A scope that matches no page is a mistake."""
        with pytest.raises(InvalidInputError, match="no page of the index lies in the scope nope"):
            lexical.evaluate("keys", scope=["nope"])


class TestExcerpts:
    """What a question is answered from."""

    def test_a_short_chunk_brings_the_next(self, lexical: Index) -> None:
        """Its neighbour on the page, unless that is picked itself."""
        (first, *_) = lexical.search("retried twice", 1)
        assert (first.id, first.also) == ("guide/calls#retries", ())  # the last of its page
        (first, *_) = lexical.search("ten seconds", 1)
        assert (first.id, first.also) == ("guide/calls#timeouts", ("guide/calls#retries",))
        assert first.text.endswith("A call is retried twice.")

    def test_page_cap(self, tmp_path: Path) -> None:
        """Without vectors at most two of a page come before others, filled up to k."""
        many = "# Many\n\n" + "\n\n".join(f"## Part {i}\n\nshared words {i}" for i in range(6))
        docs = write_pages(
            tmp_path / "docs", {"many.md": many, "one.md": "# One\n\nshared words here"}
        )
        build(docs, tmp_path / "index", None)
        index = Index.open(tmp_path / "index")
        pages = [chunk.page for chunk in index.search("shared words", 3)]
        assert sorted(pages) == ["many", "many", "one"]
        assert len(index.search("shared words", 6)) == 6

    def test_lambda_one_keeps_the_fused_order(self, index: Index) -> None:
        """Without variety to ask for, what both channels found together is handed over."""
        question = "audit of a call"
        vector = SubjectEmbedder().embed_questions([question])[0]
        won = index.judge([question], {question: vector}, None).won
        fused = [index.chunks[row].id for row in fuse(won.findings, index.levers)]
        assert [chunk.id for chunk in index.search(question, 5)] == fused[:5]

    @pytest.mark.usefixtures("index")
    def test_a_lever_ranks_the_pool_by_cosine(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As MMR has it at lambda 1."""
        monkeypatch.setenv("GNOMON_DENSE_RERANK", "1")
        reranking = Index.open(tmp_path / "index", embedder=SubjectEmbedder())
        cosines = [chunk.cosine for chunk in reranking.search("audit of a call", 5)]
        assert cosines == sorted(cosines, reverse=True)  # type: ignore[type-var]

    def test_k(self, index: Index) -> None:
        """GATE_K by default; never more than is asked for; at least one."""
        assert len(index.search("key call audit")) == 5
        assert len(index.search("key call audit", 2)) == 2
        with pytest.raises(UsageError, match="k is 0"):
            index.search("key", 0)


class TestOpening:
    """What fits together."""

    @pytest.mark.usefixtures("index")
    def test_another_model(self, tmp_path: Path) -> None:
        """Vectors of two models do not mix, whatever their width."""
        with pytest.raises(MismatchError, match="vectors of two models do not mix"):
            Index.open(tmp_path / "index", embedder=SubjectEmbedder("other"))

    def test_no_embedder(self, index: Index, tmp_path: Path) -> None:
        """Then questions come with their vectors."""
        opened = Index.open(tmp_path / "index")
        with pytest.raises(UsageError, match="open it with an embedder"):
            opened.evaluate("keys")
        vector = SubjectEmbedder().embed_questions(["keys"])[0]
        assert opened.evaluate("keys", vectors=vector) == index.evaluate("keys")
        with pytest.raises(InvalidInputError, match="holds vectors of 5 dimensions"):
            opened.evaluate("keys", vectors=vector[:3])

    def test_blank_questions(self, index: Index) -> None:
        """They are no questions."""
        for asked in (lambda: index.evaluate(" "), lambda: index.search("\n")):
            with pytest.raises(UsageError, match="blank"):
                asked()

    @pytest.mark.usefixtures("index")
    def test_environment_beats_the_index(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Levers are read when the index is opened."""
        monkeypatch.setenv("GNOMON_GATE_K", "1")
        opened = Index.open(tmp_path / "index", embedder=SubjectEmbedder())
        assert len(opened.evaluate("key call audit").chunks) == 1
        assert opened.levers.values["GATE_K"].source == "environment"

    def test_threads_share_it(self, index: Index) -> None:
        """Answers are those of one thread."""
        questions = [text.split("\n")[-1] for text in PAGES.values()] * 8
        alone = [index.evaluate(q) for q in questions]
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(index.evaluate, questions)) == alone
        assert replace(alone[0], passes=False) != alone[0]
