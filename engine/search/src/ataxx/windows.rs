//! What a network sees of an Ataxx board: its 36 windows of two by two squares.

use ataxxd_rules::ataxx::Ataxx;

use super::{evaluation, sides};
use crate::net::{Features, View, Weights};

/// Windows of two by two squares along a side of the board.
const ACROSS: usize = 6;

/// What four squares can hold, each nothing, an own piece, the other's or a block.
pub const STATES: usize = 256;

/// Pieces that come onto the board in the course of a stage.
const STAGE: u32 = 8;

/// Per set of squares of a row, the same with two bits a square, the lower of which is used.
static SPREAD: [u16; 128] = {
    let mut table = [0; 128];
    let mut set = 0;
    while set < 128 {
        let mut column = 0;
        while column < 7 {
            table[set] |= ((set >> column & 1) << (2 * column)) as u16;
            column += 1;
        }
        set += 1;
    }
    table
};

static WEIGHTS: Weights = Weights::shipped(include_bytes!("weights.bin"));

impl Features for Ataxx {
    fn weights() -> &'static Weights {
        &WEIGHTS
    }

    const ROWS: usize = ACROSS * ACROSS * STATES;
    const STAGES: usize = 7;

    #[inline]
    fn view(&self) -> View {
        let (own, other) = sides(self);
        [own, other, self.blocks()]
    }

    #[inline]
    fn for_each_row(&[own, other, blocks]: &View, mut visit: impl FnMut(usize)) {
        let line = |row: usize| {
            let bits = |set: u64| usize::from(SPREAD[(set >> (8 * row) & 127) as usize]);
            bits(own | blocks) | bits(other | blocks) << 1
        };
        let mut lower = line(0);
        for row in 0..ACROSS {
            let upper = line(row + 1);
            for column in 0..ACROSS {
                let state = lower >> (2 * column) & 15 | (upper >> (2 * column) & 15) << 4;
                visit((row * ACROSS + column) * STATES + state);
            }
            lower = upper;
        }
    }

    #[inline]
    fn stage(&[own, other, _]: &View) -> usize {
        ((own | other).count_ones().saturating_sub(1) / STAGE) as usize
    }

    #[inline]
    fn known(&self) -> i32 {
        evaluation::evaluate(self)
    }
}
