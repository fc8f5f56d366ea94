//! Why a move is good, in a few words, each of them true by the rules.
//!
//! A reason is what a move does, as a sentence goes on with it: `takes 3 and grows by 1`. It is
//! read from positions, and a win from the search's proof; nothing is guessed. What holds of every
//! game comes first, then what [`Position::own_reason`] knows of one.

use crate::Position;

/// The strongest reason for a legal move; `None` where there is nothing to say.
///
/// `mate_in` is in how many moves of its own the side on turn wins by force, or, negative, loses.
pub fn reason<P: Position>(before: &P, mv: P::Move, mate_in: Option<i32>) -> Option<String> {
    let after = before.play_unchecked(mv);
    if let Some(outcome) = after.outcome() {
        return match outcome.winner {
            Some(winner) if winner == before.turn() && outcome.termination == "connected" => {
                Some("wins at once by joining all pieces".into())
            }
            Some(winner) if winner == before.turn() => Some("wins at once".into()),
            Some(_) => None,
            None => Some("ends the game in a draw".into()),
        };
    }
    if let Some(moves) = mate_in.filter(|&moves| moves > 0) {
        return Some(format!("wins in {}", counted(moves.unsigned_abs(), "move")));
    }
    if before.count_moves() == 1 {
        return Some("is the only move".into());
    }
    one_of_few(before, mv, "not lose at once", |each| !loses(before, each)).or_else(|| {
        let stuck = |each: P::Move| P::move_squares(each).is_empty();
        if after.legal_moves().into_iter().all(stuck) {
            Some(format!("leaves {} without a move", name(&after)))
        } else {
            before.own_reason(mv, &after)
        }
    })
}

/// Whether the other side wins with this move, or may win with its next one.
fn loses<P: Position>(position: &P, mv: P::Move) -> bool {
    let after = position.play_unchecked(mv);
    let other = Some(after.turn());
    match after.outcome() {
        Some(outcome) => outcome.winner == other,
        None => can_win(&after),
    }
}

/// Whether the side on turn can win with one move.
pub(crate) fn can_win<P: Position>(position: &P) -> bool {
    let own = Some(position.turn());
    position.legal_moves().into_iter().any(|mv| {
        let end = position.play_unchecked(mv).outcome();
        end.is_some_and(|end| end.winner == own)
    })
}

/// Says that a move is one of the few, at most half of all, that do `what`.
pub(crate) fn one_of_few<P: Position>(
    position: &P,
    mv: P::Move,
    what: &str,
    good: impl Fn(P::Move) -> bool,
) -> Option<String> {
    if !good(mv) {
        return None;
    }
    let moves = position.legal_moves();
    match moves.iter().filter(|&&each| good(each)).count() {
        1 => Some(format!("is the only move that does {what}")),
        few if 2 * few <= moves.len() => Some(format!(
            "is one of {few} moves, of {}, that do {what}",
            moves.len()
        )),
        _ => None,
    }
}

/// How many pieces of the other side a move has taken, or turned.
pub(crate) fn taken<P: Position>(before: &P, after: &P) -> u32 {
    let other = before.turn().opponent().index();
    before.counts()[other] - after.counts()[other]
}

/// How many pieces the side on turn can take with one move.
pub(crate) fn most_taken<P: Position>(position: &P) -> u32 {
    let took = |mv| taken(position, &position.play_unchecked(mv));
    let moves = position.legal_moves().into_iter();
    moves.map(took).max().unwrap_or(0)
}

/// What the side on turn is called.
pub(crate) fn name<P: Position>(position: &P) -> &'static str {
    position.ruleset().side_names[position.turn().index()]
}

/// A number and its word: `1 move`, `2 moves`.
pub(crate) fn counted(number: u32, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}
