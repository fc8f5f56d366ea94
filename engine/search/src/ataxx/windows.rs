//! What a network sees of an Ataxx board: its 36 windows of two by two squares.

use ataxxd_rules::ataxx::Ataxx;

use super::sides;
use crate::net::{Features, View, Weights, for_each_window};

/// Windows of two by two squares along a side of the board.
const ACROSS: usize = 6;

/// What four squares can hold, each nothing, an own piece, the other's or a block.
pub const STATES: usize = 256;

/// Pieces that come onto the board in the course of a stage.
const STAGE: u32 = 8;

static WEIGHTS: Weights = Weights::shipped(include_bytes!("weights.bin"));

impl Features for Ataxx {
    fn weights() -> &'static Weights {
        &WEIGHTS
    }

    const ROWS: usize = ACROSS * ACROSS * STATES;
    const HIDDEN: usize = 128;
    const STAGES: usize = 7;
    const CENTIPIECES: i32 = 300;

    #[inline]
    fn view(&self) -> View {
        let (own, other) = sides(self);
        [own, other, self.blocks()]
    }

    #[inline]
    fn for_each_row(&[own, other, blocks]: &View, mut visit: impl FnMut(usize)) {
        for_each_window(own | blocks, other | blocks, ACROSS, |window, state| {
            visit(window * STATES + state);
        });
    }

    #[inline]
    fn stage(&[own, other, _]: &View) -> usize {
        ((own | other).count_ones().saturating_sub(1) / STAGE) as usize
    }
}
