//! Why a move is not legal, in words, and what would be.

use super::text::Attempt;
use super::{Move, Reversi};
use crate::board8::{names, off_board, squares};
use crate::{Position, Side};

/// Explains a move that is not legal.
pub fn illegal(position: &Reversi, attempt: Attempt) -> String {
    let shown = match attempt {
        Attempt::Pass => "A pass".to_owned(),
        Attempt::To(to) => to.to_string(),
    };
    let reason = game_over(position).unwrap_or_else(|| match attempt {
        Attempt::Pass => pass(position),
        Attempt::To(point) => match point.square() {
            None => off_board(point),
            Some(to) => format!("{}. {}", place(position, to), hint(position)),
        },
    });
    format!("{shown} is not legal: {reason}")
}

fn game_over(position: &Reversi) -> Option<String> {
    let outcome = position.outcome()?;
    let [first, second] = position.counts();
    let result = match outcome.winner {
        Some(side) => format!("{} won", Reversi::side_name(side)),
        None => "it was a draw".to_owned(),
    };
    Some(format!(
        "the game is over, {result} (neither side can move, pieces {first} to {second})."
    ))
}

fn pass(position: &Reversi) -> String {
    let mover = Reversi::side_name(position.turn);
    let count = position.count_moves();
    let moves = if count == 1 { "move" } else { "moves" };
    let example = squares(position.targets()).next();
    let example = example.map_or_else(String::new, |to| format!(", such as {to}"));
    format!(
        "it is allowed only when there is no other move, and {mover} has {count} {moves}{example}."
    )
}

fn place(position: &Reversi, to: crate::board8::Square) -> String {
    let holder = [Side::First, Side::Second]
        .into_iter()
        .find(|&side| position.pieces(side) & to.bit() != 0);
    match holder {
        Some(side) => format!("{to} holds a piece of {}", Reversi::side_name(side)),
        None => format!(
            "a piece on {to} would bracket no piece of {}",
            Reversi::side_name(position.turn.opponent())
        ),
    }
}

fn hint(position: &Reversi) -> String {
    let mover = Reversi::side_name(position.turn);
    if position.is_legal(Move::Pass) {
        format!("{mover} has no move but a pass (--).")
    } else {
        format!("{mover} can play {}.", names(position.targets()))
    }
}
