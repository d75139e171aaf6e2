"""Settings: which source wins, what each says of itself, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gnomon.errors import UsageError
from gnomon.sources.config import KEYS, Setting, read_config, variable_of

if TYPE_CHECKING:
    from collections.abc import Mapping


def home(folder: Path, text: str | None = None) -> Mapping[str, str]:
    """Return an environment whose user has this configuration, or none."""
    config = folder / "home" / "gnomon" / "config.toml"
    if text is not None:
        config.parent.mkdir(parents=True)
        config.write_text(text, encoding="utf-8")
    return {"XDG_CONFIG_HOME": str(folder / "home")}


def test_who_wins(tmp_path: Path) -> None:
    """Command line, shell, project, user, default: in this order, and each is told."""
    environment = home(tmp_path, 'embedder = "use:"\n')
    config = read_config(tmp_path, environment=environment)
    assert config.resolve("embedder", environment={}).origin == "user config"
    (tmp_path / "gnomon.toml").write_text('embedder = "wordllama:"\n', encoding="utf-8")
    config = read_config(tmp_path, environment=environment)
    project = str(tmp_path / "gnomon.toml")
    assert config.resolve("embedder", environment={}) == Setting(
        "wordllama:", "project file", project
    )
    shell = {"GNOMON_EMBEDDER": "lsa:64"}
    assert config.resolve("embedder", environment=shell) == Setting(
        "lsa:64", "shell", "GNOMON_EMBEDDER"
    )
    assert config.resolve("embedder", "st:x", environment=shell).origin == "command line"
    assert config.resolve("index", environment={}) == Setting("gnomon/index", "default", "default")


def test_variables_of_the_checkout_are_not_the_shells(tmp_path: Path) -> None:
    """What .env.local sets is the project's word, not the user's: it may not name hosts of keys."""
    config = read_config(tmp_path, environment=home(tmp_path))
    found = config.resolve(
        "endpoint.openai",
        environment={"GNOMON_ENDPOINT_OPENAI": "https://host.example/v1"},
        project_variables=frozenset({"GNOMON_ENDPOINT_OPENAI"}),
    )
    assert found.origin == "project file"


def test_pyproject(tmp_path: Path) -> None:
    """[tool.gnomon] stands in for gnomon.toml, and only when there is none."""
    (tmp_path / "pyproject.toml").write_text(
        '[tool.gnomon]\ntop_k = 3\nguard.mode = "calibrated"\nlanguages = ["en", "de"]\n'
        "[tool.other]\nx = 1\n",
        encoding="utf-8",
    )
    config = read_config(tmp_path, environment=home(tmp_path))
    values = [config.resolve(k, environment={}).value for k in ("top_k", "guard.mode", "languages")]
    assert values == [3, "calibrated", ("en", "de")]
    (tmp_path / "gnomon.toml").write_text("", encoding="utf-8")
    assert read_config(tmp_path, environment=home(tmp_path)).settings == {}


def test_nothing_there(tmp_path: Path) -> None:
    """Without files everything is the default, and the guard is off."""
    config = read_config(tmp_path, environment=home(tmp_path))
    assert (config.settings, config.files) == ({}, ())
    assert config.resolve("guard.mode", environment={}).value == "off"


def test_lists_and_counts_from_variables(tmp_path: Path) -> None:
    """A list is separated by commas."""
    config = read_config(tmp_path, environment=home(tmp_path))
    shell = {"GNOMON_LANGUAGES": "en, ru", "GNOMON_TOP_K": "7"}
    assert config.resolve("languages", environment=shell).value == ("en", "ru")
    assert config.resolve("top_k", environment=shell).value == 7


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('embeder = "use:"', "unknown key 'embeder'; did you mean embedder?"),
        ("colour = 1", "unknown key 'colour'; known are docs"),
        ("[guard]\nmodes = 1", "unknown key 'guard.modes'; did you mean guard.mode?"),
        ('guard.mode = "on"', "'on'; expected one of off, calibrated, dense-only"),
        ("top_k = 2.5", "top_k is 2.5; expected a whole number"),
        ("top_k = true", "top_k is True"),
        ('languages = "en"', "expected a list of texts"),
        ("languages = [1]", "expected a list of texts"),
        ("docs = 1", "docs is 1; expected a text"),
        ('product = " "', "expected a text"),
        ("docs = ", "is not TOML"),
        ("docs = '\xff'", "is not UTF-8"),
    ],
)
def test_refused(tmp_path: Path, text: str, said: str) -> None:
    """The message names the file, the key and what is expected."""
    file = tmp_path / "gnomon.toml"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError, match=r"gnomon\.toml: ") as refused:
        read_config(tmp_path, environment=home(tmp_path))
    assert said in str(refused.value)


def test_a_bad_variable(tmp_path: Path) -> None:
    """It is named, not replaced by the default."""
    config = read_config(tmp_path, environment=home(tmp_path))
    with pytest.raises(UsageError, match="GNOMON_GUARD_MODE is 'on'"):
        config.resolve("guard.mode", environment={"GNOMON_GUARD_MODE": "on"})


def test_every_key_is_documented() -> None:
    """The page on configuration lists every key and its variable."""
    page = Path(__file__).parents[2] / "docs" / "configuration.md"
    text = page.read_text(encoding="utf-8")
    missing = [k for k in KEYS if f"`{k}`" not in text or f"`{variable_of(k)}`" not in text]
    assert missing == []
