//! A position that comes again counts as a draw in a search.

use std::sync::atomic::AtomicBool;

use ataxxd_rules::checkers::Checkers;
use ataxxd_rules::{Position, find_ruleset};
use ataxxd_search::{Limits, Searcher, Silent};

/// The score and the best move of a position to a depth.
fn searched(text: &str) -> (i32, String) {
    let position = Checkers::from_text(find_ruleset("checkers/acf").unwrap(), text).unwrap();
    let limits = Limits {
        depth: Some(6),
        ..Limits::default()
    };
    let mut searcher = Searcher::new(1);
    let report = searcher
        .search(&position, &limits, &AtomicBool::new(false), &mut Silent)
        .unwrap();
    (report.score, report.best.to_string())
}

/// White is behind. After the kings' moves to and fro its own way back brings the first position again.
#[test]
fn a_side_that_is_behind_repeats_a_position() {
    let board = "W:WK28,K29,30:BK6,K8,K11,2";
    let (behind, _) = searched(board);
    assert!(behind < -50, "{behind}");
    assert_eq!(
        searched(&format!("{board}:H3:M6-1,32-28,1-6")),
        (0, "28-32".to_owned())
    );
}
