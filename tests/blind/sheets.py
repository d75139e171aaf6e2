"""Small sheets for tests of the judge's page, and readings that were made to harm."""

from __future__ import annotations

import wave
from pathlib import Path

from gnomon.blind.sheet import Sheet, Spot, Verdict, write_sheet

HOSTILE = (
    "<script>document.title = 'taken over'</script>",
    "</textarea></p><img src=x onerror=\"document.title='taken over'\">",
    "\u202egnidaer desrever a\u202c and more",
    "long word " * 500,
    "👩‍👩‍👧‍👦 family, 🏴󠁧󠁢󠁥󠁮󠁧󠁿 flag, é accent",
    "مرحبا بالعالم 123",
    "שלום עולם 45%",
    "東京都の天気",
    "今天天气很好",
    "=1+2",
    "${alert(1)} {{7*7}} %s",
    "",
)


def sheet_of(readings: list[tuple[str, str]], *, times: bool = True) -> Sheet:
    """Return an unfilled sheet of these readings x and y, one second apart."""
    spots = tuple(
        Spot(
            number=number,
            time=float(number) if times else None,
            left_context=f"before {number}",
            x=x,
            y=y,
        )
        for number, (x, y) in enumerate(readings, start=1)
    )
    return Sheet("draw-0123456789abcdef", "a" * 64, "b" * 64, spots)


def written(path: Path, n: int, *, verdicts: dict[int, Verdict] | None = None) -> Path:
    """Write a sheet of ``n`` spots, hostile readings among them, and return its path."""
    readings = [(HOSTILE[i % len(HOSTILE)], f"plain reading {i}") for i in range(n)]
    sheet = sheet_of([pair if i % 2 else pair[::-1] for i, pair in enumerate(readings)])
    for number, verdict in (verdicts or {}).items():
        sheet = sheet.with_verdict(number, verdict)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_sheet(path, sheet)
    return path


def silence(path: Path, seconds: int) -> Path:
    """Write a recording of so many seconds: 8 kHz, one byte a sample."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8000)
        file.writeframes(b"\x80" * 8000 * seconds)
    return path
