//! Openings and symmetries of Lines of Action.

use ataxxd_rules::Position;
use ataxxd_rules::loa::Loa;
use ataxxd_rules::random::Random;
use ataxxd_search::loa::windows;
use ataxxd_search::net::View;

use super::symmetry::turned;
use super::{Fitted, Trainable};

/// Moves that end a game when the ruleset's own limit does not.
const LONG_GAME: u32 = 160;

impl Fitted for Loa {
    const SYMMETRIES: u64 = 8;
    const SHAPES: usize = windows::STATES;
    const RARE: Option<f32> = Some(300.0);

    fn turned(&[own, other, rest]: &View, symmetry: u64) -> View {
        [turned(own, 8, symmetry), turned(other, 8, symmetry), rest]
    }

    fn shape(row: usize) -> Option<usize> {
        (row < windows::FOR_LINES).then_some(row % Self::SHAPES)
    }
}

impl Trainable for Loa {
    /// The start; half of the games end after the ruleset's number of moves, the others go on.
    fn board(random: &mut Random) -> Self {
        let start = Self::start(&Self::RULESETS[0]);
        if random.below(2) == 0 {
            return start;
        }
        let text = format!("{} 0 {LONG_GAME}", start.text());
        Self::from_text(start.ruleset(), &text).expect("the position is well formed")
    }

    fn random_plies(random: &mut Random) -> u64 {
        2 + random.below(11)
    }
}
