"""Text analysis beside its peers: same texts, one thread, same run.

    python bench/bench_text.py                       # the table, peers interleaved round by round
    python bench/bench_text.py --script english german --only core gnomon
    python bench/bench_text.py --corpus ../shared/data/scifact/corpus.jsonl.gz
    pytest bench/bench_text.py --benchmark-timer=time.process_time

``core`` cuts every text in the compiled core and returns counts: what an index of raw text pays.
The others return lists of str to Python, which costs more than the cutting. Figures are megabytes
of UTF-8 a CPU second, the best of several rounds. Peers do less: none of them here normalises, and
only gnomon cuts Chinese and Japanese. They are compared with gnomon's words first, where they
should agree: on English.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gnomon as gn
from gnomon import kernels
from gnomon.machine.peers import text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gnomon.machine.work import Peer

    Analyse = Callable[[Sequence[str]], object]

BYTES = 2_000_000
BYTES_PER_TEXT = 700

# Words to draw texts from; the frequent ones of a language first, as Zipf's law has it.
WORDS = {
    "english": (
        "the of and to in is that for it as was with be by on not are from at this have The We In "
        "measured results documents retrieval probability distribution temperature PROTEIN cells "
        "Figure international relationship between significant pressure boundary layer"
    ),
    "mixed": (
        "the of and to in is that for it as “quoted” don’t naïve café 5–10 µm results documents — "
        "retrieval probability distribution temperature PROTEIN cells Zürich relationship"
    ),
    "german": (
        "der die und in den von zu das mit sich für auf ist im dem nicht Über wäre größer Straße "
        "Ergebnisse Wahrscheinlichkeit Österreich müssen Geschäftsführer früher schließlich"
    ),
    "decomposed": (
        "der die und in den von zu das mit sich fu\u0308r auf ist im dem nicht U\u0308ber "
        "wa\u0308re gro\u0308ßer Ergebnisse O\u0308sterreich mu\u0308ssen fru\u0308her"
    ),
    "russian": (
        "и в не на что с он как это но по они Результаты измерения вероятность распределение "
        "температура Документы между значительный давление граница"
    ),
    "arabic": "في من على إلى هذا التي كان أن النتائج الحرارة الوثائق كَتَبَ مُدَرِّسٌ العلاقة بين",
    "hindi": "है के में की और का से को यह पर परिणाम तापमान संभावना दस्तावेज़ हिन्दी क़ानून संबंध",
    "korean": "이 그 는 을 를 에 의 결과는 온도 확률 문서에서 검색하는 관계가 사이의 측정했다",
    "chinese": "的 了 在 是 东京塔很高 我们测量了温度 检索结果 概率分布 文档之间的关系 。 ，",
    "japanese": "の は が を に です 検索する ドキュメント テキスト 東京タワー 測定結果 ｶﾞｲﾄﾞ 。 、",
    "thai": "การทดสอบ ภาษาไทย ผู้ใช้ค้นหา เอกสาร ผลลัพธ์ อุณหภูมิ ความน่าจะเป็น",
}
NO_SPACES = {"chinese", "japanese"}


@cache
def texts_of(script: str) -> tuple[str, ...]:
    """Return texts of about `BYTES_PER_TEXT` bytes, `BYTES` in all, drawn from the words.

    The name of a corpus file (JSON lines with title and text) gives its texts instead.
    """
    if script not in WORDS:
        opened = gzip.open if script.endswith(".gz") else open
        with opened(script, "rt", encoding="utf-8") as lines:
            rows = map(json.loads, lines)
            return tuple(f"{row.get('title', '')} {row['text']}" for row in rows)
    words = np.array(WORDS[script].split())
    rng = np.random.default_rng(11)
    weights = 1.0 / np.arange(2, len(words) + 2)
    glue = "" if script in NO_SPACES else " "
    per_text = BYTES_PER_TEXT // int(np.mean([len((word + glue).encode()) for word in words]))
    drawn = rng.choice(words, (BYTES // BYTES_PER_TEXT, per_text), p=weights / weights.sum())
    return tuple(f"{glue.join(row)}." for row in drawn)


def makers() -> dict[str, Callable[[], Analyse | None]]:
    """Return the contestants by name; one that isn't installed is None."""

    def maker(peer: Peer[text.TextTask, Any]) -> Callable[[], Analyse | None]:
        if peer.package and peer.version is None:
            return lambda: None
        return lambda: lambda texts: peer.prepare(text.TextTask(texts), 1)()

    core: Analyse = lambda texts: kernels.word_counts(texts, threads=1)  # noqa: E731
    return {"core": lambda: core} | {peer.name: maker(peer) for peer in text.PEERS}


def check(name: str, analyse: Analyse) -> None:
    """Stop when a contestant cuts English in another way than gnomon."""
    texts = texts_of("english")[:100]
    expected: object = [gn.analyze(text) for text in texts]
    found = analyse(texts)
    if isinstance(found, np.ndarray):
        found, expected = found.tolist(), [len(words) for words in map(gn.analyze, texts)]
    if found != expected:
        sys.exit(f"{name} gives other words than gnomon on English")


def measured(script: str, rounds: int, only: Sequence[str]) -> dict[str, float]:
    """Return megabytes a CPU second of everyone who is installed."""
    texts = texts_of(script)
    size = sum(len(text.encode()) for text in texts)
    contestants = {
        name: analyse
        for name, make in makers().items()
        if (not only or name in only) and (analyse := make()) is not None
    }
    for name, analyse in contestants.items():
        check(name, analyse)
    least = dict.fromkeys(contestants, float("inf"))
    for _ in range(rounds):
        for name, analyse in contestants.items():
            begin = time.process_time()
            analyse(texts)
            least[name] = min(least[name], time.process_time() - begin)
    return {name: size / seconds / 1e6 for name, seconds in least.items()}


@pytest.mark.parametrize("script", WORDS)
@pytest.mark.parametrize("name", makers())
def test_analysis(benchmark: Any, script: str, name: str) -> None:
    """Time one contestant on one script; those of a script form a group."""
    benchmark.group = script
    analyse = makers()[name]()
    if analyse is None:
        pytest.skip(f"{name} is not installed")
    check(name, analyse)
    benchmark(analyse, texts_of(script))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--script", nargs="*", default=list(WORDS), help="only these texts")
    parser.add_argument("--corpus", help="only the texts of this file")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", nargs="*", default=[], help="only these contestants")
    args = parser.parse_args()
    print(f"isa {kernels.isa()}, one thread, Unicode {kernels.unicode_version()}, {sys.version}")
    for script in [args.corpus] if args.corpus else args.script:
        speeds = measured(script, args.rounds, args.only)
        print(
            script, *(f"{name} {speed:.0f}" for name, speed in speeds.items()), "MB/s", flush=True
        )


if __name__ == "__main__":
    main()
