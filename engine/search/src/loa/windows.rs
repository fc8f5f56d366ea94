//! The network inputs of a board of Lines of Action: its 49 windows of two by two squares, and its lines.

use ataxxd_rules::Position;
use ataxxd_rules::loa::Loa;

use super::lines;
use crate::net::{
    Features, Stepwise, View, Weights, for_each_change, for_each_window, interleaved,
};

/// Windows of two by two squares along a side of the board.
const ACROSS: usize = 7;

/// The states of four squares, each empty, own or the other's.
pub const STATES: usize = 81;

/// The rows of the network for lines come after those for windows.
pub const FOR_LINES: usize = ACROSS * ACROSS * STATES;

/// Pieces that are taken in the course of a stage.
const STAGE: u32 = 4;

/// The state of a window, by two bits a square.
static STATE: [u8; 256] = {
    let mut table = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let state = (bits & 3) + 3 * (bits >> 2 & 3) + 9 * (bits >> 4 & 3) + 27 * (bits >> 6);
        table[bits] = state as u8;
        bits += 1;
    }
    table
};

/// The same by the bits of two sets in a window.
static STATE_BY_SETS: [u8; 256] = {
    let mut table = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        table[bits] = STATE[interleaved(bits)];
        bits += 1;
    }
    table
};

static WEIGHTS: Weights = Weights::shipped(include_bytes!("weights.bin"));

impl Features for Loa {
    fn weights() -> &'static Weights {
        &WEIGHTS
    }

    const ROWS: usize = FOR_LINES + lines::ROWS;
    const HIDDEN: usize = 64;
    const STAGES: usize = 5;
    const PACKED: bool = true;

    #[inline]
    fn view(&self) -> View {
        let turn = self.turn();
        [self.pieces(turn), self.pieces(turn.opponent()), 0]
    }

    #[inline(always)]
    fn for_each_row(&[own, other, _]: &View, mut visit: impl FnMut(usize)) {
        for_each_window(own, other, ACROSS, |window, bits| {
            visit(row(window, STATE[bits]));
        });
        lines::for_each_line([own, other], |row| visit(FOR_LINES + row));
    }

    #[inline]
    fn stage(&[own, other, _]: &View) -> usize {
        let taken = 24_u32.saturating_sub((own | other).count_ones());
        (taken / STAGE).min(Self::STAGES as u32 - 1) as usize
    }
}

impl Stepwise for Loa {
    #[inline(always)]
    fn for_each_change(
        &[own, other, _]: &View,
        &[new_own, new_other, _]: &View,
        most: u32,
        mut visit: impl FnMut(usize, usize),
    ) -> bool {
        let (before, after) = ([own, other], [new_own, new_other]);
        let different = lines::different(before, after);
        let Some(most) = most.checked_sub(different.count_ones()) else {
            return false;
        };
        if !for_each_change(
            before,
            after,
            ACROSS,
            most,
            #[inline(always)]
            |window, old, new| {
                visit(
                    row(window, STATE_BY_SETS[old]),
                    row(window, STATE_BY_SETS[new]),
                )
            },
        ) {
            return false;
        }
        lines::for_each_of(different, before, after, |old, new| {
            visit(FOR_LINES + old, FOR_LINES + new);
        });
        true
    }
}

/// The row of what a window holds.
#[inline(always)]
fn row(window: usize, state: u8) -> usize {
    window * STATES + usize::from(state)
}
