//! Reversi for the search.

pub mod endgame;
pub mod evaluation;
pub mod patterns;

use ataxxd_rules::Side;
use ataxxd_rules::reversi::{Move, Reversi, targets, turned};

use crate::bounds::BoundsTable;
use crate::limits::Budget;
use crate::{
    Endgame, Ending, EndingCost, Evaluate, ForcedWins, Monitor, PlainValue, Searchable, Tuning,
};
use endgame::Solver;

/// With more empty squares the rest of the game is never solved.
const MOST_EMPTY: u32 = 30;

impl Evaluate for Reversi {
    #[inline]
    fn evaluate(&self) -> i32 {
        let (own, other) = self.own_and_other();
        evaluation::evaluate(own, other)
    }

    /// Corners first, the squares that give them away last, then what leaves few answers.
    #[inline]
    fn gain(&self, mv: Move) -> i32 {
        let Move::Place { to } = mv else { return 0 };
        let (own, other) = self.own_and_other();
        let flips = turned(own, other, to);
        let (own, other) = (own | flips | to.bit(), other & !flips);
        let square = match to.bit() {
            bit if bit & CORNERS != 0 => 400,
            bit if bit & NEXT_TO_CORNERS != 0 => -100,
            _ => 0,
        };
        square - 20 * mobility(other, own)
    }

    fn load_weights() {
        evaluation::prepare();
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

const CORNERS: u64 = 0x8100_0000_0000_0081;
const NEXT_TO_CORNERS: u64 = 0x42c3_0000_0000_c342;

#[inline]
fn mobility(own: u64, other: u64) -> i32 {
    let targets = targets(own, other);
    (targets.count_ones() + (targets & CORNERS).count_ones()) as i32
}
