//! The endgame solver of reversi against plain exhaustive search.
//!
//! The oracle is alpha-beta over the rules' own positions, in the order of the rules: no table,
//! no bounds but those of the window, no routine for the last squares.

use ataxxd_rules::random::Random;
use ataxxd_rules::reversi::Reversi;
use ataxxd_rules::{Position, Side, find_ruleset};
use ataxxd_search::Ending;
use ataxxd_search::reversi::endgame::solve;

/// Difference of pieces for the side to move, the empty squares for the winner.
fn final_score(position: &Reversi) -> i32 {
    let counts = position.counts().map(|count| count as i32);
    let (us, them) = match position.turn() {
        Side::First => (counts[0], counts[1]),
        Side::Second => (counts[1], counts[0]),
    };
    (us - them) + (us - them).signum() * (64 - us - them)
}

fn exhaustive(position: &Reversi, mut alpha: i32, beta: i32) -> i32 {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return final_score(position);
    }
    let mut best = -65;
    for mv in moves {
        best = best.max(-exhaustive(&position.play_unchecked(mv), -beta, -alpha));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

/// A position of a random game that is not over, with so many empty squares.
fn position(random: &mut Random, empty: u32) -> Reversi {
    let ruleset = find_ruleset("reversi/standard").expect("it exists");
    loop {
        let mut position = Reversi::start(ruleset);
        while position.outcome().is_none() {
            let pieces: u32 = position.counts().iter().sum();
            if pieces + empty == 64 {
                return position;
            }
            let moves = position.legal_moves();
            position = position.play_unchecked(moves[random.below(moves.len() as u64) as usize]);
        }
    }
}

/// A position with pieces anywhere, which no game may ever reach.
fn scattered(random: &mut Random, empty: u32) -> Reversi {
    let ruleset = find_ruleset("reversi/standard").expect("it exists");
    loop {
        let share = 1 + random.below(9);
        let mut text: Vec<char> = (0..64)
            .map(|_| if random.below(10) < share { 'X' } else { 'O' })
            .collect();
        for _ in 0..empty {
            text[random.below(64) as usize] = '-';
        }
        text.extend([' ', if random.below(2) == 0 { 'X' } else { 'O' }]);
        let text: String = text.into_iter().collect();
        let position = Reversi::from_text(ruleset, &text).expect("the text is valid");
        if position.outcome().is_none() {
            return position;
        }
    }
}

fn agrees(position: &Reversi) {
    let score = exhaustive(position, -64, 64);
    let ending = solve(position, 1).0.expect("the game goes on");
    let Ending { lower, upper, .. } = ending;
    assert_eq!((lower, upper), (score, score), "{}", position.text());
    let after = position.play(ending.best).expect("the best move is legal");
    assert_eq!(-exhaustive(&after, -64, 64), score, "{}", position.text());
    assert_eq!(ending.line[0], ending.best);
    let end = ending.line.iter().fold(position.clone(), |position, &mv| {
        position.play(mv).expect("the line is legal")
    });
    assert!(end.outcome().is_some(), "the line ends the game");
    let sign = if end.turn() == position.turn() { 1 } else { -1 };
    assert_eq!(sign * final_score(&end), score, "{}", position.text());
}

#[test]
fn scores_moves_and_lines_are_those_of_exhaustive_search() {
    let mut random = Random::new(7);
    for round in 0..4_000 {
        agrees(&position(&mut random, 1 + round % 8));
        agrees(&scattered(&mut random, 1 + round % 8));
    }
    for round in 0..60 {
        agrees(&position(&mut random, 9 + round % 2));
    }
}

#[test]
#[ignore = "a minute; cargo test --release -- --ignored"]
fn scores_moves_and_lines_are_those_of_exhaustive_search_at_length() {
    let mut random = Random::new(8);
    for round in 0..2_000 {
        agrees(&position(&mut random, 8 + round % 5));
    }
}

#[test]
fn a_finished_game_has_no_ending_to_find() {
    let ruleset = find_ruleset("reversi/standard").expect("it exists");
    let over = format!("{} X", "X".repeat(64));
    let over = Reversi::from_text(ruleset, &over).expect("valid");
    assert_eq!(solve(&over, 1), (None, 0));
}
