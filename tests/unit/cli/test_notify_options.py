"""A way to notify that is none: the message names where it was written."""

import pytest

from ataxxd.cli.options import NotifyOptions
from ataxxd.cli.seat import notifications
from ataxxd.errors import UsageError


def test_a_wrong_way_to_notify_is_blamed_on_what_named_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATAXXD_NOTIFY", "desk")
    with pytest.raises(UsageError, match=r"^ATAXXD_NOTIFY: 'desk' is not a way to notify you"):
        notifications(NotifyOptions())
    with pytest.raises(UsageError, match=r"^--notify: 'mobile' is not a way to notify you"):
        notifications(NotifyOptions(["mobile"]))
