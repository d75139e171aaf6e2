"""Settings for every test: how many examples the property tests draw.

``HYPOTHESIS_PROFILE=ci pytest`` draws many, ``quick`` (the default) keeps the suite short.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_SLOW_DATA = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]

settings.register_profile("quick", max_examples=25, deadline=None, suppress_health_check=_SLOW_DATA)
settings.register_profile("ci", max_examples=400, deadline=None, suppress_health_check=_SLOW_DATA)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))
