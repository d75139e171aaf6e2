"""What the judge's page answers to those whom it knows: the sheet, its verdicts, one recording."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gnomon.blind.page import ASSETS, AUDIO_TYPES, PAGE, checked_audio
from gnomon.blind.sheet import read_sheet, write_sheet
from gnomon.errors import UsageError
from tests.blind.asking import Visit, visit
from tests.blind.sheets import HOSTILE, silence, written


@pytest.fixture
def page(tmp_path: Path) -> Visit:
    """Open the page of a sheet of twelve spots."""
    return visit(written(tmp_path / "sheet.csv", 12))


def test_the_sheet_and_nothing_else(page: Visit) -> None:
    """Every spot with its six cells; no draw, no plan, no hash, no name of a file."""
    answer = page.get("sheet")
    found = answer.json()
    sheet = read_sheet(page.sheet)
    assert sorted(found) == ["audio", "spots"]
    assert [sorted(spot) for spot in found["spots"]] == [
        ["left_context", "number", "time", "verdict", "x", "y"]
    ] * 12
    assert [(spot["x"], spot["y"]) for spot in found["spots"]] == [
        (spot.x, spot.y) for spot in sheet.spots
    ]
    assert {spot["y"] for spot in found["spots"][::2]} <= set(HOSTILE)
    for secret in (sheet.draw, sheet.plan, sheet.secret_sha256, page.sheet.name):
        assert secret not in answer.text


def test_the_key_is_never_opened(page: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key beside the sheet isn't touched, whatever is asked."""
    key = page.sheet.with_name("key.json")
    key.write_text("the secret", encoding="utf-8")
    key.chmod(0)
    opened: list[str] = []
    monkeypatch.setattr("gnomon.blind.sheet.read_bounded", _noting(opened))
    page.get("sheet")
    page.judge(1, "x")
    assert set(opened) == {str(page.sheet)}
    for name in ("key.json", "../key.json", "%2e%2e/key.json", "audio/../../key.json"):
        assert page.get(name).status_code == 404


def _noting(opened: list[str]) -> object:
    from gnomon.sources.files import read_bounded

    def read(path: Path, *, limit: int) -> bytes:
        opened.append(str(path))
        return read_bounded(path, limit=limit)

    return read


def test_a_verdict_is_saved_and_answered(page: Visit) -> None:
    """The answer holds all verdicts as they are on the disk."""
    answer = page.judge(3, "cannot_tell")
    assert answer.json() == {"verdicts": [None, None, "cannot_tell", *[None] * 9]}
    assert read_sheet(page.sheet).spots[2].verdict == "cannot_tell"
    assert page.judge(3, None, "cannot_tell").json()["verdicts"] == [None] * 12
    assert page.get("verdicts").json() == {"verdicts": [None] * 12}


def test_a_verdict_of_another_window_comes_back(page: Visit) -> None:
    """409 with the verdicts that stand; the first one stays on the disk."""
    page.judge(1, "x")
    refused = page.judge(1, "y")
    assert refused.status_code == 409
    assert refused.json()["kind"] == "judged_elsewhere"
    assert refused.json()["verdicts"][0] == "x"
    assert read_sheet(page.sheet).spots[0].verdict == "x"


def test_a_changed_sheet_is_told(page: Visit) -> None:
    """409 with what has changed, and not where the file is."""
    other = written(page.sheet.with_name("other.csv"), 11)
    write_sheet(page.sheet, read_sheet(other))
    for answer in (page.get("sheet"), page.get("verdicts"), page.judge(1, "x")):
        assert answer.status_code == 409
        assert answer.json() == {
            "kind": "changed",
            "problem": "it has 11 spots now, and had 12",
        }


def test_a_verdict_that_cannot_be_saved_is_told(
    page: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """507 with the reason; the page never shows what is not on the disk."""
    before = page.sheet.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gnomon.sources.atomic.os.fsync", full)
    answer = page.judge(1, "x")
    assert (answer.status_code, answer.json()["kind"]) == (507, "not_saved")
    assert answer.json()["problem"] == "No space left on device"
    assert page.sheet.read_bytes() == before


@pytest.mark.parametrize(
    "body",
    [
        [],
        "x",
        {},
        {"number": 1, "verdict": "x"},
        {"number": 1, "verdict": "x", "was": None, "key": 1},
        {"number": "1", "verdict": "x", "was": None},
        {"number": True, "verdict": "x", "was": None},
        {"number": 1.5, "verdict": "x", "was": None},
        {"number": 0, "verdict": "x", "was": None},
        {"number": 13, "verdict": "x", "was": None},
        {"number": 10**30, "verdict": "x", "was": None},
        {"number": 1, "verdict": "both", "was": None},
        {"number": 1, "verdict": "X", "was": None},
        {"number": 1, "verdict": ["x"], "was": None},
        {"number": 1, "verdict": "x", "was": "both"},
    ],
)
def test_only_verdicts_are_taken(page: Visit, body: object) -> None:
    """Anything else is refused with a sentence, and the sheet keeps its bytes."""
    before = page.sheet.read_bytes()
    answer = page.post("verdict", body)
    assert answer.status_code == 400
    assert answer.text.endswith("\n")
    assert page.sheet.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[" * 4000])
def test_a_body_that_is_no_json(page: Visit, content: bytes) -> None:
    """Refused, deep nesting included."""
    path = f"{page.door.root}verdict"
    sent = {"content-type": "application/json"}
    assert page.ask("POST", path, content=content, headers=sent).status_code == 400


def test_a_form_is_no_verdict(page: Visit) -> None:
    """What another site could send without asking is not even read."""
    content = json.dumps({"number": 1, "verdict": "x", "was": None})
    for kind in ("text/plain", "application/x-www-form-urlencoded", None):
        answer = page.ask(
            "POST", f"{page.door.root}verdict", content=content, headers={"content-type": kind}
        )
        assert answer.status_code == 415


def test_finish_is_told(page: Visit) -> None:
    """The server sees that the judge is done; a plain visit is no end."""
    page.get("sheet")
    assert not page.attendance.finished
    assert page.post("finish", {}).status_code == 200
    assert page.attendance.finished


def test_all_judged_is_seen(tmp_path: Path) -> None:
    """Whether anything is open is known after every reading of the sheet."""
    page = visit(written(tmp_path / "sheet.csv", 2, verdicts={1: "x"}))
    page.get("sheet")
    assert not page.attendance.all_judged
    page.judge(2, "y")
    assert page.attendance.all_judged
    page.judge(2, None, "y")
    assert not page.attendance.all_judged


@pytest.mark.parametrize("name", ["", *ASSETS])
def test_assets_hold_no_text_of_the_sheet(page: Visit, name: str) -> None:
    """The files of the page are the same for every sheet, and ask nothing of other servers."""
    answer = page.get(name)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(ASSETS.get(name, "text/html"))
    assert "plain reading" not in answer.text
    outside = answer.text.replace("http://www.w3.org/2000/svg", "")
    assert "://" not in outside
    assert "innerHTML" not in answer.text
    assert PAGE not in answer.text


@pytest.mark.parametrize(
    ("method", "name"),
    [("GET", "verdict"), ("GET", "finish"), ("POST", "sheet"), ("PUT", "verdict"), ("POST", "")],
)
def test_methods(page: Visit, method: str, name: str) -> None:
    """Nothing is changed by a GET, and nothing is read by a POST."""
    answer = page.ask(method, f"{page.door.root}{name}", headers={"content-length": "0"})
    assert answer.status_code == 405


# -- the recording ---------------------------------------------------------------------------------


@pytest.fixture
def heard(tmp_path: Path) -> Visit:
    """Open the page of a sheet with a recording of four seconds."""
    return visit(written(tmp_path / "sheet.csv", 3), silence(tmp_path / "talk.wav", 4))


def test_the_recording_by_ranges(heard: Visit) -> None:
    """A player that seeks asks for bytes from the middle and gets just those."""
    whole = heard.get("audio")
    assert (whole.status_code, whole.headers["content-type"]) == (200, "audio/wav")
    assert whole.headers["accept-ranges"] == "bytes"
    part = heard.get("audio", headers={"range": "bytes=100-199"})
    assert part.status_code == 206
    assert part.content == whole.content[100:200]
    assert part.headers["content-range"] == f"bytes 100-199/{len(whole.content)}"
    assert heard.get("audio", headers={"range": "bytes=99999999-"}).status_code == 416
    assert heard.get("sheet").json()["audio"] is True
    assert "talk" not in str(whole.headers)


@pytest.mark.parametrize(
    "name",
    [
        "audio/",
        "audio/sheet.csv",
        "audio/../sheet.csv",
        "audio/..%2fsheet.csv",
        "audio/%2e%2e/%2e%2e/sheet.csv",
        "audio%00",
        "audio//etc/passwd",
        "audio/%2fetc%2fpasswd",
        "..%2f..%2fetc%2fpasswd",
        "judge.css/../../sheet.csv",
        "assets/judge.css",
    ],
)
def test_no_path_leads_elsewhere(heard: Visit, name: str) -> None:
    """The route serves the one recording; nothing of the address becomes a path."""
    answer = heard.get(name)
    assert answer.status_code == 404
    assert "before 1" not in answer.text
    assert "root:" not in answer.text


def test_a_query_changes_nothing(heard: Visit) -> None:
    """Nor does a parameter name a file."""
    plain = heard.get("audio").content
    assert heard.get("audio?file=/etc/passwd&path=sheet.csv").content == plain


def test_no_recording(page: Visit, heard: Visit, tmp_path: Path) -> None:
    """404 where none was given, and where it has gone meanwhile."""
    assert page.get("audio").status_code == 404
    (tmp_path / "talk.wav").unlink()
    assert heard.get("audio").status_code == 404


def test_only_recordings_are_taken(tmp_path: Path) -> None:
    """A sheet, a key or a folder can't be served as a recording."""
    for name in ("key.json", "sheet.csv", "noend"):
        path = tmp_path / name
        path.write_bytes(b"")
        with pytest.raises(UsageError, match="expected a recording whose name ends in"):
            checked_audio(path)
    with pytest.raises(UsageError, match="there is no such file"):
        checked_audio(tmp_path / "missing.wav")
    folder = tmp_path / "folder.wav"
    folder.mkdir()
    with pytest.raises(UsageError, match="there is no such file"):
        checked_audio(folder)
    assert all(kind.startswith(("audio/", "video/")) for kind in AUDIO_TYPES.values())
