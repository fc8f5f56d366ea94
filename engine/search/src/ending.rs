//! The result of an endgame with best play.

use ataxxd_rules::Position;

use crate::Monitor;
use crate::bounds::BoundsTable;
use crate::limits::Budget;

/// A game whose endings are known or can be solved; by default none are.
pub trait Endgame: Position {
    /// How the game ends with best play, where that is known without a search: 1, 0 or -1 when the
    /// side to move wins, draws or loses, and in how many plies, at most
    /// `MOST_KNOWN_PLIES`. Finished games are not asked for.
    #[inline]
    fn known_end(&self) -> Option<(i32, u32)> {
        None
    }

    /// Best play from a position whose end is known, the best move first.
    fn known_line(&self) -> Option<Known<Self::Move>> {
        None
    }

    /// What `solve_ending` would take; `None` where it is not to be tried at all.
    fn ending_cost(&self) -> Option<EndingCost> {
        None
    }

    /// Proves how the game ends with best play, as far as the budget reaches.
    ///
    /// It is called where `ending_cost` says that the limits allow it.
    fn solve_ending(
        &self,
        _budget: &mut Budget<'_>,
        _monitor: &mut impl Monitor<Self::Move>,
        _table: &mut BoundsTable,
    ) -> Option<Ending<Self::Move>> {
        None
    }

    /// Called before each search: begins to load tables in the background.
    fn begin_loading_tables() {}

    /// Loads tables, and returns when they are there.
    fn load_tables() {}
}

/// What it takes to solve the rest of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndingCost {
    /// Moves until the end, of both sides together.
    pub plies: u32,
    /// Positions to visit, about.
    pub nodes: u64,
}

/// What an exact search has proved of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending<M> {
    /// A move that leads to `lower` at least.
    pub best: M,
    /// How many pieces ahead the side to move ends at least; negative if it ends behind.
    pub lower: i32,
    /// How many pieces ahead it ends at most.
    pub upper: i32,
    /// Best play, `best` first; up to the end of the game when both bounds are equal.
    pub line: Vec<M>,
}

impl<M> Ending<M> {
    /// 1, 0 or -1 when it is proved that the side to move wins, draws or loses.
    pub fn result(&self) -> Option<i32> {
        let (lower, upper) = (self.lower.signum(), self.upper.signum());
        (lower == upper).then_some(lower)
    }

    /// By how many pieces the side to move wins, when that is proved.
    pub fn margin(&self) -> Option<i32> {
        (self.lower == self.upper).then_some(self.lower)
    }
}

/// How a game ends with best play, known without a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known<M> {
    /// 1, 0 or -1 when the side to move wins, draws or loses.
    pub result: i32,
    /// Plies until then; 0 for a draw.
    pub plies: u32,
    /// Best play; up to the end of the game when it is won or lost, else one move.
    pub line: Vec<M>,
}
