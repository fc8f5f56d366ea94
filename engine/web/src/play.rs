//! The rules on texts. A position is its canonical text, from which everything follows.

use ataxxd_rules::{AnyPosition, Position, Side, with_position};

fn read(ruleset: &str, text: &str) -> Result<AnyPosition, String> {
    AnyPosition::from_text(ruleset, text).map_err(|error| error.to_string())
}

const fn name(side: Side) -> &'static str {
    match side {
        Side::First => "first",
        Side::Second => "second",
    }
}

/// A line for each ruleset: id, title and the names of both sides, separated by tabs.
pub fn rulesets() -> String {
    ataxxd_rules::rulesets()
        .map(|each| [each.id, each.title, each.side_names[0], each.side_names[1]].join("\t"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The canonical text of the position in which a ruleset begins.
pub fn start(ruleset: &str) -> Result<String, String> {
    let start = AnyPosition::start(ruleset).map_err(|error| error.to_string())?;
    Ok(with_position!(&start, position => position.text()))
}

/// Six lines: the canonical text; the side to move; how the game ended, by its score and its
/// termination, or nothing; the rows of the board from the top, separated by tabs; the legal moves
/// in canonical text, separated by blanks; the pieces of the first and of the second side.
pub fn position(ruleset: &str, text: &str) -> Result<String, String> {
    with_position!(&read(ruleset, text)?, position => Ok(describe(position)))
}

fn describe<P: Position>(position: &P) -> String {
    let outcome = position.outcome().map_or_else(String::new, |outcome| {
        format!("{} {}", outcome.score(), outcome.termination)
    });
    let moves: Vec<_> = position
        .legal_moves()
        .into_iter()
        .map(P::move_text)
        .collect();
    [
        position.text(),
        name(position.turn()).to_owned(),
        outcome,
        position.rows().join("\t"),
        moves.join(" "),
        position.counts().map(|count| count.to_string()).join(" "),
    ]
    .join("\n")
}

/// A line for each row of the board from the top: the names of its squares, separated by blanks; a
/// dot where no piece can stand.
pub fn squares(ruleset: &str, text: &str) -> Result<String, String> {
    let names = with_position!(&read(ruleset, text)?, position => position.square_names());
    let row = |row: Vec<Option<String>>| {
        let names = row
            .into_iter()
            .map(|name| name.unwrap_or_else(|| ".".into()));
        names.collect::<Vec<_>>().join(" ")
    };
    Ok(names.into_iter().map(row).collect::<Vec<_>>().join("\n"))
}

/// A line for each legal move: its canonical text, the squares that its piece touches, separated by
/// blanks, and the rows of the board after it; all separated by tabs.
pub fn legal(ruleset: &str, text: &str) -> Result<String, String> {
    with_position!(&read(ruleset, text)?, position => Ok(outlook(position)))
}

fn outlook<P: Position>(position: &P) -> String {
    let line = |mv: P::Move| {
        let mut parts = vec![P::move_text(mv), P::move_squares(mv).join(" ")];
        parts.extend(position.play_unchecked(mv).rows());
        parts.join("\t")
    };
    let lines: Vec<_> = position.legal_moves().into_iter().map(line).collect();
    lines.join("\n")
}

/// The canonical text of a legal move that people type in any of the ways that the game knows.
pub fn parse_move(ruleset: &str, text: &str, typed: &str) -> Result<String, String> {
    with_position!(&read(ruleset, text)?, position => canonical(position, typed))
}

fn canonical<P: Position>(position: &P, typed: &str) -> Result<String, String> {
    position
        .parse_move(typed)
        .map(P::move_text)
        .map_err(|error| error.to_string())
}

/// The canonical text of the position after a legal move in canonical text.
pub fn play(ruleset: &str, text: &str, mv: &str) -> Result<String, String> {
    with_position!(&read(ruleset, text)?, position => after(position, mv))
}

fn after<P: Position>(position: &P, text: &str) -> Result<String, String> {
    let mv = canonical_move(position, text)?;
    Ok(position.play_unchecked(mv).text())
}

fn canonical_move<P: Position>(position: &P, text: &str) -> Result<P::Move, String> {
    let mv = position
        .parse_move(text)
        .map_err(|error| error.to_string())?;
    let written = P::move_text(mv);
    if written != text {
        return Err(format!("{text:?} is not the text of {written}."));
    }
    Ok(mv)
}

/// What a legal move in canonical text does for its player; empty where that is little.
/// `mate_in` is a number or nothing; see [`ataxxd_rules::reasons`].
pub fn reason(ruleset: &str, text: &str, mv: &str, mate_in: &str) -> Result<String, String> {
    let mate_in = match mate_in {
        "" => None,
        number => Some(number.parse().map_err(|_| "A number is needed.")?),
    };
    with_position!(&read(ruleset, text)?, position => why(position, mv, mate_in))
}

fn why<P: Position>(position: &P, text: &str, mate_in: Option<i32>) -> Result<String, String> {
    let mv = canonical_move(position, text)?;
    Ok(ataxxd_rules::reasons::reason(position, mv, mate_in).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULESET: &str = "ataxx/cs61b-2022";

    #[test]
    fn a_move_in_canonical_text_is_played_and_no_other() {
        let text = start(RULESET).unwrap();
        let after = play(RULESET, &text, "b6").unwrap();
        assert_eq!(
            position(RULESET, &after).unwrap().lines().nth(1),
            Some("second")
        );
        assert_eq!(parse_move(RULESET, &text, "a7-b6").unwrap(), "b6");
        assert!(
            play(RULESET, &text, "a7-b6")
                .unwrap_err()
                .contains("is not the text of")
        );
        assert!(play(RULESET, &text, "d4").is_err());
    }

    #[test]
    fn every_ruleset_can_be_begun() {
        for line in rulesets().lines() {
            let id = line.split('\t').next().unwrap();
            let text = start(id).unwrap();
            assert!(position(id, &text).unwrap().starts_with(&text));
        }
    }
}
