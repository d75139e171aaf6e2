"""The few special functions behind the intervals, without the C math library."""

from __future__ import annotations

from decimal import Context, Decimal

from gnomon.errors import UsageError

_THIRTY_DIGITS = Context(prec=30)

# Two-sided 95% quantiles of Student's t for 1 to 30 degrees of freedom.
_T_TABLE = (
    12.706204736174698, 4.302652729749464, 3.1824463052837078, 2.7764451051977934,
    2.570581835636314, 2.4469118511449666, 2.3646242515927844, 2.306004135204166,
    2.262157162798205, 2.228138851986273, 2.2009851600916384, 2.1788128296672284,
    2.1603686564627926, 2.1447866879178035, 2.1314495455597742, 2.119905299221254,
    2.1098155778333156, 2.1009220402410378, 2.0930240544083087, 2.085963447265864,
    2.0796138447276795, 2.073873067904022, 2.0686576104190486, 2.0638985616280245,
    2.059538552753297, 2.0555294386428713, 2.0518305164802855, 2.0484071417952454,
    2.045229642132703, 2.042272456301238,
)  # fmt: skip
Z_975 = 1.959963984540054


def student_t_975(degrees_of_freedom: int) -> float:
    """Return the 97.5% quantile of Student's t.

    A table up to 30 degrees of freedom, beyond it the expansion of Abramowitz and Stegun 26.7.5,
    which is good to 1e-7 there and needs only sums, products and quotients.

    Examples
    --------
    >>> round(student_t_975(224), 6)
    1.970611
    """
    if degrees_of_freedom < 1:
        raise UsageError(f"{degrees_of_freedom} degrees of freedom; at least 1 is needed")
    if degrees_of_freedom <= len(_T_TABLE):
        return _T_TABLE[degrees_of_freedom - 1]
    z, nu = Z_975, float(degrees_of_freedom)
    z2 = z * z
    first = z * (z2 + 1) / 4
    second = z * ((5 * z2 + 16) * z2 + 3) / 96
    third = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384
    fourth = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160
    return z + (first + (second + (third + fourth / nu) / nu) / nu) / nu


def exponential(x: float) -> float:
    """Return e to the x, rounded once from 30 digits, the same on every machine.

    Examples
    --------
    >>> exponential(1.0)
    2.718281828459045
    """
    return float(Decimal(x).exp(_THIRTY_DIGITS))
