"""Those who do the same work as a kernel, one module for each kernel; ours comes first in each.

``gnomon kernels`` and the scripts of ``bench/`` both take them from here.
"""

from __future__ import annotations
