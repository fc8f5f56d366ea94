//! What the search leaves out, and by how much it looks less deeply at unlikely moves.
//!
//! All numbers are centipieces or plies and were chosen by matches between versions.
//! None of this touches forced short wins: the win finder proves those beforehand.

use std::sync::LazyLock;

use crate::logarithm::ln;

/// Beyond this score a game is as good as decided: what matters is how it ends, which no evaluation
/// tells, so the search looks.
pub const AS_GOOD_AS_DECIDED: i32 = 2_500;

/// Down to which depth a position far above the window is left alone.
pub const REVERSE_FUTILITY_DEPTH: i32 = 8;

/// How far above the window it has to be.
#[inline]
pub const fn reverse_futility_margin(depth: i32) -> i32 {
    40 * depth
}

/// From which depth on the search asks what happens if the side to move does nothing.
pub const NULL_MOVE_DEPTH: i32 = 3;

/// The depth left after a null move.
#[inline]
pub const fn null_move_depth(depth: i32, surplus: i32) -> i32 {
    let surplus = if surplus > 600 { 600 } else { surplus };
    depth - 3 - depth / 4 - surplus / 300
}

/// From which depth on a position without a table move is searched one ply less.
pub const INTERNAL_REDUCTION_DEPTH: i32 = 4;

/// From which depth on a move that is much better than the others is looked at more deeply.
pub const SINGULAR_DEPTH: i32 = 6;

/// By how much it has to be.
#[inline]
pub const fn singular_margin(depth: i32) -> i32 {
    10 * depth / 4
}

/// Down to which depth moves that cannot reach the window are skipped.
pub const FUTILITY_DEPTH: i32 = 4;

/// How much the rest of the line may still bring.
#[inline]
pub const fn futility_margin(depth: i32) -> i32 {
    93 + 60 * depth
}

/// Down to which depth late moves are skipped.
pub const LATE_MOVE_DEPTH: i32 = 5;

/// How many moves are tried before the rest is skipped.
#[inline]
pub const fn late_move_count(depth: i32, improving: bool) -> usize {
    let count = 3 + 3 * depth * depth / 2;
    (if improving { count } else { count * 2 / 3 }) as usize
}

/// Late move reductions, by depth and by how many moves came before.
#[derive(Debug)]
pub struct Reductions(&'static [[i8; 64]; 64]);

/// Made once: thousands of logarithms take longer than a short search.
static REDUCTIONS: LazyLock<[[i8; 64]; 64]> = LazyLock::new(|| {
    std::array::from_fn(|depth| {
        std::array::from_fn(|count| {
            let product = ln(depth.max(1) as f64) * ln(count.max(1) as f64);
            (0.4 + product / 1.3) as i8
        })
    })
});

impl Reductions {
    pub fn new() -> Self {
        Self(&REDUCTIONS)
    }

    /// Plies less for a move after `count` others.
    #[inline]
    pub fn plies(&self, depth: i32, count: usize) -> i32 {
        i32::from(self.0[depth.clamp(0, 63) as usize][count.min(63)])
    }
}
