//! Counts moves and sequences of moves (perft).
//!
//! The side to move, and whether there are kings, is known at compile time: so the directions and
//! the shifts are, too. The moves of the last ply are counted as sets of squares.

use std::ops::ControlFlow;

use ataxxd_processor::widest;

use super::board::{BOARD, BOTTOM_ROW, Direction, TOP_ROW};
use super::generate::{DOWN, UP, View};
use crate::Side;

/// Sequences of this length are counted without asking whether to go on: a few milliseconds at most.
const POLL_DEPTH: u32 = 5;

/// The move sequences of exactly `depth` plies, draws aside; asks `keep_going` every few
/// milliseconds, and breaks once it is `false`.
pub fn perft(
    view: View,
    depth: u32,
    keep_going: &mut impl FnMut() -> bool,
) -> ControlFlow<(), u64> {
    let pieces = Pieces::of(view);
    match view.side {
        Side::First => pieces.perft_while::<true>(depth, keep_going),
        Side::Second => pieces.perft_while::<false>(depth, keep_going),
    }
}

/// How many moves there are.
pub fn moves(view: View) -> u64 {
    let pieces = Pieces::of(view);
    match view.side {
        Side::First => pieces.perft::<true>(1),
        Side::Second => pieces.perft::<false>(1),
    }
}

/// The board, where it is known at compile time who is to move: the side that goes `DOWNWARD`, or the
/// other one. Without `KINGS` no piece is a king.
#[derive(Debug, Clone, Copy)]
struct Pieces {
    own: u64,
    other: u64,
    kings: u64,
}

/// The four directions, each with a set of squares.
type Ways = [(Direction, u64); 4];

/// The directions of men, each with the pieces that they can jump over.
type Jumps = [(Direction, u64); 2];

/// The directions of a side's men.
const fn forward<const DOWNWARD: bool>() -> [Direction; 2] {
    if DOWNWARD { DOWN } else { UP }
}

/// The squares from which there is a jump.
#[inline(always)]
fn starts(jumps: Jumps) -> u64 {
    jumps
        .into_iter()
        .fold(0, |all, (way, over)| all | way.opposite().shift(over))
}

#[inline(always)]
fn size(set: u64) -> u64 {
    set.count_ones().into()
}

/// The squares of a set, each as a set.
#[inline(always)]
fn singles(mut set: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let lowest = set & set.wrapping_neg();
        set ^= lowest;
        (lowest != 0).then_some(lowest)
    })
}

impl Pieces {
    const fn of(view: View) -> Self {
        Self {
            own: view.own,
            other: view.other,
            kings: view.kings,
        }
    }

    #[inline(always)]
    const fn empty(self) -> u64 {
        BOARD & !(self.own | self.other)
    }

    #[inline(always)]
    const fn men<const KINGS: bool>(self) -> u64 {
        if KINGS {
            self.own & !self.kings
        } else {
            self.own
        }
    }

    /// Where the pieces of the side to move come by one step in each direction, whatever stands
    /// there.
    #[inline(always)]
    fn reach<const DOWNWARD: bool, const KINGS: bool>(self) -> Ways {
        let [left, right] = forward::<DOWNWARD>();
        let kings = if KINGS { self.own & self.kings } else { 0 };
        [
            (left, self.own),
            (right, self.own),
            (left.opposite(), kings),
            (right.opposite(), kings),
        ]
        .map(|(way, able)| (way, way.shift(able)))
    }

    /// The pieces of the other side that can be jumped over.
    #[inline(always)]
    fn threatened(self, reach: Ways) -> u64 {
        let empty = self.empty();
        reach.into_iter().fold(0, |all, (way, reached)| {
            all | reached & self.other & way.opposite().shift(empty)
        })
    }

    /// Which pieces men can jump over in each direction, wherever the men are.
    #[inline(always)]
    fn men_jumps<const DOWNWARD: bool>(self) -> Jumps {
        let empty = self.empty();
        forward::<DOWNWARD>().map(|way| (way, self.other & way.opposite().shift(empty)))
    }

    fn perft_while<const DOWNWARD: bool>(
        self,
        depth: u32,
        keep_going: &mut impl FnMut() -> bool,
    ) -> ControlFlow<(), u64> {
        if depth <= POLL_DEPTH {
            return if keep_going() {
                ControlFlow::Continue(self.perft::<DOWNWARD>(depth))
            } else {
                ControlFlow::Break(())
            };
        }
        let mut all = Vec::new();
        self.for_each::<DOWNWARD, true>(|next| all.push(next));
        let mut nodes = 0;
        for next in all {
            nodes += if DOWNWARD {
                next.perft_while::<false>(depth - 1, keep_going)?
            } else {
                next.perft_while::<true>(depth - 1, keep_going)?
            };
        }
        ControlFlow::Continue(nodes)
    }

    fn perft<const DOWNWARD: bool>(self, depth: u32) -> u64 {
        widest(
            #[inline(always)]
            || {
                if self.kings == 0 {
                    self.perft_with::<DOWNWARD, false>(depth)
                } else {
                    self.perft_with::<DOWNWARD, true>(depth)
                }
            },
        )
    }

    #[inline(always)]
    fn perft_with<const DOWNWARD: bool, const KINGS: bool>(self, depth: u32) -> u64 {
        let mut nodes = 0;
        match depth {
            0 => nodes = 1,
            1 => nodes = self.moves::<DOWNWARD, KINGS>(),
            // That a man was crowned changes nothing about the replies.
            2 => self.for_each::<DOWNWARD, KINGS>(
                #[inline(always)]
                |next| {
                    nodes += if DOWNWARD {
                        next.moves::<false, KINGS>()
                    } else {
                        next.moves::<true, KINGS>()
                    };
                },
            ),
            _ => self.for_each::<DOWNWARD, KINGS>(
                #[inline(always)]
                |next| {
                    nodes += if DOWNWARD {
                        next.perft::<false>(depth - 1)
                    } else {
                        next.perft::<true>(depth - 1)
                    };
                },
            ),
        }
        nodes
    }

    #[inline(always)]
    fn moves<const DOWNWARD: bool, const KINGS: bool>(self) -> u64 {
        let empty = self.empty();
        let reach = self.reach::<DOWNWARD, KINGS>();
        if self.threatened(reach) == 0 {
            return reach
                .into_iter()
                .map(|(_, reached)| size(reached & empty))
                .sum();
        }
        let mut count = men_captures(self.men::<KINGS>(), self.men_jumps::<DOWNWARD>());
        if KINGS {
            for from in singles(self.own & self.kings) {
                count += king_captures(from, self.other, empty | from).unwrap_or(0);
            }
        }
        count
    }

    /// The board after a piece went and others were taken, as the other side sees it.
    #[inline(always)]
    const fn after<const DOWNWARD: bool, const KINGS: bool>(
        self,
        from: u64,
        to: u64,
        taken: u64,
    ) -> Self {
        let crowned = to & if DOWNWARD { BOTTOM_ROW } else { TOP_ROW };
        let kings = if KINGS && self.kings & from != 0 {
            to
        } else {
            crowned
        };
        Self {
            own: self.other ^ taken,
            other: self.own & !from | to,
            kings: self.kings & !(taken | from) | kings,
        }
    }

    /// Calls `visit` with the board after every move.
    #[inline(always)]
    fn for_each<const DOWNWARD: bool, const KINGS: bool>(self, mut visit: impl FnMut(Self)) {
        let reach = self.reach::<DOWNWARD, KINGS>();
        if self.threatened(reach) != 0 {
            return self.for_each_capture::<DOWNWARD, KINGS>(visit);
        }
        for (way, reached) in reach {
            for to in singles(reached & self.empty()) {
                visit(self.after::<DOWNWARD, KINGS>(way.opposite().shift(to), to, 0));
            }
        }
    }

    #[inline(always)]
    fn for_each_capture<const DOWNWARD: bool, const KINGS: bool>(
        self,
        mut visit: impl FnMut(Self),
    ) {
        let men = self.men::<KINGS>();
        let jumps = self.men_jumps::<DOWNWARD>();
        let starts = starts(jumps);
        for (way, over) in jumps {
            for over in singles(over & way.shift(men)) {
                let (from, to) = (way.opposite().shift(over), way.shift(over));
                if to & starts == 0 {
                    visit(self.after::<DOWNWARD, KINGS>(from, to, over));
                } else {
                    self.man_goes_on::<DOWNWARD, KINGS>(from, to, over, jumps, &mut visit);
                }
            }
        }
        if KINGS {
            for from in singles(self.own & self.kings) {
                self.king_goes_on::<DOWNWARD>(from, from, 0, &mut visit);
            }
        }
    }

    /// Visits the boards in which a man's capture can end, after jumps that took `taken`.
    fn man_goes_on<const DOWNWARD: bool, const KINGS: bool>(
        self,
        from: u64,
        at: u64,
        taken: u64,
        jumps: Jumps,
        visit: &mut impl FnMut(Self),
    ) {
        let mut ends = true;
        for (way, over) in jumps {
            // A man never returns to a square, so what it has taken cannot be jumped again.
            let over = over & way.shift(at);
            if over != 0 {
                ends = false;
                let to = way.shift(over);
                self.man_goes_on::<DOWNWARD, KINGS>(from, to, taken | over, jumps, visit);
            }
        }
        if ends {
            visit(self.after::<DOWNWARD, KINGS>(from, at, taken));
        }
    }

    fn king_goes_on<const DOWNWARD: bool>(
        self,
        from: u64,
        at: u64,
        taken: u64,
        visit: &mut impl FnMut(Self),
    ) {
        let mut ends = taken != 0;
        for way in Direction::ALL {
            let over = king_jump(way, at, self.other ^ taken, self.empty() | from);
            if over != 0 {
                ends = false;
                self.king_goes_on::<DOWNWARD>(from, way.shift(over), taken | over, visit);
            }
        }
        if ends {
            visit(self.after::<DOWNWARD, true>(from, at, taken));
        }
    }
}

/// The piece that a king can jump over from a square in a direction; `left` are those not taken
/// yet, `free` the empty squares and the one where it started.
#[inline(always)]
const fn king_jump(way: Direction, at: u64, left: u64, free: u64) -> u64 {
    way.shift(at) & left & way.opposite().shift(free)
}

/// The number of complete captures by men.
#[inline(always)]
fn men_captures(men: u64, jumps: Jumps) -> u64 {
    let starts = starts(jumps);
    let mut count = 0;
    // In one direction no two men land on the same square.
    for (way, over) in jumps {
        let landed = way.shift(way.shift(men) & over);
        count += size(landed & !starts);
        if landed & starts != 0 {
            count += more_captures(landed & starts, jumps);
        }
    }
    count
}

fn more_captures(men: u64, jumps: Jumps) -> u64 {
    widest(
        #[inline(always)]
        || men_captures(men, jumps),
    )
}

/// In how many ways a king can complete a capture from a square; `None` if it cannot jump on.
fn king_captures(at: u64, left: u64, free: u64) -> Option<u64> {
    let mut count = None;
    for way in Direction::ALL {
        let over = king_jump(way, at, left, free);
        if over != 0 {
            let ways = king_captures(way.shift(over), left ^ over, free).unwrap_or(1);
            count = Some(count.unwrap_or(0) + ways);
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::super::board::squares;
    use crate::checkers::Checkers;
    use crate::random::Random;
    use crate::{Position, Side};

    /// A board with some pieces of each side anywhere; `kings` in eight of them are kings.
    fn anything(random: &mut Random, ruleset: &'static crate::Ruleset) -> Checkers {
        let mut position = Checkers::start(ruleset);
        position.pieces = [0; 2];
        position.turn = *random.choose(&[Side::First, Side::Second]);
        let kings = random.below(8);
        let mut places: Vec<_> = squares(super::BOARD).collect();
        for index in 0..2 + random.below(22) {
            let at = random.below(places.len() as u64) as usize;
            let bit = places.swap_remove(at).bit();
            position.pieces[index as usize % 2] |= bit;
            if random.below(8) < kings {
                position.kings |= bit;
            }
        }
        position.kings |= position.pieces[0] & super::BOTTOM_ROW;
        position.kings |= position.pieces[1] & super::TOP_ROW;
        position
    }

    /// Counts by making every move.
    fn one_by_one(position: &Checkers, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        position
            .legal_moves()
            .into_iter()
            .map(|mv| one_by_one(&position.play_unchecked(mv), depth - 1))
            .sum()
    }

    #[test]
    fn counts_are_those_of_moves_made_one_by_one() {
        let mut random = Random::new(1);
        for ruleset in Checkers::RULESETS {
            for _ in 0..2_000 {
                let position = anything(&mut random, ruleset);
                for depth in 0..=3 {
                    let text = position.text();
                    assert_eq!(
                        position.perft(depth),
                        one_by_one(&position, depth),
                        "{text}"
                    );
                }
            }
        }
    }

    #[test]
    fn counting_breaks_when_told_to() {
        let start = Checkers::start(&Checkers::RULESETS[0]);
        let mut asked = 0;
        let counted = start.perft_while(8, &mut || {
            asked += 1;
            asked < 10
        });
        assert_eq!(counted, ControlFlow::Break(()));
        assert_eq!(asked, 10);
    }

    #[test]
    fn a_draw_by_the_rules_ends_a_sequence() {
        let ruleset = &Checkers::RULESETS[1];
        for text in [
            "B:WK32:BK1",
            "B:WK32:BK1:H4:M1-6,32-28,6-1,28-32",
            "W:WK29,K30:BK4:H77",
        ] {
            let position = Checkers::from_text(ruleset, text).unwrap();
            for depth in 0..=9 {
                assert_eq!(
                    position.perft(depth),
                    one_by_one(&position, depth),
                    "{text}"
                );
            }
        }
    }
}
