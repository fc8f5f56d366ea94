//! Pruning, and reductions of unlikely moves.
//!
//! None of this touches forced short wins: the win finder proves those beforehand.

use std::sync::LazyLock;

use crate::logarithm::ln;
use crate::tuning::Tuning;

/// Beyond this score a game is as good as decided: what matters is how it ends, which no evaluation
/// tells, so the search looks. In centipieces, before a game's `margin_scale`.
const AS_GOOD_AS_DECIDED: i32 = 2_500;

/// The fractional bits of `Guesses::gain_scale`.
const POINT: u32 = 8;

/// The numbers of a search, as its inner loop needs them.
#[derive(Debug)]
pub struct Guesses {
    pub tuning: Tuning,
    /// Scores beyond which nothing is left out for the evaluation alone.
    pub as_good_as_decided: i32,
    /// Half the width of the first aspiration window, and from which width on it is open.
    pub aspiration: (i32, i32),
    /// How far above the window a position has to be to be pruned, for each ply.
    reverse_futility: i32,
    /// What the rest of the line may still bring: this, and for each ply.
    futility: (i32, i32),
    /// The weight of what a move wins.
    gain_scale: i32,
    /// By depth and by how many moves came before.
    reductions: Reductions,
}

type Reductions = [[i8; 64]; 64];

/// Made once: thousands of logarithms take longer than a short search.
static LOGARITHMS: LazyLock<[f64; 64]> =
    LazyLock::new(|| std::array::from_fn(|number| ln(number.max(1) as f64)));

/// The usual ones, made once.
static REDUCTIONS: LazyLock<Reductions> = LazyLock::new(|| reductions(&Tuning::DEFAULT));

fn reductions(tuning: &Tuning) -> Reductions {
    let base = f64::from(tuning.reduction) / 100.0;
    let divisor = f64::from(tuning.reduction_divisor) / 100.0;
    let logarithms = &*LOGARITHMS;
    std::array::from_fn(|depth| {
        std::array::from_fn(|count| (base + logarithms[depth] * logarithms[count] / divisor) as i8)
    })
}

impl Guesses {
    pub fn new(tuning: Tuning) -> Self {
        let percent = tuning.margin_scale * tuning.margin_percent;
        let scaled = |centipieces: i32| percent * centipieces / 100;
        let by = |of: &Tuning| (of.reduction, of.reduction_divisor);
        Self {
            as_good_as_decided: tuning.margin_scale * AS_GOOD_AS_DECIDED,
            aspiration: (scaled(tuning.aspiration), scaled(1_000)),
            reverse_futility: scaled(tuning.reverse_futility_margin),
            futility: (
                scaled(tuning.futility_margin),
                scaled(tuning.futility_slope),
            ),
            gain_scale: (percent << POINT) / 100,
            reductions: if by(&tuning) == by(&Tuning::DEFAULT) {
                *REDUCTIONS
            } else {
                reductions(&tuning)
            },
            tuning,
        }
    }

    /// How far above the window a position has to be to be pruned.
    #[inline]
    pub const fn reverse_futility_margin(&self, depth: i32) -> i32 {
        self.reverse_futility * depth
    }

    /// The depth left after a null move.
    #[inline]
    pub fn null_move_depth(&self, depth: i32, surplus: i32) -> i32 {
        let ply = self.tuning.null_move_surplus;
        depth
            - self.tuning.null_move_reduction
            - depth / self.tuning.null_move_divisor
            - surplus.min(2 * ply) / ply
    }

    /// By how much all other moves have to be worse for one to be looked at more deeply.
    #[inline]
    pub const fn singular_margin(&self, depth: i32) -> i32 {
        let tuning = &self.tuning;
        let percent = tuning.margin_scale * tuning.margin_percent;
        percent * (tuning.singular_margin * depth / 4) / 100
    }

    /// How much a move that wins so much, and the rest of the line, may bring.
    #[inline]
    pub const fn futility_margin(&self, depth: i32, gain: i32) -> i32 {
        ((self.gain_scale * gain) >> POINT) + self.futility.0 + self.futility.1 * depth
    }

    /// How many moves are tried before the rest is skipped.
    #[inline]
    pub const fn late_move_count(&self, depth: i32, improving: bool) -> usize {
        let tuning = &self.tuning;
        let count = (tuning.late_move_count + tuning.late_move_slope * depth * depth) / 100;
        (if improving { count } else { count * 2 / 3 }) as usize
    }

    /// Plies less for a move after `count` others.
    #[inline]
    pub fn reduction(&self, depth: i32, count: usize) -> i32 {
        i32::from(self.reductions[depth.clamp(0, 63) as usize][count.min(63)])
    }

    /// Plies less, or more, for a move of this history.
    #[inline]
    pub const fn history_reduction(&self, history: i32) -> i32 {
        -(history * self.tuning.history_reduction / (8_192 * 1_024))
    }
}
