//! How settled the best move is, for time management.

/// What the iterations so far say about the best move.
#[derive(Debug)]
pub struct Instability<M> {
    best: M,
    /// Iterations that have confirmed it.
    confirmed: usize,
    /// Its score, and what it was an iteration earlier.
    scores: [i32; 2],
}

/// More time while the best move changes, less once iterations agree.
const BY_CONFIRMATIONS: [f64; 6] = [1.5, 1.25, 1.1, 1.0, 0.9, 0.8];

/// The most that a falling score adds.
const LARGEST_FALL: f64 = 0.6;

impl<M: Copy + Eq> Instability<M> {
    pub const fn new(best: M, score: i32) -> Self {
        Self {
            best,
            confirmed: 0,
            scores: [score; 2],
        }
    }

    /// Takes note of a finished iteration; scores are in centipieces.
    pub fn hear(&mut self, best: M, score: i32) {
        self.confirmed = if best == self.best {
            self.confirmed + 1
        } else {
            0
        };
        self.best = best;
        self.scores = [score, self.scores[0]];
    }

    /// The factor by which it is worth thinking longer (above 1) or shorter than usual.
    ///
    /// `effort` is the share of all positions that were visited below the best move: where it is
    /// large, the others were soon refuted. `scale` is how many centipieces count as one.
    pub fn factor(&self, effort: f64, scale: i32) -> f64 {
        let confirmed = BY_CONFIRMATIONS[self.confirmed.min(BY_CONFIRMATIONS.len() - 1)];
        let fall = f64::from(self.scores[1] - self.scores[0]) / f64::from(100 * scale);
        (1.7 - 1.2 * effort) * confirmed * (1.0 + fall.clamp(0.0, LARGEST_FALL))
    }
}

#[cfg(test)]
mod tests {
    use super::Instability;

    #[test]
    fn a_move_that_stays_the_best_needs_less_time_and_a_new_one_more() {
        let mut instability = Instability::new('a', 0);
        let mut before = instability.factor(0.5, 1);
        for _ in 0..5 {
            instability.hear('a', 0);
            let now = instability.factor(0.5, 1);
            assert!(now < before);
            before = now;
        }
        instability.hear('b', 0);
        assert!(instability.factor(0.5, 1) > 1.5 * before);
    }

    #[test]
    fn alternatives_that_are_hard_to_refute_and_a_falling_score_ask_for_time() {
        let mut instability = Instability::new('a', 100);
        assert!(instability.factor(0.2, 1) > 1.5 * instability.factor(0.9, 1));
        instability.hear('a', 100);
        let calm = instability.factor(0.5, 1);
        instability.hear('a', 50);
        assert!(instability.factor(0.5, 1) > calm);
    }
}
