"""Whether sheet, key and trail belong together; whatever does not is refused by name."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gnomon.blind.key import Key, sheet_hash, shown_hash
from gnomon.blind.plan import plan_id
from gnomon.errors import MismatchError
from gnomon.sources.escape import counted
from gnomon.sources.files import shown

if TYPE_CHECKING:
    from gnomon.blind.plan import Plan
    from gnomon.blind.sheet import Sheet
    from gnomon.blind.trail import DrawRecord, Trail

Named = str | os.PathLike[str]


def check_sheet(sheet: Sheet, path: Named, draw: DrawRecord) -> None:
    """Refuse a sheet that states another plan or secret than its draw, or has other rows.

    Works without the key: the rows are compared as a whole with what the trail has recorded.

    Raises
    ------
    MismatchError
        Saying what differs.
    """
    if sheet.plan != draw.plan:
        raise MismatchError(
            f"{shown(path)}: states the plan {plan_id(sheet.plan)}, but {draw.draw} was drawn "
            f"under {plan_id(draw.plan)}; rules may not change after the draw"
        )
    if sheet.secret_sha256 != draw.secret_sha256:
        raise MismatchError(
            f"{shown(path)}: states another secret than the one {draw.draw} was drawn with; take "
            "the sheet that gnomon blind draw has written"
        )
    if len(sheet.spots) != draw.rows:
        kind = "removed" if len(sheet.spots) < draw.rows else "added"
        at = min(len(sheet.spots), draw.rows) + 1
        raise MismatchError(
            f"{shown(path)}: has {counted(len(sheet.spots), 'row')}, and {draw.draw} has "
            f"{draw.rows}: row "
            f"{at} was {kind}, or one beside it"
        )


def check_unedited(sheet: Sheet, path: Named, draw: DrawRecord) -> None:
    """Refuse a sheet whose readings, contexts or times are not those of its draw; needs no key.

    Raises
    ------
    MismatchError
        When anything but a verdict differs; which row it is only the key can tell.
    """
    if sheet_hash(sheet, verdicts=False) != draw.sheet:
        raise MismatchError(
            f"{shown(path)}: a reading, a context or a time is not the one that was drawn; scoring "
            "with the key names the row"
        )


def check_key(key: Key, path: Named, draw: DrawRecord) -> None:
    """Refuse a key of another draw, and one that was edited.

    Raises
    ------
    MismatchError
        Saying which of the two it is.
    """
    if key.draw != draw.draw or key.secret_sha256 != draw.secret_sha256:
        raise MismatchError(
            f"{shown(path)}: is the key of {key.draw!r:.40}, and the sheet is of {draw.draw}; a "
            "sheet is scored with the key of its own draw"
        )
    if key.hash != draw.key:
        raise MismatchError(
            f"{shown(path)}: is not as {draw.draw} has written it: the key was edited, so the "
            "sheet cannot be scored"
        )


def check_rows(sheet: Sheet, path: Named, key: Key) -> None:
    """Refuse a sheet with a row that shows something else than was drawn; the row is named.

    Raises
    ------
    MismatchError
        Naming the first such row.
    """
    for spot, row in zip(sheet.spots, key.rows, strict=True):
        if spot.number != row.number or shown_hash(spot) != row.shown:
            raise MismatchError(
                f"{shown(path)}: spot {spot.number}: its readings, context or time are not those "
                "that were drawn; only the verdicts may be filled in"
            )


def check_plan(trail: Trail, draw: DrawRecord, given: Plan | None) -> Plan:
    """Return the plan that a draw was made under.

    Parameters
    ----------
    given
        The plan of a rules file that the caller named, or None.

    Raises
    ------
    MismatchError
        When the trail lacks the plan, holds it only after the draw, or the given rules are others.
    """
    plan = trail.plan(draw.plan)
    if plan.seq is None or plan.seq > draw.seq:
        raise MismatchError(
            f"{plan.id} was fixed after {draw.draw}; a plan must exist before its draw"
        )
    if given is not None and given.hash != plan.hash:
        raise MismatchError(
            f"the rules given are those of {given.id}, but {draw.draw} was drawn under {plan.id}; "
            "rules may not change after the plan. Score without --rules, or draw anew under "
            "another plan"
        )
    return plan


def check_not_purged(trail: Trail, draw: DrawRecord) -> None:
    """Refuse a draw that was purged.

    Raises
    ------
    MismatchError
        Naming the record of the purge.
    """
    purges = trail.purges.get(draw.draw)
    if purges:
        raise MismatchError(
            f"{draw.draw} was purged (record {purges[0].seq}); what was kept of it is not scored "
            "any more"
        )
