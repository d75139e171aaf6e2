"""Ranking metrics, intervals and tests: numbers in, numbers out.

Between data and figure stand only elementwise IEEE operations, sums in a fixed order and correctly
rounded sums (``math.fsum``), so that every figure has the same bits on every machine.
"""
