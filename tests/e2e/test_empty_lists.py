"""What a new node says that has nothing to list yet: what to do."""

import pytest

from tests.e2e.nodes import Nodes


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("archive",), "/new yet. Play one: ataxxd host NAME"),
        (("archive", "--game", "loa"), "/new yet. Play one: ataxxd host NAME"),
        (("ratings",), "No rated games yet: a game counts once both players have signed its score"),
        (("players", "--wait", "0.2"), "Be the first: ataxxd challenges --name NAME"),
        (("games", "--wait", "0.2"), "Open one: ataxxd host NAME"),
        (("challenges", "--wait", "0.2"), "No challenge came. See who is there"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
async def test_an_empty_list_says_what_to_do(
    words: tuple[str, ...], told: str, nodes: Nodes
) -> None:
    listed = await nodes.node("new").run(*words)
    assert told in str(listed.err)
    assert str(listed.out).strip() == ""


async def test_an_empty_list_for_programs_is_empty(nodes: Nodes) -> None:
    for words in (("archive",), ("players", "--wait", "0.2"), ("games", "--wait", "0.2")):
        listed = await nodes.node("new").run(*words, "--json")
        assert str(listed.out).strip() == ""
        assert str(listed.err).strip() == ""
