//! Scores: centipieces, and wins and losses by their distance.

/// A score beyond all others.
pub const INFINITE: i32 = 32_500;

/// The score of a win on the board; a win `n` plies away is worth `n` less.
pub const WIN: i32 = 32_000;

/// The longest line searched, in plies.
pub const MAX_PLY: usize = 128;

/// The furthest end that is known without a search, in plies: of checkers with five pieces.
pub const MOST_KNOWN_PLIES: u32 = 162;

/// Evaluations are within ± so many centipieces.
pub const MOST_EVALUATED: i32 = 20_000;

/// Scores from here up are forced wins; evaluations stay below, also with what chance adds.
pub const DECIDED: i32 = WIN - MAX_PLY as i32 - MOST_KNOWN_PLIES as i32;

const _: () = assert!(MOST_EVALUATED < DECIDED);

/// Whether a score is a forced win or loss.
#[inline]
pub const fn is_decided(score: i32) -> bool {
    score.abs() >= DECIDED
}

/// The score of a finished game `ply` plies below the root, from its result for the side to move.
#[inline]
pub const fn of_result(result: i32, ply: usize) -> i32 {
    result * (WIN - ply as i32)
}

/// Moves of the winner until the end, positive when the side to move wins; `None` if undecided.
///
/// A game that the loser's own next move ends counts as one move.
pub fn mate_in(score: i32) -> Option<i32> {
    if !is_decided(score) {
        return None;
    }
    let plies = WIN - score.abs();
    if score > 0 {
        Some((plies + 1) / 2)
    } else {
        Some(-(plies / 2).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_counted_in_moves_of_the_winner() {
        let moves = |plies| mate_in(WIN - plies);
        assert_eq!(
            [1, 2, 3, 7, 8].map(moves),
            [Some(1), Some(1), Some(2), Some(4), Some(4)]
        );
        let moves = |plies| mate_in(plies - WIN);
        assert_eq!(
            [1, 2, 3, 4].map(moves),
            [Some(-1), Some(-1), Some(-1), Some(-2)]
        );
        assert_eq!(mate_in(4_900), None);
    }

    #[test]
    fn the_furthest_end_that_is_known_at_the_end_of_the_longest_line_is_decided() {
        let score = of_result(1, MAX_PLY + MOST_KNOWN_PLIES as usize);
        assert_eq!(mate_in(score), Some(145));
        assert_eq!(mate_in(score - 1), None);
    }
}
