//! Reversi for the search.

pub mod endgame;
pub mod evaluation;
pub mod patterns;

use ataxxd_rules::board8::{Square, squares};
use ataxxd_rules::reversi::{Move, Reversi, targets, turned};
use ataxxd_rules::{Position, Side};

use crate::bounds::BoundsTable;
use crate::limits::Budget;
use crate::{
    Endgame, Ending, EndingCost, Evaluate, ForcedWins, Monitor, PlainValue, Searchable, Tuning,
};
use endgame::Solver;

/// With more empty squares the rest of the game is never solved.
const MOST_EMPTY: u32 = 30;

/// Clocks are planned as if the game were solved with about so many empty squares,
const SOON_SOLVED: u32 = 18;
/// within so many moves of each side.
const LAST_MOVES: u32 = 4;

impl Evaluate for Reversi {
    type Evaluator = crate::FromScratch;

    #[inline(always)]
    fn evaluate(&self) -> i32 {
        let (own, other) = self.own_and_other();
        evaluation::evaluate(own, other)
    }

    #[inline(always)]
    fn gain(&self, mv: Move) -> i32 {
        let Move::Place { to } = mv else { return 0 };
        let (own, other) = self.own_and_other();
        gain(own, other, to)
    }

    /// A beginner turns as many pieces as it can.
    fn first_sight(&self, mv: Move) -> i32 {
        let Move::Place { to } = mv else { return 0 };
        let (own, other) = self.own_and_other();
        100 * turned(own, other, to).count_ones() as i32
    }

    /// What all moves have in common is found once.
    #[inline(always)]
    fn for_each_gain(&self, mut visit: impl FnMut(Move, i32)) {
        let (own, other) = self.own_and_other();
        let targets = targets(own, other);
        for to in squares(targets) {
            visit(Move::Place { to }, gain(own, other, to));
        }
        if targets == 0 && self.is_legal(Move::Pass) {
            visit(Move::Pass, 0);
        }
    }
}

impl ForcedWins for Reversi {}

impl Endgame for Reversi {
    fn ending_cost(&self) -> Option<EndingCost> {
        let (own, other) = self.own_and_other();
        let plies = (!(own | other)).count_ones();
        // Hard positions take so many, twice as many with each empty square.
        let nodes = 2 << plies;
        (plies <= MOST_EMPTY).then_some(EndingCost { plies, nodes })
    }

    fn solve_ending(
        &self,
        budget: &mut Budget<'_>,
        monitor: &mut impl Monitor<Move>,
        table: &mut BoundsTable,
    ) -> Option<Ending<Move>> {
        Solver::new(budget, monitor, table).solve(self)
    }
}

impl Searchable for Reversi {
    const TUNING: Tuning = Tuning {
        margin_scale: 2,
        // Wins come at the end, where the search proper sees them as well.
        win_horizon: 2,
        margin_percent: 119,
        aspiration: 44,
        reverse_futility_depth: 10,
        reverse_futility_margin: 51,
        singular_depth: 4,
        singular_margin: 9,
        futility_depth: 5,
        futility_margin: 135,
        futility_slope: 75,
        late_move_count: 286,
        late_move_slope: 139,
        reduction: 32,
        reduction_divisor: 174,
        history_reduction: 847,
        history_bonus: 17,
        history_most: 2_135,
        killer: 346,
        gain_weight: 31,
        ..Tuning::DEFAULT
    };

    #[inline]
    fn history_slot(mv: Move) -> usize {
        u64::from(mv) as usize
    }

    #[inline]
    fn move_tag(mv: Move) -> u16 {
        u64::from(mv) as u16 + 1
    }

    /// Once the rest of the game is solved, moves take no time.
    fn moves_to_go(&self) -> u32 {
        let (own, other) = self.own_and_other();
        let empty = (!(own | other)).count_ones();
        empty.saturating_sub(SOON_SOLVED) / 2 + LAST_MOVES
    }
}

impl PlainValue for Reversi {
    /// The sum of the laboratory's weights, White's pieces minus Black's, whoever is to move and
    /// also when the game is over.
    fn plain_value(&self) -> i32 {
        weighed(self.pieces(Side::Second)) - weighed(self.pieces(Side::First))
    }

    #[inline]
    fn plain_order(&self, mv: Move) -> i32 {
        match mv {
            Move::Place { to } => WEIGHTS[to.column() as usize][to.row() as usize],
            Move::Pass => 0,
        }
    }
}

/// The weights as the laboratory prints them; they are the same by columns and by rows.
const WEIGHTS: [[i32; 8]; 8] = [
    [120, -20, 20, 5, 5, 20, -20, 120],
    [-20, -40, -5, -5, -5, -5, -40, -20],
    [20, -5, 15, 3, 3, 15, -5, 20],
    [5, -5, 3, 3, 3, 3, -5, 5],
    [5, -5, 3, 3, 3, 3, -5, 5],
    [20, -5, 15, 3, 3, 15, -5, 20],
    [-20, -40, -5, -5, -5, -5, -40, -20],
    [120, -20, 20, 5, 5, 20, -20, 120],
];

/// The weights of each column by the pieces in it.
static COLUMN_WEIGHTS: [[i16; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut column = 0;
    while column < 8 {
        let mut pieces = 0;
        while pieces < 256 {
            let mut row = 0;
            while row < 8 {
                if pieces >> row & 1 != 0 {
                    table[column][pieces] += WEIGHTS[column][row] as i16;
                }
                row += 1;
            }
            pieces += 1;
        }
        column += 1;
    }
    table
};

/// The sum of the laboratory's weights over a set of squares.
#[inline]
fn weighed(pieces: u64) -> i32 {
    pieces
        .to_le_bytes()
        .into_iter()
        .zip(&COLUMN_WEIGHTS)
        .map(|(column, weights)| i32::from(weights[column as usize]))
        .sum()
}

/// Corners first, the squares that give them away last, then what leaves few answers.
#[inline(always)]
fn gain(own: u64, other: u64, to: Square) -> i32 {
    let flips = turned(own, other, to);
    let (own, other) = (own | flips | to.bit(), other & !flips);
    let square = match to.bit() {
        bit if bit & CORNERS != 0 => 400,
        bit if bit & NEXT_TO_CORNERS != 0 => -100,
        _ => 0,
    };
    square - 20 * mobility(other, own)
}

const CORNERS: u64 = 0x8100_0000_0000_0081;
const NEXT_TO_CORNERS: u64 = 0x42c3_0000_0000_c342;

#[inline(always)]
fn mobility(own: u64, other: u64) -> i32 {
    let targets = targets(own, other);
    (targets.count_ones() + (targets & CORNERS).count_ones()) as i32
}

#[cfg(test)]
mod tests {
    use ataxxd_rules::random::Random;

    use super::*;

    #[test]
    fn the_gains_of_all_moves_at_once_are_those_of_each_and_come_from_the_rules() {
        let mut random = Random::new(3);
        for _ in 0..20 {
            let mut position = Reversi::start(&Reversi::RULESETS[0]);
            while position.outcome().is_none() {
                let mut gains = Vec::new();
                position.for_each_gain(|mv, gain| gains.push((mv, gain)));
                let moves = position.legal_moves();
                let each = moves.iter().map(|&mv| (mv, position.gain(mv)));
                assert_eq!(gains, each.collect::<Vec<_>>());
                for (mv, gain) in gains {
                    if let Move::Place { to } = mv {
                        let answers = position.play_unchecked(mv).targets();
                        let corners = (answers & CORNERS).count_ones();
                        let square = gain + 20 * (answers.count_ones() + corners) as i32;
                        let near = to.bit() & NEXT_TO_CORNERS != 0;
                        let corner = to.bit() & CORNERS != 0;
                        assert_eq!(square, 400 * i32::from(corner) - 100 * i32::from(near));
                    }
                }
                position = position.play_unchecked(*random.choose(&moves));
            }
        }
    }
}
