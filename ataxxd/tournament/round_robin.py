"""Everybody against everybody: Berger's tables.

Source: FIDE Handbook, C.05 annex 1. Players are numbers from 0 here, from 1 there.
"""

from ataxxd.tournament.pairing import PairedRound


def round_robin(count: int, number: int, seed: int) -> PairedRound:
    """Who plays whom in a round.

    Once everybody has met, the table begins again with sides changed.

    Args:
        count: how many players there are, at least 2; where it is odd one is free each round.
        number: of the round, from 1.
        seed: an odd one changes all sides.
    """
    even = count + count % 2
    circle = even - 1
    cycle, index = divmod(number - 1, circle)
    pivot = index * (even // 2) % circle
    # The last player stays where it is and changes sides; the others turn around.
    pairs = [(pivot, circle) if index % 2 == 0 else (circle, pivot)]
    pairs += [((pivot + step) % circle, (pivot - step) % circle) for step in range(1, even // 2)]
    swapped = (cycle + seed) % 2 == 1
    pairings = tuple(
        (second, first) if swapped else (first, second)
        for first, second in pairs
        if count not in (first, second)
    )
    byes = tuple(first + second - count for first, second in pairs if count in (first, second))
    return PairedRound(pairings, byes)
