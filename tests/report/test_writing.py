"""Writing a report: checked before any work, whole or not at all."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from tests.report.builders import RECORD, T1_FOLDS

from gnomon.errors import StateError, UsageError
from gnomon.report import writing
from gnomon.report.writing import check_report_path, write_probe_report


@pytest.mark.parametrize("name", ["report.pdf", "report", "report.html.gz"])
def test_unknown_ending_is_refused(tmp_path: Path, name: str) -> None:
    """The ending says the form; one that says nothing is refused before any work."""
    with pytest.raises(UsageError, match=r"expected \.html"):
        check_report_path(tmp_path / name)


def test_missing_folder_and_folder_as_file_are_refused(tmp_path: Path) -> None:
    """A path that cannot be written is refused before an hour of measuring, not after."""
    with pytest.raises(UsageError, match="does not exist"):
        check_report_path(tmp_path / "absent" / "r.html")
    (tmp_path / "r.html").mkdir()
    with pytest.raises(UsageError, match="is a folder"):
        check_report_path(tmp_path / "r.html")


@pytest.mark.parametrize(
    ("name", "start"),
    [("r.html", "<!DOCTYPE html>"), ("r.HTM", "<!DOCTYPE html>"), ("r.md", "# Moving from")],
)
def test_ending_chooses_the_form(tmp_path: Path, name: str, start: str) -> None:
    """HTML and Markdown are chosen by the ending, upper case included."""
    check_report_path(tmp_path / name)
    write_probe_report(tmp_path / name, T1_FOLDS, RECORD)
    assert (tmp_path / name).read_text("utf-8").startswith(start)


def test_old_report_survives_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk fills up halfway, the report of yesterday is still there, alone."""
    path = tmp_path / "r.html"
    path.write_text("yesterday")

    class FullDisk:
        def __init__(self, file: object) -> None:
            self.file = file

        def write(self, data: bytes) -> int:
            self.file.write(data[: len(data) // 2])  # type: ignore[attr-defined]
            raise OSError(errno.ENOSPC, "No space left on device")

    class Opened:
        def __init__(self, target: Path) -> None:
            self.real = atomic_write(target)

        def __enter__(self) -> FullDisk:
            return FullDisk(self.real.__enter__())

        def __exit__(self, *error: object) -> bool | None:
            return self.real.__exit__(*error)  # type: ignore[arg-type]

    atomic_write = writing.atomic_write
    monkeypatch.setattr(writing, "atomic_write", Opened)
    with pytest.raises(StateError):
        write_probe_report(path, T1_FOLDS, RECORD)
    assert path.read_text() == "yesterday"
    assert [it.name for it in tmp_path.iterdir()] == ["r.html"]
