//! Explains why a move is illegal, and what would be legal.

use super::board::{Square, squares};
use super::{Checkers, Move};
use crate::Position;
use crate::wording::either;

/// Explains a path that is not a legal move.
pub fn illegal(position: &Checkers, path: &[Square]) -> String {
    let numbers: Vec<_> = path.iter().map(ToString::to_string).collect();
    let jumps = Move::along(path).is_ok_and(|mv| mv.jumps() > 0);
    let sign = if jumps || path.len() > 2 { "x" } else { "-" };
    let shown = numbers.join(sign);
    let reason = game_over(position)
        .or_else(|| bad_source(position, path[0]))
        .unwrap_or_else(|| {
            if position.must_capture() {
                capture(position, path)
            } else {
                step(position, path)
            }
        });
    format!("{shown} is not legal: {reason}")
}

fn game_over(position: &Checkers) -> Option<String> {
    let outcome = position.outcome()?;
    let loser = position.side_name(position.turn);
    let why = match outcome.termination {
        "no-pieces" => format!("{loser} has no pieces left"),
        "no-moves" => format!("{loser} cannot move"),
        "repetition" => "the position came for the third time".to_owned(),
        _ => "40 moves of each side without a capture or a man's move".to_owned(),
    };
    let result = match outcome.winner {
        Some(side) => format!("{} won", position.side_name(side)),
        None => "it was a draw".to_owned(),
    };
    Some(format!("the game is over, {result} ({why})."))
}

fn bad_source(position: &Checkers, from: Square) -> Option<String> {
    let bit = from.bit();
    if position.pieces(position.turn) & bit != 0 {
        return None;
    }
    let mover = position.side_name(position.turn);
    let what = if position.pieces(position.turn.opponent()) & bit != 0 {
        let holder = position.side_name(position.turn.opponent());
        format!("{from} holds a piece of {holder}, and it is {mover}'s turn")
    } else {
        format!("{from} is empty")
    };
    Some(format!("{what}. {}", possible(position)))
}

/// All that the side to move can do.
fn possible(position: &Checkers) -> String {
    let moves = texts(&position.legal_moves());
    if position.must_capture() {
        return format!("A capture is forced: {}.", either(&moves));
    }
    let mover = position.side_name(position.turn);
    format!("{mover} can play {}.", either(&moves))
}

fn texts(moves: &[Move]) -> Vec<String> {
    moves.iter().map(ToString::to_string).collect()
}

/// What is wrong where the side to move must capture.
fn capture(position: &Checkers, path: &[Square]) -> String {
    let from = path[0];
    let all = position.legal_moves();
    let (legal, begun): (Vec<_>, Vec<_>) = {
        let own: Vec<_> = all.iter().copied().filter(|mv| mv.from() == from).collect();
        let begun = own
            .iter()
            .copied()
            .filter(|mv| mv.path().starts_with(path))
            .collect();
        (own, begun)
    };
    if let Some(longer) = begun.first() {
        let at = path[path.len() - 1];
        let next = longer.path()[path.len()];
        return format!(
            "the jump from {at} to {next} is still to come, and a capture must be completed: {}.",
            either(&texts(&begun))
        );
    }
    let skipping: Vec<_> = legal
        .iter()
        .copied()
        .filter(|mv| mv.jumps() > 1 && mv.to() == path[path.len() - 1])
        .collect();
    if !skipping.is_empty() {
        return format!(
            "every square of a jump has to be named: {}.",
            either(&texts(&skipping))
        );
    }
    if let Some(mv) = legal.iter().find(|mv| path.starts_with(&mv.path())) {
        let end = mv.to();
        let crowned =
            position.kings() & from.bit() == 0 && end.bit() & position.view().crown_row() != 0;
        let why = if crowned {
            format!("a man that reaches the last row is crowned there, on {end}, and stops")
        } else {
            format!("from {end} there is nothing more to jump")
        };
        return format!("{why}: {mv}.");
    }
    format!("a capture is forced: {}.", either(&texts(&all)))
}

/// What is wrong where there is nothing to capture.
fn step(position: &Checkers, path: &[Square]) -> String {
    let from = path[0];
    let own: Vec<_> = position
        .legal_moves()
        .into_iter()
        .filter(|mv| mv.from() == from)
        .collect();
    let hint = if own.is_empty() {
        format!("The piece on {from} cannot move. {}", possible(position))
    } else {
        format!("From {from} you can play {}.", either(&texts(&own)))
    };
    format!("{}. {hint}", fault(position, path))
}

fn fault(position: &Checkers, path: &[Square]) -> String {
    let (from, to) = (path[0], path[1]);
    let man = position.kings() & from.bit() == 0;
    let Ok(mv) = Move::along(path) else {
        return format!("{to} is not a neighbour of {from}");
    };
    if mv.jumps() > 0 {
        let over: Vec<_> = squares(mv.captured())
            .filter(|square| position.pieces(position.turn.opponent()) & square.bit() == 0)
            .collect();
        if let Some(square) = over.first() {
            return format!("there is no piece on {square} to jump over");
        }
    }
    if let Some(side) = [position.turn, position.turn.opponent()]
        .into_iter()
        .find(|&side| position.pieces(side) & to.bit() != 0)
    {
        return format!("{to} holds a piece of {}", position.side_name(side));
    }
    if man && !forward(position, from, to) {
        return "a man moves forward only".to_owned();
    }
    format!("the piece on {from} cannot go to {to}")
}

/// Whether a step or jump from one square to another goes the way of the mover's men.
fn forward(position: &Checkers, from: Square, to: Square) -> bool {
    let down = to.row() > from.row();
    let black = position.turn == crate::Side::First;
    down == black
}
