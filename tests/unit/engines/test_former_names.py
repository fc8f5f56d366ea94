"""Programs of users import our engine as the documents once said."""

import ataxxd.bots.base
import ataxxd.bots.registry
import ataxxd.engines.base
import ataxxd.engines.registry


def test_what_was_documented_under_its_former_name_is_the_same_thing() -> None:
    assert ataxxd.bots.base.Bot is ataxxd.engines.base.Bot
    assert ataxxd.bots.registry.make_bot is ataxxd.engines.registry.make_bot
