//! Clobber for the search.

use ataxxd_rules::clobber::{Clobber, neighbours};

use crate::{Endgame, Evaluate, ForcedWins, FromScratch, PlainValue, Searchable, Tuning};

impl Evaluate for Clobber {
    type Evaluator = FromScratch;

    /// Pieces do not matter, but those that can still move do.
    fn evaluate(&self) -> i32 {
        let (own, other) = self.own_and_other();
        let movable = |ours: u64, theirs: u64| (ours & neighbours(theirs)).count_ones() as i32;
        10 * (movable(own, other) - movable(other, own))
    }
}

impl ForcedWins for Clobber {}

impl Endgame for Clobber {}

impl PlainValue for Clobber {}

impl Searchable for Clobber {
    const TUNING: Tuning = Tuning {
        win_horizon: 2,
        ..Tuning::DEFAULT
    };
}
