//! Explains why a move is illegal, and what would be legal.

use super::text::{Attempt, Style};
use super::{Move, Reversi};
use crate::board8::{Square, off_board, squares};
use crate::{Position, Side};

/// Explains a move that is not legal, in the style in which it was typed.
pub fn illegal(position: &Reversi, attempt: Attempt, style: Style) -> String {
    let shown = match attempt {
        Attempt::Pass => "A pass".to_owned(),
        Attempt::To(to) => style.point(to),
    };
    let reason = game_over(position).unwrap_or_else(|| match attempt {
        Attempt::Pass => pass(position, style),
        Attempt::To(point) => match (point.square(), style) {
            (Some(to), _) => format!("{}. {}", place(position, to, style), hint(position, style)),
            (None, Style::Squares) => off_board(point),
            (None, Style::Coordinates) => {
                format!("{shown} is off the board; x and y are 0 to 7.")
            }
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

fn pass(position: &Reversi, style: Style) -> String {
    let mover = Reversi::side_name(position.turn);
    let count = position.count_moves();
    let moves = if count == 1 { "move" } else { "moves" };
    let example = squares(position.targets()).next();
    let example = example.map_or_else(String::new, |to| format!(", such as {}", style.square(to)));
    format!(
        "a turn is skipped only when there is no other move, and {mover} has {count} \
         {moves}{example}."
    )
}

fn place(position: &Reversi, to: Square, style: Style) -> String {
    let shown = style.square(to);
    let holder = [Side::First, Side::Second]
        .into_iter()
        .find(|&side| position.pieces(side) & to.bit() != 0);
    match holder {
        Some(side) => format!("{shown} holds a piece of {}", Reversi::side_name(side)),
        None => format!(
            "a piece on {shown} would bracket no piece of {}",
            Reversi::side_name(position.turn.opponent())
        ),
    }
}

fn hint(position: &Reversi, style: Style) -> String {
    let mover = Reversi::side_name(position.turn);
    if position.is_legal(Move::Pass) {
        return format!("{mover} has no move but a pass, {}.", style.pass());
    }
    let names: Vec<_> = squares(position.targets())
        .map(|to| style.square(to))
        .collect();
    format!("{mover} can play {}.", names.join(" "))
}
