"""The page on TREC runs prints what its commands print."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from gnomon.cli.main import run

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "evaluate-a-trec-run.md"
BLOCK = re.compile(r"^```(bash|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_commands_print_what_stands_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files are made and commands run in order, in a folder of their own; ``...`` is not shown."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GNOMON_STATE_DIR", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "nobody-here"))
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert [kind for kind, _ in blocks].count("bash") == 1
    for kind, content in blocks:
        if kind == "bash":
            subprocess.run(["bash", "-c", content], check=True)
            continue
        for part in re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            program, *args = shlex.split(command)
            if program == "cat":
                printed = Path(args[0]).read_text(encoding="utf-8")
            else:
                assert (program, run(args)) == ("gnomon", 0)
                printed = capsys.readouterr().out
            assert shown in ("...\n", printed), command
