//! Reversi for the search: mobility, corners and what cannot be turned any more.

pub mod endgame;

use ataxxd_rules::Side;
use ataxxd_rules::board8::within_one;
use ataxxd_rules::reversi::{Move, Reversi, targets, turned};

use crate::bounds::BoundsTable;
use crate::limits::Budget;
use crate::{Ending, EndingCost, Monitor, Searchable};
use endgame::Solver;

/// With more empty squares the rest of the game is never solved.
const MOST_EMPTY: u32 = 30;

impl Searchable for Reversi {
    // Wins come at the end, where the search proper sees them as well.
    const WIN_HORIZON: u32 = 2;

    #[inline]
    fn evaluate(&self) -> i32 {
        let (own, other) = self.own_and_other();
        let empty = (!(own | other)).count_ones() as i32;
        let difference = |of: fn(u64, u64) -> i32| of(own, other) - of(other, own);
        // Pieces count for nothing until the game is nearly over.
        let pieces = own.count_ones() as i32 - other.count_ones() as i32;
        let late = (24 - empty).max(0);
        difference(places) + MOBILITY * difference(mobility) + STABLE * difference(edge_stable)
            - FRONTIER * difference(frontier)
            + pieces * (4 * late - 6)
            + TEMPO
    }

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

    #[inline]
    fn history_slot(mv: Move) -> usize {
        u64::from(mv) as usize
    }

    #[inline]
    fn move_tag(mv: Move) -> u16 {
        u64::from(mv) as u16 + 1
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
const DIAGONALLY_NEXT: u64 = 0x0042_0000_0000_4200;
const NEXT_TO_CORNERS: u64 = 0x42c3_0000_0000_c342;
const EDGES: u64 = 0xff81_8181_8181_81ff;

/// Centipieces.
const CORNER: i32 = 350;
/// A piece diagonally next to an empty corner, or next to it on the edge.
const DIAGONAL: i32 = -130;
const BESIDE: i32 = -50;
const EDGE: i32 = 12;
/// For each square that can be moved to; corners count twice.
const MOBILITY: i32 = 28;
/// For each piece on an edge that can never be turned.
const STABLE: i32 = 60;
/// For each piece next to an empty square.
const FRONTIER: i32 = 9;
const TEMPO: i32 = 20;

/// The worth of the places taken.
#[inline]
fn places(own: u64, other: u64) -> i32 {
    let count = |set: u64| set.count_ones() as i32;
    let open_corners = within_one(CORNERS & !(own | other)) & own;
    CORNER * count(own & CORNERS)
        + DIAGONAL * count(open_corners & DIAGONALLY_NEXT)
        + BESIDE * count(open_corners & EDGES)
        + EDGE * count(own & EDGES)
}

#[inline]
fn mobility(own: u64, other: u64) -> i32 {
    let targets = targets(own, other);
    (targets.count_ones() + (targets & CORNERS).count_ones()) as i32
}

/// Pieces next to an empty square, over which the opponent may get moves.
#[inline]
fn frontier(own: u64, other: u64) -> i32 {
    (own & within_one(!(own | other))).count_ones() as i32
}

/// Pieces on the edges that are joined to an own corner along the edge.
#[inline]
fn edge_stable(own: u64, _other: u64) -> i32 {
    if own & CORNERS == 0 {
        return 0;
    }
    let edge = own & EDGES;
    let mut stable = own & CORNERS;
    loop {
        // Along columns and rows only; within the edge there is nothing else to reach.
        let grown = (stable | stable << 1 | stable >> 1 | stable << 8 | stable >> 8) & edge;
        if grown == stable {
            return stable.count_ones() as i32;
        }
        stable = grown;
    }
}
