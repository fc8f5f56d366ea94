//! Games as lines of text: where they began, every move with what the search thought of it, the end.
//!
//! A line is `RULESET;POSITION;MOVE SCORE MOVE SCORE ...;RESULT`: a score is in centipieces for the
//! side to move, or `-` where the move was made at random or was the only one; the result is 1, 0 or
//! -1 for the first side, or `*` when the game was given up. A game may end where its result was
//! proved.

use ataxxd_rules::{Position, find_ruleset};

/// A game that was played.
#[derive(Debug, Clone, PartialEq)]
pub struct Game<P: Position> {
    pub start: P,
    /// Each move with the score that the search gave the position before it, if it did.
    pub moves: Vec<(P::Move, Option<i32>)>,
    /// 1, 0 or -1 when the first side won, drew or lost; none when the game was given up.
    pub result: Option<i32>,
}

/// The line of a game, without its end of line.
pub fn write<P: Position>(game: &Game<P>) -> String {
    let moves: Vec<_> = game
        .moves
        .iter()
        .map(|&(mv, score)| {
            let score = score.map_or("-".to_owned(), |score| score.to_string());
            format!("{} {score}", P::move_text(mv))
        })
        .collect();
    let (id, start) = (game.start.ruleset().id, game.start.text());
    let result = game
        .result
        .map_or("*".to_owned(), |result| result.to_string());
    format!("{id};{start};{};{result}", moves.join(" "))
}

/// Reads a line of `write`; the error says what is wrong with it.
pub fn read<P: Position>(line: &str) -> Result<Game<P>, String> {
    let fields: Vec<_> = line.split(';').collect();
    let [id, start, moves, result] = fields[..] else {
        return Err(format!("a game has four fields, not {}", fields.len()));
    };
    let ruleset = find_ruleset(id).map_err(|error| error.to_string())?;
    if ruleset.game != P::GAME {
        return Err(format!(
            "this is a game of {}, not of {}",
            ruleset.game,
            P::GAME
        ));
    }
    let start = P::from_text(ruleset, start).map_err(|error| error.to_string())?;
    let words: Vec<_> = moves.split_whitespace().collect();
    let mut position = start.clone();
    let mut moves = Vec::with_capacity(words.len() / 2);
    for pair in words.chunks(2) {
        let &[mv, score] = pair else {
            return Err("the last move has no score".to_owned());
        };
        let mv = position.parse_move(mv).map_err(|error| error.to_string())?;
        let score = match score {
            "-" => None,
            number => Some(
                number
                    .parse()
                    .map_err(|_| format!("{number} is not a score"))?,
            ),
        };
        moves.push((mv, score));
        position = position.play_unchecked(mv);
    }
    let result = match result {
        "1" => Some(1),
        "0" => Some(0),
        "-1" => Some(-1),
        "*" => None,
        other => return Err(format!("{other} is not a result")),
    };
    Ok(Game {
        start,
        moves,
        result,
    })
}
