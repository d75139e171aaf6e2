"""A command line in an empty folder, without the caller's environment, and small collections."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.probing import SMALL, Gnomon, runner
from tests.probe.collections import write_collection


@pytest.fixture(scope="session")
def small_collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a written collection that no test may change."""
    return write_collection(SMALL, tmp_path_factory.mktemp("collections") / "small")


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """Return a written collection that the test may spoil."""
    return write_collection(SMALL, tmp_path / "collection")


@pytest.fixture
def gnomon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Gnomon:
    """Run the command line in an empty folder; its trail is ``.gnomon`` there."""
    workplace = tmp_path / "workplace"
    workplace.mkdir()
    monkeypatch.chdir(workplace)
    monkeypatch.delenv("GNOMON_STATE_DIR", raising=False)
    # The folders of test runs are named after the user, and a record withholds such paths.
    monkeypatch.setenv("HOME", str(tmp_path / "nobody-here"))
    monkeypatch.setenv("LOGNAME", "nobody-here")

    def read_streams() -> tuple[str, str]:
        return tuple(capsys.readouterr())

    return runner(read_streams)


@pytest.fixture
def state_dir(gnomon: Gnomon) -> Path:
    """Return the state directory of the command line above; it does not exist yet."""
    return Path.cwd() / ".gnomon"


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run in an empty directory, so that no .env.local of ours is read."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GNOMON_STATE_DIR", raising=False)
    return tmp_path
