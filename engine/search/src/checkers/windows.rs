//! What a network sees of a checkers board: the men in windows of three by two and of two by three
//! squares, and each king.
//!
//! To a window a king's square is empty: with kings, so many states would be so rare that nothing
//! is learnt of most of them.

use ataxxd_rules::checkers::Checkers;
use ataxxd_rules::{Position, Side};

use super::{standing, without_gaps};
use crate::net::{Features, View, Weights};
use crate::ternary;

/// The states of the six squares of a window, each empty or with an own man or the other's.
const STATES: usize = 729;

/// Windows of three squares side by side in two rows: so many places across and down. They come
/// first.
const LOW: [usize; 2] = [2, 7];
/// Windows of two squares side by side in three rows.
const HIGH: [usize; 2] = [3, 6];

const LOWS: usize = LOW[0] * LOW[1];
const WINDOWS: usize = LOWS + HIGH[0] * HIGH[1];

/// The rows of the network for kings come after those for windows.
const KINGS: usize = WINDOWS * STATES;
const ROWS: usize = KINGS + 2 * 32;

/// Pieces that leave the board in the course of a stage.
const STAGE: u32 = 3;

/// The squares of every other row of the board, the first included.
const SYSTEM: u64 = 0x0f0f_0f0f;

static TERNARY: [u16; 64] = ternary::table();

static WEIGHTS: Weights = Weights::shipped(include_bytes!("weights.bin"));

/// Three columns of a set of squares, of which the first is its lowest bit: three bits a row.
#[inline]
const fn three_columns(set: u64) -> u64 {
    let set = set & 0x7777_7777;
    let set = set & 0x0707_0707 | set >> 1 & 0x3838_3838;
    let set = set & 0x003f_003f | set >> 2 & 0x0fc0_0fc0;
    set & 0xfff | set >> 4 & 0xfff000
}

/// Two columns, likewise: two bits a row.
#[inline]
const fn two_columns(set: u64) -> u64 {
    let set = set & 0x3333_3333;
    let set = (set | set >> 2) & 0x0f0f_0f0f;
    let set = (set | set >> 4) & 0x00ff_00ff;
    (set | set >> 8) & 0xffff
}

/// What six squares hold, the lowest of two sets without a common square.
#[inline]
fn state([men, others]: [u64; 2]) -> usize {
    let [men, others] = [men, others].map(|set| usize::from(TERNARY[(set & 63) as usize]));
    men + 2 * others
}

/// What a row of the network sees, wherever on the board: rows of the same shape see the same.
pub const fn shape(row: usize) -> usize {
    let (window, state) = (row / STATES, row % STATES);
    // The rows of the board are shifted against each other, so that every other is alike.
    if window < LOWS {
        window % LOW[1] % 2 * STATES + state
    } else if window < WINDOWS {
        (2 + (window - LOWS) % HIGH[1] % 2) * STATES + state
    } else {
        4 * STATES + (row - KINGS) / 32
    }
}

/// How many shapes there are.
pub const SHAPES: usize = 4 * STATES + 2;

impl Features for Checkers {
    fn weights() -> &'static Weights {
        &WEIGHTS
    }

    const ROWS: usize = ROWS;
    const HIDDEN: usize = 32;
    const STAGES: usize = 32;
    const CENTIPIECES: i32 = 80;

    /// Own men go up in the numbers of the squares.
    #[inline]
    fn view(&self) -> View {
        let squares = |set| u64::from(without_gaps(set));
        let turn = self.turn();
        let sets = [
            self.pieces(turn),
            self.pieces(turn.opponent()),
            self.kings(),
        ];
        match turn {
            Side::First => sets.map(squares),
            Side::Second => sets.map(|set| squares(set.reverse_bits() >> 29)),
        }
    }

    #[inline(always)]
    fn for_each_row(&[own, other, kings]: &View, mut visit: impl FnMut(usize)) {
        // All rows are listed before the first is visited: with a single call of `visit`, the sums stay in
        // registers.
        let mut rows = [0; WINDOWS];
        let men = [own & !kings, other & !kings];
        let (low, high) = rows.split_at_mut(LOWS);
        for column in 0..LOW[0] {
            let men = men.map(|set| three_columns(set >> column));
            for row in 0..LOW[1] {
                let window = column * LOW[1] + row;
                low[window] = window * STATES + state(men.map(|set| set >> (3 * row)));
            }
        }
        for column in 0..HIGH[0] {
            let men = men.map(|set| two_columns(set >> column));
            for row in 0..HIGH[1] {
                let window = column * HIGH[1] + row;
                high[window] = (LOWS + window) * STATES + state(men.map(|set| set >> (2 * row)));
            }
        }
        // Own kings, then the other's.
        let mut kings = own & kings | (other & kings) << 32;
        let next_king = || {
            let square = kings.trailing_zeros() as usize;
            kings &= kings.wrapping_sub(1);
            (square < 64).then_some(KINGS + square)
        };
        for row in rows.into_iter().chain(std::iter::from_fn(next_king)) {
            visit(row);
        }
    }

    /// By the number of pieces, by whether there are kings, and by which side *has the move*: with as many
    /// pieces on both sides, the one that makes the last step before they meet.
    #[inline]
    fn stage(&[own, other, kings]: &View) -> usize {
        let count = (own | other).count_ones().saturating_sub(1) / STAGE;
        let step = ((own | other) & SYSTEM).count_ones() & 1;
        let crowned = u32::from(kings != 0);
        (4 * count.min(7) + 2 * crowned + step) as usize
    }

    #[inline]
    fn known(&self) -> i32 {
        standing(self)
    }
}
