//! Plain alpha-beta to a fixed depth: no table, no extensions, no clock of its own.
//!
//! In reversi this is the reference player of the COMP24011 laboratory, whose move and value
//! at a depth are exact: White, the second side, maximises and Black minimises
//! [`PlainValue::plain_value`]; every ply counts, passes included; of equal moves the first in
//! the order of `legal_moves` is chosen. Only below the root are moves tried in another order,
//! which changes no value.

use ataxxd_rules::Side;

use crate::Evaluate;

/// A game that plain alpha-beta plays; by default by the evaluation that the search has.
pub trait PlainValue: Evaluate {
    /// What a position is worth to the second side, finished games included.
    fn plain_value(&self) -> i32 {
        let value = match self.result() {
            Some(result) => result * WON,
            None => self.evaluate(),
        };
        match self.turn() {
            Side::First => -value,
            Side::Second => value,
        }
    }

    /// How promising a legal move is, for the order in which moves are tried.
    fn plain_order(&self, mv: Self::Move) -> i32 {
        self.gain(mv)
    }
}

/// What a game that is won is worth; beyond every evaluation.
const WON: i32 = 30_000;

/// Nodes between two questions whether to go on; well below a millisecond.
const POLL: u32 = 1 << 11;

/// A chosen move; `value` is `None` when the search was cut short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice<M> {
    /// The best move, or the best so far.
    pub best: M,
    /// What it leads to, as `plain_value` counts.
    pub value: Option<i32>,
}

/// Chooses a move by looking `depth` plies ahead, at least one; `None` when the game is over.
///
/// `keep_going` is asked now and then; the search ends when it says `false`.
pub fn alphabeta<P: PlainValue>(
    position: &P,
    depth: u32,
    keep_going: &mut dyn FnMut() -> bool,
) -> Option<Choice<P::Move>> {
    let mut search = Search {
        keep_going,
        until_poll: POLL,
        stopped: false,
    };
    let mut best = *position.legal_moves().first()?;
    let maximising = position.turn() == Side::Second;
    let (mut alpha, mut beta) = (i32::MIN, i32::MAX);
    let mut value = None;
    for mv in position.legal_moves() {
        let found = search.value(
            &position.play_unchecked(mv),
            depth.saturating_sub(1),
            alpha,
            beta,
        );
        if search.stopped {
            return Some(Choice { best, value: None });
        }
        let better = value.is_none_or(|value| {
            if maximising {
                found > value
            } else {
                found < value
            }
        });
        if better {
            (best, value) = (mv, Some(found));
            *(if maximising { &mut alpha } else { &mut beta }) = found;
        }
    }
    Some(Choice { best, value })
}

struct Search<'a> {
    keep_going: &'a mut dyn FnMut() -> bool,
    until_poll: u32,
    stopped: bool,
}

impl Search<'_> {
    /// The value of a position, exact between `alpha` and `beta` and a bound outside.
    fn value<P: PlainValue>(
        &mut self,
        position: &P,
        depth: u32,
        mut alpha: i32,
        mut beta: i32,
    ) -> i32 {
        if depth == 0 || self.is_stopped() {
            return position.plain_value();
        }
        let mut moves = position.legal_moves();
        if moves.is_empty() {
            return position.plain_value();
        }
        if depth > 1 {
            moves.sort_by_key(|&mv| -position.plain_order(mv));
        }
        let maximising = position.turn() == Side::Second;
        let mut best = if maximising { i32::MIN } else { i32::MAX };
        for mv in moves {
            let found = self.value(&position.play_unchecked(mv), depth - 1, alpha, beta);
            if maximising {
                best = best.max(found);
                alpha = alpha.max(found);
            } else {
                best = best.min(found);
                beta = beta.min(found);
            }
            if alpha >= beta {
                break;
            }
        }
        best
    }

    fn is_stopped(&mut self) -> bool {
        self.until_poll -= 1;
        if self.until_poll == 0 {
            self.until_poll = POLL;
            self.stopped = self.stopped || !(self.keep_going)();
        }
        self.stopped
    }
}

#[cfg(test)]
mod tests {
    use ataxxd_rules::Position as _;
    use ataxxd_rules::reversi::Reversi;

    use super::*;

    fn start() -> Reversi {
        Reversi::start(&Reversi::RULESETS[0])
    }

    /// Minimax as the definition has it, in the order of the moves.
    fn minimax(position: &Reversi, depth: u32) -> (i32, usize) {
        let moves = position.legal_moves();
        if depth == 0 || moves.is_empty() {
            return (position.plain_value(), 0);
        }
        let sign = if position.turn() == Side::Second {
            1
        } else {
            -1
        };
        let values = moves
            .iter()
            .map(|&mv| sign * minimax(&position.play_unchecked(mv), depth - 1).0);
        let (index, value) = values
            .enumerate()
            .reduce(|best, each| if each.1 > best.1 { each } else { best })
            .expect("there are moves");
        (sign * value, index)
    }

    #[test]
    fn move_and_value_are_those_of_minimax_through_a_whole_game() {
        let mut position = start();
        let mut ply = 0;
        while position.outcome().is_none() {
            let moves = position.legal_moves();
            for depth in 1..=4 {
                let (value, index) = minimax(&position, depth);
                let expected = Choice {
                    best: moves[index],
                    value: Some(value),
                };
                assert_eq!(alphabeta(&position, depth, &mut || true), Some(expected));
            }
            position = position.play_unchecked(moves[(5 * ply + 1) % moves.len()]);
            ply += 1;
        }
        assert_eq!(alphabeta(&position, 3, &mut || true), None);
    }

    #[test]
    fn a_search_that_is_stopped_has_a_move_and_no_value() {
        let choice = alphabeta(&start(), 20, &mut || false).unwrap();
        assert_eq!(choice.value, None);
        assert!(start().is_legal(choice.best));
    }
}
