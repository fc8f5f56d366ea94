//! Openings of checkers.

use ataxxd_rules::checkers::Checkers;
use ataxxd_rules::random::Random;
use ataxxd_rules::{Position, find_ruleset};
use ataxxd_search::checkers::windows;
use ataxxd_search::net::View;

use super::{Detours, Fitted, Trainable};

impl Fitted for Checkers {
    /// Men have a direction, and each side already sees the board as its own.
    const SYMMETRIES: u64 = 1;
    const SHAPES: usize = windows::SHAPES;

    fn turned(view: &View, _symmetry: u64) -> View {
        *view
    }

    fn shape(row: usize) -> Option<usize> {
        Some(windows::shape(row))
    }
}

impl Trainable for Checkers {
    /// Captures are forced: after more moves at random a man is lost.
    const EXPLORING: Detours = Detours { one_in: 5, most: 1 };

    /// Captures are played out before a position is judged.
    fn is_judged(&self) -> bool {
        !self.must_capture()
    }

    /// The rules with draws: under the others many games would never end.
    fn board(_random: &mut Random) -> Self {
        Self::start(find_ruleset("checkers/acf").expect("it exists"))
    }

    fn random_plies(random: &mut Random) -> u64 {
        3 + random.below(8)
    }
}

#[cfg(test)]
mod tests {
    use ataxxd_search::net::Features;

    use super::*;
    use crate::network::trainable::opening;

    #[test]
    fn openings_differ_and_are_those_of_rules_that_end_every_game() {
        let mut texts: Vec<_> = (0..100)
            .map(|index| opening::<Checkers>(&mut Random::stream(1, index)))
            .inspect(|position| assert!(position.draw_clock().is_some()))
            .map(|position| position.text())
            .collect();
        texts.sort();
        texts.dedup();
        assert!(texts.len() > 90, "{} of 100", texts.len());
    }

    #[test]
    fn rows_of_a_shape_see_the_same_and_every_shape_is_used() {
        let mut used = vec![0; windows::SHAPES];
        for row in 0..Checkers::ROWS {
            used[Checkers::shape(row).expect("it has one")] += 1;
        }
        // A window of three rows has nine places on rows of either kind, one of two six or eight; a king has 32, and
        // two pieces have the square of that.
        assert!(
            used.iter()
                .all(|count| [6, 8, 9, 32, 32 * 32].contains(count))
        );
    }
}
