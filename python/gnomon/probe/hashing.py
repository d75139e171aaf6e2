"""Which files a probe read: hashed beside the reading and the measuring."""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING

from gnomon.sources import FileFingerprint, fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class Fingerprints:
    """Hashes files in a thread of its own, from its making on.

    The thread is a daemon: after Ctrl-C or a refusal nobody waits for gigabytes to be hashed.
    """

    def __init__(self, files: Iterable[tuple[str, Path]]) -> None:
        self._files = list(files)
        self._found: dict[str, FileFingerprint] = {}
        self._error: Exception | None = None
        self._thread = Thread(target=self._hash_all, daemon=True)
        self._thread.start()

    def result(self) -> dict[str, FileFingerprint]:
        """Return role -> fingerprint of every file, waiting until they are hashed.

        Raises
        ------
        MissingInputError, InvalidInputError
            A file is gone, or changed while it was read.
        """
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._found

    def _hash_all(self) -> None:
        try:
            for role, path in self._files:
                self._found[role] = fingerprint(path)
        except Exception as error:  # raised again where the result is asked for
            self._error = error
