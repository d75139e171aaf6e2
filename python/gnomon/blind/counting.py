"""What a contested file holds, counted and looked through in the pass of the draw."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from gnomon.errors import InvalidInputError
from gnomon.sources.escape import by_number, counted, quoted

if TYPE_CHECKING:
    from gnomon.blind.naming import Namer
    from gnomon.blind.spot_file import Contested

_FIRST: Final = 10


@dataclass(slots=True)
class Counts:
    """What a pass over a contested file has found.

    Attributes
    ----------
    changed, kept, unsure
        Spots whose chosen reading is alt, whose chosen reading is base, and unsure choices.
    unplaced
        Insertions and deletions with neither time nor left context, which are not drawn.
    named
        Spots with a reading that names a system.
    first_unplaced
        Lines of the first ten of them.
    first_named
        Lines of the first ten of them, with the piece that names it.
    """

    spots: int = 0
    changed: int = 0
    kept: int = 0
    unsure: int = 0
    unplaced: int = 0
    named: int = 0
    first_unplaced: list[int] = field(default_factory=list)
    first_named: list[tuple[int, str]] = field(default_factory=list)

    @property
    def available(self) -> int:
        """How many spots can be drawn."""
        return self.spots - self.unplaced

    def take(self, spot: Contested, namer: Namer) -> None:
        """Count a spot."""
        self.spots += 1
        if spot.used == "alt":
            self.changed += 1
        else:
            self.kept += 1
        self.unsure += spot.unsure
        if not spot.is_placed:
            self.unplaced += 1
            if len(self.first_unplaced) < _FIRST:
                self.first_unplaced.append(spot.line)
        piece = namer.found(spot.base) or namer.found(spot.alt)
        if piece is not None:
            self.named += 1
            if len(self.first_named) < _FIRST:
                self.first_named.append((spot.line, piece))

    def named_lines(self) -> list[str]:
        """Return a line of text for each of the first spots that name a system."""
        lines = [f"line {line}: {quoted(piece)}" for line, piece in self.first_named]
        more = self.named - len(lines)
        return [*lines, f"and {more} more"] if more else lines

    def check_named(self, *, allow: bool) -> None:
        """Refuse spots that name a system.

        Raises
        ------
        InvalidInputError
            Naming the first of them, unless they are allowed.
        """
        if self.named and not allow:
            raise InvalidInputError(
                f"{self.named} of {counted(self.spots, 'spot')} "
                f"{by_number(self.named, 'has', 'have')} a reading whose own text names a system, "
                f"so their judge would not be blind ({'; '.join(self.named_lines())}); remove the "
                "names, or draw with --allow-named, which counts such spots apart"
            )
