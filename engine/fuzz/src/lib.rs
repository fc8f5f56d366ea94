//! Laws that hold for any bytes given to the rules of any game.
//!
//! Each law is a function of arbitrary bytes that panics when it is broken. Two things call
//! them: `cargo test`, with a few thousand inputs that are the same every time (see
//! [`Inputs`]), and the libFuzzer targets in `fuzz_targets/`, guided by coverage (`make fuzz`).

mod inputs;

pub use inputs::Inputs;

use std::collections::HashSet;

use ataxxd_rules::{Position, RulesError, Ruleset, rulesets, with_game};

/// A law: it panics if it does not hold for these bytes.
pub type Law = fn(&[u8]);

/// All laws by name.
pub const LAWS: [(&str, Law); 3] = [("positions", positions), ("moves", moves), ("games", games)];

/// No error message is longer than a screen.
const LONGEST_MESSAGE: usize = 2000;

/// Any text is a position whose canonical text reads back to it, or an error in words.
pub fn positions(data: &[u8]) {
    let (ruleset, rest) = chosen_ruleset(data);
    let text = String::from_utf8_lossy(rest);
    with_game!(ruleset.game, P => match <P as Position>::from_text(ruleset, &text) {
        Ok(position) => sound(&position),
        Err(error) => explained(&error),
    });
}

/// Any text is a legal move, or an error in words that changes nothing; so is any code.
pub fn moves(data: &[u8]) {
    let (ruleset, rest) = chosen_ruleset(data);
    let plies = usize::from(rest.first().copied().unwrap_or(0));
    let (choices, rest) = rest
        .get(1..)
        .unwrap_or(&[])
        .split_at_checked(plies)
        .unwrap_or((&[], rest));
    let text = String::from_utf8_lossy(rest);
    with_game!(ruleset.game, P => {
        let position = played(<P as Position>::start(ruleset), choices);
        move_of_text(&position, &text);
        move_of_code(&position, rest);
    });
}

/// Whatever is played, every position of a game is sound.
pub fn games(data: &[u8]) {
    let (ruleset, choices) = chosen_ruleset(data);
    with_game!(ruleset.game, P => {
        let mut position = <P as Position>::start(ruleset);
        sound(&position);
        for choice in choices.iter().take(300) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[usize::from(*choice) % moves.len()];
            let after = position.play(mv).expect("a legal move can be played");
            assert_eq!(after.turn(), position.turn().opponent());
            position = after;
            sound(&position);
        }
    });
}

fn chosen_ruleset(data: &[u8]) -> (&'static Ruleset, &[u8]) {
    let all: Vec<_> = rulesets().collect();
    let (first, rest) = data.split_first().unwrap_or((&0, &[]));
    (all[usize::from(*first) % all.len()], rest)
}

fn played<P: Position>(start: P, choices: &[u8]) -> P {
    let mut position = start;
    for choice in choices {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        position = position.play_unchecked(moves[usize::from(*choice) % moves.len()]);
    }
    position
}

/// What holds in every position.
fn sound<P: Position>(position: &P) {
    let text = position.text();
    let again = P::from_text(position.ruleset(), &text)
        .unwrap_or_else(|error| panic!("{text:?} is ours and is refused: {error}"));
    assert_eq!(&again, position, "{text:?} reads back to another position");
    assert_eq!(again.text(), text);
    assert_eq!(again.key(), position.key());
    let moves = position.legal_moves();
    assert_eq!(moves.is_empty(), position.outcome().is_some(), "{text:?}");
    assert_eq!(moves.len() as u64, position.count_moves());
    assert_eq!(moves.iter().collect::<HashSet<_>>().len(), moves.len());
    for mv in moves {
        assert!(position.is_legal(mv));
        let name = P::move_text(mv);
        assert_eq!(position.parse_move(&name), Ok(mv), "{name:?} in {text:?}");
        assert_eq!(P::move_from_text(&name), Ok(mv));
        for notation in P::NOTATIONS {
            assert!(position.format_move(mv, notation).is_some());
        }
    }
}

fn move_of_text<P: Position>(position: &P, text: &str) {
    match position.parse_move(text) {
        Ok(mv) => assert!(position.is_legal(mv), "{text:?} was taken for {mv:?}"),
        Err(error) => explained(&error),
    }
    match P::move_from_text(text) {
        Ok(mv) => {
            assert_eq!(P::move_text(mv), text, "a move has one canonical text");
            judged(position, mv);
        }
        Err(error) => explained(&error),
    }
}

fn move_of_code<P: Position>(position: &P, bytes: &[u8]) {
    let mut code = [0; 8];
    let length = bytes.len().min(8);
    code[..length].copy_from_slice(&bytes[..length]);
    let code = u64::from_le_bytes(code);
    if let Ok(mv) = P::Move::try_from(code) {
        assert_eq!(mv.into(), code, "a move has one code");
        judged(position, mv);
    }
}

/// Any move is legal and can be played, or is explained.
fn judged<P: Position>(position: &P, mv: P::Move) {
    match position.play(mv) {
        Ok(after) => {
            assert!(position.is_legal(mv));
            sound(&after);
        }
        Err(error) => {
            assert!(!position.is_legal(mv));
            explained(&error);
        }
    }
    // The result is unspecified, but it never panics.
    let _ = position.play_unchecked(mv);
}

fn explained(error: &RulesError) {
    let length = error.message().len();
    assert!((1..LONGEST_MESSAGE).contains(&length), "{error}");
}
