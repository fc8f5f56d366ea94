"""How hypothesis runs here: shortly, or with ``ATAXXD_FUZZ`` set, for `make fuzz`, for longer."""

import os

from hypothesis import HealthCheck, settings

# A test must not fail because the machine was busy; pytest's own timeout catches hangs.
settings.register_profile("ataxxd", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fuzz", settings.get_profile("ataxxd"), max_examples=1000)
settings.load_profile("fuzz" if "ATAXXD_FUZZ" in os.environ else "ataxxd")
