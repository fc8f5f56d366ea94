"""What is told of, and how much of it: a notifier and the notices that wait for it."""

from ataxxd.node.notices import Notifications, Notifier
from ataxxd.notify import Destination, Notice, Occasion


class Kept(Destination):
    """Keeps what it is sent."""

    shown = "a list"

    def __init__(self) -> None:
        self.notices: list[Notice] = []

    async def send(self, notice: Notice) -> None:
        """Keep it."""
        self.notices.append(notice)


def notice(number: int, occasion: Occasion = Occasion.CHALLENGE) -> Notice:
    return Notice(occasion, "A challenge", f"number {number}", f"game-{number}")


async def test_of_a_flood_the_newest_are_kept_and_no_more() -> None:
    kept, said = Kept(), list[str]()
    notifier = Notifier([kept], said.append, clock=lambda: 0.0)
    for number in range(1000):
        notifier.queue(notice(number))
    notifier.close()
    await notifier.run()
    assert [each.text for each in kept.notices] == [f"number {n}" for n in range(995, 1000)]
    assert said == []


async def test_more_wait_than_are_sent_at_once_but_not_all_of_a_flood() -> None:
    notifier = Notifier([Kept()], print, clock=lambda: 0.0)
    for number in range(1000):
        notifier.queue(notice(number))
    assert notifier.waiting == 50


async def test_only_what_is_wanted_is_told() -> None:
    kept = Kept()
    wanted = Notifications([kept], occasions=[Occasion.DISPUTED])
    async with wanted.run_notifier(print) as notifier:
        for occasion in Occasion:
            notifier.queue(notice(1, occasion))
    assert [each.occasion for each in kept.notices] == [Occasion.DISPUTED]
