//! What a network sees of a checkers board: the men in windows of three by two and of two by three
//! squares, each king, and each king with each other piece.
//!
//! To a window a king's square is empty: with kings, so many states would be so rare that nothing
//! is learnt of most of them.

use ataxxd_rules::checkers::Checkers;
use ataxxd_rules::{Position, Side};

use super::{material, without_gaps};
use crate::bits::bits;
use crate::net::{Features, View, Weights};

/// The states of the six squares of a window, each empty or with an own man or the other's.
const STATES: usize = 729;

/// Windows of three squares side by side in two rows: so many places across and down. They come
/// first.
const LOW: [usize; 2] = [2, 7];
/// Windows of two squares side by side in three rows.
const HIGH: [usize; 2] = [3, 6];

const LOWS: usize = LOW[0] * LOW[1];
const WINDOWS: usize = LOWS + HIGH[0] * HIGH[1];

/// The places of kings, and those of men: the squares for own ones, then those for the other's.
const PLACES: usize = 2 * 32;

/// The rows of the network for kings come after those for windows; after them those for two kings, of which the first
/// has the lower place, and those for a king and a man.
const KINGS: usize = WINDOWS * STATES;
const TWO_KINGS: usize = KINGS + PLACES;
const KING_AND_MAN: usize = TWO_KINGS + PLACES * PLACES;
const ROWS: usize = KING_AND_MAN + PLACES * PLACES;

/// Pieces that leave the board in the course of a stage.
const STAGE: u32 = 3;

/// The squares of every other row of the board, the first included.
const SYSTEM: u64 = 0x0f0f_0f0f;

static WEIGHTS: Weights = Weights::shipped(include_bytes!("weights.bin"));

/// A set of squares with a byte for each row of the board, of which the four lower bits are its squares.
#[inline]
const fn bytes(set: u64) -> u64 {
    let set = (set | set << 16) & 0x0000_ffff_0000_ffff;
    let set = (set | set << 8) & 0x00ff_00ff_00ff_00ff;
    (set | set << 4) & 0x0f0f_0f0f_0f0f_0f0f
}

/// What the squares of each column hold, a byte for each row of the board: 0 for nothing, 1 for a man of
/// the first set and 2 for one of the second.
#[inline]
fn digits(men: [u64; 2]) -> [u64; 4] {
    let [men, others] = men.map(bytes);
    std::array::from_fn(|column| {
        let men_of = |set: u64| set >> column & 0x0101_0101_0101_0101;
        men_of(men) + 2 * men_of(others)
    })
}

/// The bytes of even numbers and those of odd numbers, 16 bits for each.
#[inline]
const fn halves(bytes: u64) -> [u64; 2] {
    let even = 0x00ff_00ff_00ff_00ff;
    [bytes & even, bytes >> 8 & even]
}

/// The states of the windows of three columns from one on, by whether they begin in an even row of the
/// board, 16 bits for each: their squares read in base three.
#[inline]
fn low_states(digits: &[u64; 4], column: usize) -> [u64; 2] {
    let [even, odd] = halves(digits[column] + 3 * digits[column + 1] + 9 * digits[column + 2]);
    [even + 27 * odd, odd + 27 * (even >> 16)]
}

/// Those of the windows of two columns, likewise.
#[inline]
fn high_states(digits: &[u64; 4], column: usize) -> [u64; 2] {
    let [even, odd] = halves(digits[column] + 3 * digits[column + 1]);
    let (next_even, next_odd) = (even >> 16, odd >> 16);
    [
        even + 9 * odd + 81 * next_even,
        odd + 9 * next_even + 81 * next_odd,
    ]
}

/// The state of the window that begins in a row of the board.
#[inline]
const fn state(states: [u64; 2], row: usize) -> usize {
    (states[row % 2] >> (16 * (row / 2)) & 0xffff) as usize
}

/// What a row of the network sees, wherever on the board: rows of the same shape see the same.
pub const fn shape(row: usize) -> usize {
    let (window, state) = (row / STATES, row % STATES);
    // The rows of the board are shifted against each other, so that every other is alike.
    if window < LOWS {
        window % LOW[1] % 2 * STATES + state
    } else if window < WINDOWS {
        (2 + (window - LOWS) % HIGH[1] % 2) * STATES + state
    } else if row < TWO_KINGS {
        4 * STATES + (row - KINGS) / 32
    } else {
        let pair = row - TWO_KINGS;
        let (kind, first, second) = (
            pair / (PLACES * PLACES),
            pair / PLACES % PLACES,
            pair % PLACES,
        );
        4 * STATES + 2 + 4 * kind + 2 * (first / 32) + second / 32
    }
}

/// How many shapes there are.
pub const SHAPES: usize = 4 * STATES + 2 + 8;

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
        let digits = digits([own & !kings, other & !kings]);
        for column in 0..LOW[0] {
            let states = low_states(&digits, column);
            for row in 0..LOW[1] {
                visit((column * LOW[1] + row) * STATES + state(states, row));
            }
        }
        for column in 0..HIGH[0] {
            let states = high_states(&digits, column);
            for row in 0..HIGH[1] {
                visit((LOWS + column * HIGH[1] + row) * STATES + state(states, row));
            }
        }
        let men = own & !kings | (other & !kings) << 32;
        let kings = own & kings | (other & kings) << 32;
        for king in bits(kings) {
            visit(KINGS + king);
            for second in bits(kings & u64::MAX << king << 1) {
                visit(TWO_KINGS + king * PLACES + second);
            }
            for man in bits(men) {
                visit(KING_AND_MAN + king * PLACES + man);
            }
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
        material(self)
    }
}
