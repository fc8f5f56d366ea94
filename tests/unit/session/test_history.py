"""A history grows without changing what it was."""

from ataxxd.session.state import History


def test_what_a_history_was_stays_so_whoever_goes_on_from_it() -> None:
    one = History([1])
    two = one.appended(2)
    other, again = one.appended(3), two.appended(4)
    assert [*one] == [1]
    assert [*two] == [1, 2]
    assert [*other] == [1, 3]
    assert [*again] == [1, 2, 4]
    assert (len(one), len(again)) == (1, 3)
    assert again[-1] == 4
    assert two[-5:9] == (1, 2)
    assert two == History([1, 2]) == (1, 2)
    assert two != other
    assert hash(two) == hash(History([1, 2]))


def test_a_history_can_be_walked_while_it_is_gone_on_from() -> None:
    begun = History([1, 2])
    walked = []
    for item in begun:
        begun.appended(item)
        walked.append(item)
    assert walked == [1, 2]
