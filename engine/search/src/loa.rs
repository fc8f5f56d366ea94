//! Lines of Action for the search: move ordering and wins.

mod lines;
pub mod windows;

use ataxxd_rules::board8::{Square, within_one};
use ataxxd_rules::loa::{Loa, Move, is_connected};
use ataxxd_rules::{Position, Side};

use crate::searchable::COUNTER_HORIZON;
use crate::{Endgame, Evaluate, ForcedWins, PlainValue, Searchable, Tuning, net};

impl Evaluate for Loa {
    #[cfg(not(target_arch = "wasm32"))]
    type Evaluator = net::Accumulators<32, { net::lanes(64) }>;
    #[cfg(target_arch = "wasm32")]
    type Evaluator = crate::FromScratch;

    #[inline]
    fn evaluate(&self) -> i32 {
        net::evaluate(self)
    }

    /// A capture is no gain in itself: it leaves the opponent fewer pieces to connect.
    #[inline]
    fn gain(&self, mv: Move) -> i32 {
        match mv {
            Move::Pass => 0,
            Move::Step { from, to } => {
                let own = self.pieces(self.turn()) & !from.bit();
                let worth = |square: Square| {
                    let touched = own & NEAR[square.index()];
                    RING[square.index()] + PAIR * touched.count_ones() as i32
                };
                worth(to) - worth(from)
            }
        }
    }
}

impl ForcedWins for Loa {
    /// A move wins at once exactly when it connects the mover.
    fn winning_move(&self) -> Option<Move> {
        let own = self.pieces(self.turn());
        let mut winner = None;
        self.for_each_move(|mv| {
            let Move::Step { from, to } = mv else { return };
            if winner.is_none() && is_connected((own & !from.bit()) | to.bit()) {
                winner = Some(mv);
            }
        });
        winner
    }

    fn for_each_attack(&self, moves: u32, mut visit: impl FnMut(Move)) {
        let own = self.pieces(self.turn());
        self.for_each_move(|mv| match mv {
            Move::Step { from, to } if !may_connect(own & !from.bit() | to.bit(), moves - 1) => {}
            _ => visit(mv),
        });
    }

    /// A moving piece joins at most four groups around its target and gives up being one itself;
    /// an answer takes away one more by capturing it.
    fn cannot_win_within(&self, side: Side, moves: u32) -> bool {
        let answers = moves + u32::from(side != self.turn());
        groups(self.pieces(side)) > (4 * moves + answers + 1) as i32
    }
}

impl Endgame for Loa {}

impl Searchable for Loa {
    const TUNING: Tuning = Tuning {
        // A side that is in no hurry gains by passing, so only threats force it.
        wins_by_threats: true,
        // There are 36 moves to a position, and no bound says early enough that a side cannot
        // connect.
        win_share: 5,
        // A position takes thirty times as long here.
        most_in_proofs: 1_000_000,
        margin_percent: 113,
        aspiration: 47,
        reverse_futility_margin: 62,
        null_move_depth: 4,
        null_move_divisor: 5,
        null_move_surplus: 225,
        singular_margin: 11,
        futility_margin: 136,
        futility_slope: 62,
        late_move_depth: 6,
        late_move_count: 286,
        late_move_slope: 76,
        reduction: 37,
        reduction_divisor: 201,
        history_reduction: 1_004,
        history_bonus: 18,
        history_most: 1_877,
        killer: 387,
        gain_weight: 30,
        ..Tuning::DEFAULT
    };

    #[inline]
    fn history_slot(mv: Move) -> usize {
        match mv {
            Move::Pass => 0,
            Move::Step { from, to } => from.index() << 6 | to.index(),
        }
    }

    #[inline]
    fn move_tag(mv: Move) -> u16 {
        let code: u64 = mv.into();
        code as u16 ^ 0x8080 // 0 stays free: no square has bit 7
    }

    #[inline]
    fn table_key(&self) -> u64 {
        if self.moves_made() as i64 + i64::from(COUNTER_HORIZON) < i64::from(self.move_limit()) {
            self.search_key()
        } else {
            self.key()
        }
    }

    /// Pieces that are taken bring the end nearer: with twelve left, a game lasts six more moves.
    fn moves_to_go(&self) -> u32 {
        let [first, second] = self.counts();
        (first + second).saturating_sub(4).max(6)
    }

    #[inline]
    fn after_null_move(&self) -> Option<Self> {
        Some(self.play_unchecked(Move::Pass))
    }
}

impl PlainValue for Loa {}

/// Whether so many moves in a row may connect the pieces, as far as gaps tell.
///
/// To fill a gap between pieces that stay, as many pieces must move as it has squares. So all that stay
/// are no further apart than that, and the others have to move.
#[inline]
fn may_connect(pieces: u64, moves: u32) -> bool {
    let mut left = pieces;
    let mut movers = moves;
    while left.count_ones() > movers {
        let mut near = left & left.wrapping_neg();
        loop {
            let mut wider = near;
            for _ in 0..=moves {
                wider = within_one(wider);
            }
            if wider & left == near {
                break;
            }
            near = wider & left;
        }
        left &= !near;
        // These stay, and the others move; or these move.
        let others = left.count_ones();
        if others <= movers {
            return true;
        }
        let these = near.count_ones();
        if these > movers {
            return false;
        }
        movers -= these;
    }
    true
}

/// The worth of each own piece that a moving piece comes to touch.
const PAIR: i32 = 14;
/// What a square is worth to a moving piece, by its distance from the edge.
const RINGS: [i32; 4] = [-60, -15, 10, 20];

static RING: [i32; 64] = {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        let (column, row) = (square as i32 >> 3, square as i32 & 7);
        let column = if column > 3 { 7 - column } else { column };
        let row = if row > 3 { 7 - row } else { row };
        table[square] = RINGS[if column < row { column } else { row } as usize];
        square += 1;
    }
    table
};

/// Each square and those that touch it; looked up, as every move of every position asks for two.
static NEAR: [u64; 64] = {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = within_one(1 << square);
        square += 1;
    }
    table
};

/// How many groups the pieces form.
#[inline]
fn groups(pieces: u64) -> i32 {
    let mut left = pieces;
    let mut count = 0;
    while left != 0 {
        left &= !group_of(left);
        count += 1;
    }
    count
}

/// The group of the lowest piece of a set.
#[inline]
fn group_of(pieces: u64) -> u64 {
    let mut group = pieces & pieces.wrapping_neg();
    loop {
        let grown = within_one(group) & pieces;
        if grown == group {
            return group;
        }
        group = grown;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ataxxd_rules::find_ruleset;
    use ataxxd_rules::random::Random;

    #[test]
    fn the_short_way_to_a_winning_move_agrees_with_the_rules() {
        let ruleset = find_ruleset("loa/cs61b").unwrap();
        let mut random = Random::new(7);
        let (mut wins, mut games) = (0, 0);
        while games < 60 {
            let mut position = Loa::start(ruleset);
            while position.outcome().is_none() {
                let moves = position.legal_moves();
                let wins_at_once = |mv: &Move| {
                    let after = position.play_unchecked(*mv);
                    after
                        .outcome()
                        .is_some_and(|o| o.winner == Some(position.turn()))
                };
                let slowly = moves.iter().copied().find(wins_at_once);
                assert_eq!(position.winning_move(), slowly);
                if slowly.is_some() {
                    wins += 1;
                    assert!(!position.cannot_win_within(position.turn(), 1));
                }
                // Moves that gather, or the games would end by the limit.
                let two = [0; 2].map(|_| *random.choose(&moves));
                let better = two.into_iter().max_by_key(|&mv| position.gain(mv));
                position = position.play_unchecked(better.expect("one of two"));
            }
            games += 1;
        }
        assert!(wins > 10, "{wins}");
    }
}
