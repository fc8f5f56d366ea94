//! The endgame tables of checkers against the rules, by other ways than they were made.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use ataxxd_rules::checkers::{Checkers, Square};
use ataxxd_rules::random::Random;
use ataxxd_rules::{Position, Side, find_ruleset};
use ataxxd_search::checkers::tables::board::Board;
use ataxxd_search::checkers::tables::generate::Whole;
use ataxxd_search::checkers::tables::index::Material;
use ataxxd_search::checkers::tables::making::make;
use ataxxd_search::checkers::tables::verdict::{Best, Verdict};
use ataxxd_search::checkers::tables::{
    LONGEST_WAIT, Tables, shipped, use_larger, verdict as probe, write,
};
use ataxxd_search::{Limits, Searcher, Silent};

/// Kinds of pieces as position text begins them.
const KINDS: [(usize, &str); 4] = [(0, ""), (0, "K"), (1, ""), (1, "K")];

/// A position of such pieces by square numbers; `None` where a man would be crowned already.
fn position(pieces: &[(u32, usize)], turn: &str, ruleset: &str) -> Option<Checkers> {
    let mut sides = [String::new(), String::new()];
    for &(square, kind) in pieces {
        let (side, prefix) = KINDS[kind];
        if !sides[side].is_empty() {
            sides[side].push(',');
        }
        sides[side].push_str(&format!("{prefix}{square}"));
    }
    let [black, white] = sides;
    let text = format!("{turn}:W{white}:B{black}");
    Checkers::from_text(find_ruleset(ruleset).unwrap(), &text).ok()
}

/// Calls `visit` with every way to put so many pieces, both sides having some, with either turn.
fn for_each_position(count: usize, visit: &mut impl FnMut(Checkers)) {
    fn put(
        pieces: &mut Vec<(u32, usize)>,
        from: u32,
        left: usize,
        visit: &mut impl FnMut(Checkers),
    ) {
        if left == 0 {
            let sides = |side| pieces.iter().any(|&(_, kind)| KINDS[kind].0 == side);
            if sides(0) && sides(1) {
                for turn in ["B", "W"] {
                    position(pieces, turn, "checkers/cs61b-2004")
                        .into_iter()
                        .for_each(&mut *visit);
                }
            }
            return;
        }
        for square in from..=32 {
            for kind in 0..KINDS.len() {
                pieces.push((square, kind));
                put(pieces, square + 1, left - 1, visit);
                pieces.pop();
            }
        }
    }
    put(&mut Vec::new(), 1, count, visit);
}

/// A random position with such a number of pieces, both sides having some.
fn random_position(random: &mut Random, count: usize, ruleset: &str) -> Checkers {
    loop {
        let mut pieces: Vec<(u32, usize)> = Vec::new();
        while pieces.len() < count {
            let square = 1 + random.below(32) as u32;
            if pieces.iter().all(|&(taken, _)| taken != square) {
                pieces.push((square, random.below(4) as usize));
            }
        }
        let turn = ["B", "W"][random.below(2) as usize];
        let found = position(&pieces, turn, ruleset);
        if let Some(found) = found.filter(|found| found.counts().iter().all(|&count| count > 0)) {
            return found;
        }
    }
}

/// The definition, by going forward: a position is won as soon as a move leads to a lost one, lost
/// when all lead to won ones; in the order of the plies until then.
#[test]
fn every_board_of_two_and_three_pieces_has_the_verdict_that_going_forward_gives() {
    let mut positions = Vec::new();
    for count in 1..=3 {
        for_each_position(count, &mut |position| positions.push(position));
    }
    assert_eq!(
        positions.len(),
        2 * (3_488 + 196_032),
        "as published for both colours"
    );
    let numbers: HashMap<_, _> = (0_u32..)
        .zip(&positions)
        .map(|(number, position)| (position.search_key(), number))
        .collect();
    assert_eq!(numbers.len(), positions.len());
    // What captures the last piece wins at once: a number of its own.
    let over = positions.len();
    let moves: Vec<Vec<u32>> = positions
        .iter()
        .map(|position| {
            let after = |mv| position.play_unchecked(mv);
            let number = |next: Checkers| match next.counts()[next.turn().index()] {
                0 => over as u32,
                _ => numbers[&next.search_key()],
            };
            position
                .legal_moves()
                .into_iter()
                .map(after)
                .map(number)
                .collect()
        })
        .collect();
    let mut ends: Vec<Option<(bool, u32)>> = vec![None; over + 1];
    for plies in 0.. {
        let mut settled = Vec::new();
        for (number, moves) in moves.iter().enumerate() {
            if ends[number].is_some() {
                continue;
            }
            let won = moves
                .iter()
                .any(|&next| matches!(ends[next as usize], Some((false, _))));
            let lost = moves
                .iter()
                .all(|&next| matches!(ends[next as usize], Some((true, _))));
            if won || lost {
                settled.push((number, won));
            }
        }
        if settled.is_empty() && plies > 0 {
            break;
        }
        for (number, won) in settled {
            ends[number] = Some((won, plies));
        }
        // One ply before is the first that may win by it.
        ends[over] = Some((false, 0));
    }
    let mut seen = [0; 3];
    for (position, end) in positions.iter().zip(&ends) {
        let expected = match *end {
            None => Verdict::Draw,
            Some((true, plies)) => Verdict::Win { plies },
            Some((false, plies)) => Verdict::Loss { plies },
        };
        let verdict = shipped().verdict(Board::of(position));
        assert_eq!(verdict, Some(expected), "{}", position.text());
        seen[end.map_or(0, |(won, _)| 1 + usize::from(won))] += 1;
    }
    assert!(seen.iter().all(|&count| count > 5_000), "{seen:?}");
}

/// What its moves, by the rules, make of a position.
fn by_moves(position: &Checkers) -> Verdict {
    let mut best = Best::default();
    position.for_each_move(|mv| {
        let after = position.play_unchecked(mv);
        best.add(
            shipped()
                .verdict(Board::of(&after))
                .expect("fewer pieces or as many"),
        );
    });
    best.verdict()
}

/// Verdicts that all agree with what the moves lead to are right: wins and losses by induction on
/// their plies, and in a draw each side has a move that keeps it.
#[test]
fn verdicts_on_four_pieces_agree_with_what_the_moves_lead_to() {
    let mut random = Random::new(5);
    for _ in 0..100_000 {
        let position = random_position(&mut random, 4, "checkers/cs61b-2004");
        let verdict = shipped().verdict(Board::of(&position));
        assert_eq!(verdict, Some(by_moves(&position)), "{}", position.text());
    }
}

#[test]
#[ignore = "a minute; cargo test --release -- --ignored"]
fn all_verdicts_on_four_pieces_agree_with_what_the_moves_lead_to() {
    let mut count = 0;
    for_each_position(4, &mut |position| {
        let verdict = shipped().verdict(Board::of(&position));
        assert_eq!(verdict, Some(by_moves(&position)), "{}", position.text());
        count += 1;
    });
    assert_eq!(count, 2 * 6_209_316, "as published for both colours");
}

#[test]
fn tables_made_anew_are_those_that_come_with_the_program() {
    let bytes = write(&Whole::up_to(4, |_, _| {}), 4);
    let shipped = include_bytes!("../src/checkers/tables/four.bin");
    assert!(bytes == shipped, "run the example checkers_tables");
}

#[test]
fn damaged_tables_are_refused_and_boards_with_more_pieces_unknown() {
    let bytes = write(&Whole::up_to(2, |_, _| {}), 2);
    let tables = Tables::read(&bytes).unwrap();
    assert_eq!(tables.pieces(), 2);
    for cut in 0..bytes.len() {
        assert!(Tables::read(&bytes[..cut]).is_err(), "{cut}");
        let mut damaged = bytes.clone();
        damaged[cut] ^= 1;
        assert!(Tables::read(&damaged).is_err(), "{cut}");
    }
    let three = random_position(&mut Random::new(1), 3, "checkers/acf");
    assert_eq!(tables.verdict(Board::of(&three)), None);
}

/// The most plies in a row without a capture or a man's move that the winner may have to wait,
/// however the loser plays, as long as the winner takes any of the shortest ways.
#[test]
#[ignore = "half a minute; cargo test --release -- --ignored"]
fn wins_by_the_shortest_way_do_not_wait_longer_than_the_search_believes() {
    let materials: Vec<_> = (2..=4).flat_map(Material::of_pieces).collect();
    let mut waits: HashMap<usize, Vec<u8>> = HashMap::new();
    let mut by_plies: Vec<Vec<(Material, usize)>> = vec![Vec::new(); 256];
    for &material in &materials {
        waits.insert(material.id(), vec![0; material.size()]);
        material.for_each(|index, board| {
            let verdict = board.and_then(|board| shipped().verdict(board));
            if let Some(Verdict::Win { plies } | Verdict::Loss { plies }) = verdict {
                by_plies[plies as usize].push((material, index));
            }
        });
    }
    let mut longest = 0;
    for (plies, boards) in by_plies.into_iter().enumerate() {
        for (material, index) in boards {
            let board = material.board(index).expect("it has a verdict");
            if board.must_capture() {
                continue;
            }
            let mut wait = 0;
            let men = |board: Board| (board.own | board.other) & !board.kings;
            board.for_each_step(|after, _| {
                let shortest = match shipped().verdict(after) {
                    Some(Verdict::Loss { plies: left }) => left as usize + 1 == plies,
                    Some(Verdict::Win { .. }) => plies % 2 == 0,
                    _ => false,
                };
                if shortest && men(after.passed()) == men(board) {
                    let material = Material::of(after);
                    wait = wait.max(1 + waits[&material.id()][material.index(after)]);
                }
            });
            waits.get_mut(&material.id()).expect("made")[index] = wait;
            longest = longest.max(wait);
        }
    }
    assert_eq!(u32::from(longest), LONGEST_WAIT);
}

/// Plays a won position to its end, the engine on both sides.
fn winner_of(
    searchers: &mut [Searcher; 2],
    mut position: Checkers,
    limits: &Limits,
) -> Option<Side> {
    loop {
        if let Some(outcome) = position.outcome() {
            return outcome.winner;
        }
        let searcher = &mut searchers[position.turn().index()];
        let report = searcher.search(&position, limits, &AtomicBool::new(false), &mut Silent);
        position = position
            .play(report.expect("not over").best)
            .expect("legal");
    }
}

#[test]
fn no_won_ending_slips_into_a_draw() {
    let mut random = Random::new(9);
    let mut searchers = [Searcher::new(1), Searcher::new(1)];
    let limits = Limits {
        nodes: Some(2_000),
        ..Limits::default()
    };
    let mut played = 0;
    while played < 2_000 {
        let position = random_position(&mut random, 4, "checkers/acf");
        if position.outcome().is_some() {
            continue;
        }
        let winner = match shipped().verdict(Board::of(&position)) {
            Some(Verdict::Win { .. }) => position.turn(),
            Some(Verdict::Loss { .. }) => position.turn().opponent(),
            _ => continue,
        };
        let text = position.text();
        assert_eq!(
            winner_of(&mut searchers, position, &limits),
            Some(winner),
            "{text}"
        );
        played += 1;
    }
}

#[test]
fn squares_of_the_text_are_those_of_the_board() {
    let position = position(&[(1, 1), (32, 2)], "B", "checkers/acf").unwrap();
    let board = Board::of(&position);
    assert_eq!(board.own, Square::from_number(1).unwrap().bit());
    assert_eq!(board.other, Square::from_number(32).unwrap().bit());
    assert_eq!(board.kings, board.own);
}

/// A folder of this process, which is removed at the end.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ataxxd-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn tables_whose_making_was_interrupted_again_and_again_are_the_same() {
    let folder = Folder::new("interrupted");
    let (file, steps) = (folder.0.join("tables"), folder.0.join("steps"));
    let pairs = 9;
    for stops_at in [1, 2, 6, pairs] {
        let mut kept = Vec::new();
        let made = make(&file, &steps, 3, &mut |at| {
            kept.push(at.kept);
            at.made < stops_at
        });
        assert!(!made.unwrap());
        assert!(!file.exists());
        assert_eq!(stops_at > 1, kept.last() > Some(&0), "goes on where it was");
    }
    // What a full disk or a crash has spoilt is made again.
    let mut files: Vec<_> = std::fs::read_dir(&steps).unwrap().flatten().collect();
    files.sort_by_key(std::fs::DirEntry::path);
    assert_eq!(files.len(), pairs);
    let bytes = std::fs::read(files[5].path()).unwrap();
    std::fs::write(files[5].path(), &bytes[..bytes.len() - 3]).unwrap();
    std::fs::remove_file(files[2].path()).unwrap();

    assert!(make(&file, &steps, 3, &mut |_| true).unwrap());
    let whole = write(&Whole::up_to(3, |_, _| {}), 3);
    assert!(std::fs::read(&file).unwrap() == whole);
    assert!(!steps.exists());
}

/// The verdicts of a file that `ataxxd tables make` has written.
#[test]
#[ignore = "needs ATAXXD_TABLES; cargo test --release -- --ignored"]
fn verdicts_of_larger_tables_agree_with_what_the_moves_lead_to() {
    let file =
        std::env::var_os("ATAXXD_TABLES").expect("ATAXXD_TABLES names tables of five pieces");
    let bytes = std::fs::read(file).unwrap();
    let tables = Tables::read(&bytes).unwrap();
    assert_eq!(tables.pieces(), 5);
    use_larger(Tables::read(&bytes).unwrap()).unwrap();
    let mut random = Random::new(5);
    let (mut decided, mut known) = (0, 0);
    for _ in 0..200_000 {
        let position = random_position(&mut random, 5, "checkers/cs61b-2004");
        let mut best = Best::default();
        for mv in position.legal_moves() {
            let after = Board::of(&position.play_unchecked(mv));
            best.add(tables.verdict(after).unwrap());
        }
        let board = Board::of(&position);
        let verdict = tables.verdict(board).unwrap();
        assert_eq!(verdict, best.verdict(), "{}", position.text());
        decided += u32::from(verdict != Verdict::Draw);
        // In the background they may not be ready yet.
        if let Some(same) = probe(board) {
            assert_eq!(same, verdict, "{}", position.text());
            known += 1;
        }
    }
    assert!(decided > 20_000 && known > 20_000, "{decided}, {known}");
}
