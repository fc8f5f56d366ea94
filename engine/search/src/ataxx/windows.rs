//! The network inputs of an Ataxx board: its 36 windows of two by two squares.

use ataxxd_rules::ataxx::Ataxx;

use super::sides;
use crate::net::{
    Features, Stepwise, View, Weights, for_each_change, for_each_window, interleaved,
};

/// Windows of two by two squares along a side of the board.
const ACROSS: usize = 6;

/// The states of four squares, each empty, own or the other's, with a block on one at most.
const USUAL: usize = 81 + 4 * 27;

/// The states with blocks on two squares or more.
const RARE: usize = 256 - USUAL;

/// The first row of the rare states, which have the same row in every window; the usual ones have a row for each
/// window.
const FIRST_SHARED: usize = ACROSS * ACROSS * USUAL;

/// By state, with two bits a square: the row of the first window, and the step to that of the next.
static ROW: [(u16, u16); 256] = {
    let mut table = [(0, 0); 256];
    let (mut bits, mut usual, mut rare) = (0_usize, 0, FIRST_SHARED);
    while bits < 256 {
        if (bits & bits >> 1 & 0x55).count_ones() < 2 {
            table[bits] = (usual as u16, USUAL as u16);
            usual += 1;
        } else {
            table[bits] = (rare as u16, 0);
            rare += 1;
        }
        bits += 1;
    }
    table
};

/// The same by the bits of two sets in a window.
static ROW_BY_SETS: [(u16, u16); 256] = {
    let mut table = [(0, 0); 256];
    let mut bits = 0;
    while bits < 256 {
        table[bits] = ROW[interleaved(bits)];
        bits += 1;
    }
    table
};

/// Rows that differ only in where their windows are have the same shape.
pub const SHAPES: usize = USUAL + RARE;

/// The shape of a row, below `SHAPES`.
pub const fn shape(row: usize) -> usize {
    if row < FIRST_SHARED {
        row % USUAL
    } else {
        USUAL + row - FIRST_SHARED
    }
}

/// Pieces that come onto the board in the course of a stage.
const STAGE: u32 = 8;

static WEIGHTS: Weights = Weights::shipped(include_bytes!("weights.bin"));

impl Features for Ataxx {
    fn weights() -> &'static Weights {
        &WEIGHTS
    }

    const ROWS: usize = FIRST_SHARED + RARE;
    const HIDDEN: usize = 256;
    const STAGES: usize = 7;
    const CENTIPIECES: i32 = 300;

    #[inline]
    fn view(&self) -> View {
        let (own, other) = sides(self);
        [own, other, self.blocks()]
    }

    #[inline(always)]
    fn for_each_row(&[own, other, blocks]: &View, mut visit: impl FnMut(usize)) {
        for_each_window(own | blocks, other | blocks, ACROSS, |window, bits| {
            visit(row(window, ROW[bits]));
        });
    }

    #[inline]
    fn stage(&[own, other, _]: &View) -> usize {
        ((own | other).count_ones().saturating_sub(1) / STAGE) as usize
    }
}

impl Stepwise for Ataxx {
    #[inline(always)]
    fn for_each_change(
        before: &View,
        after: &View,
        most: u32,
        mut visit: impl FnMut(usize, usize),
    ) -> bool {
        let sets = |&[own, other, blocks]: &View| [own | blocks, other | blocks];
        for_each_change(
            sets(before),
            sets(after),
            ACROSS,
            most,
            #[inline(always)]
            |window, old, new| visit(row(window, ROW_BY_SETS[old]), row(window, ROW_BY_SETS[new])),
        )
    }
}

/// The row of what a window holds.
#[inline(always)]
fn row(window: usize, (first, step): (u16, u16)) -> usize {
    usize::from(first) + window * usize::from(step)
}
