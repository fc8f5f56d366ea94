//! From games to weights, in small.

use std::fs;
use std::path::PathBuf;

use ataxxd_rules::ataxx::Ataxx;
use ataxxd_rules::checkers::Checkers;
use ataxxd_search::net::Network;

use super::fit::{FRESH, Fit};
use super::samples::Samples;
use super::selfplay::{Plan, play};
use super::{Lesson, Trainable, checkpoint, make, record};

/// A folder of a test, empty at first.
fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("ataxxd-train-{}-{name}", std::process::id()));
    drop(fs::remove_dir_all(&path));
    fs::create_dir_all(&path).expect("a folder can be made");
    path
}

const PLAN: Plan<'_> = Plan {
    first: 0,
    end: 130,
    nodes: 20,
    seed: 5,
    threads: 1,
    weights: "shipped",
    explores: false,
};

fn games_are_the_same_on_more_threads_and_when_they_were_cut_off_in_the_middle<P: Trainable>() {
    let folder = folder(&format!("games-{}", P::GAME));
    let [one, two, cut, head, tail] =
        ["one", "two", "cut", "head", "tail"].map(|name| folder.join(name));
    play::<P>(&PLAN, &one).expect("it plays");
    play::<P>(&Plan { threads: 2, ..PLAN }, &two).expect("it plays");
    let whole = fs::read(&one).expect("it is there");
    assert_eq!(whole, fs::read(&two).expect("it is there"));
    fs::write(&cut, &whole[..whole.len() * 2 / 3]).expect("it can be written");
    play::<P>(&PLAN, &cut).expect("it plays");
    assert_eq!(whole, fs::read(&cut).expect("it is there"));
    play::<P>(&Plan { end: 70, ..PLAN }, &head).expect("it plays");
    play::<P>(&Plan { first: 70, ..PLAN }, &tail).expect("it plays");
    let rest = fs::read(&tail).expect("it is there");
    let title = rest
        .iter()
        .position(|byte| *byte == b'\n')
        .expect("a title")
        + 1;
    let parts = [&fs::read(&head).expect("it is there"), &rest[title..]].concat();
    assert_eq!(whole, parts);

    let explores = Plan {
        explores: true,
        ..PLAN
    };
    for other in [Plan { seed: 6, ..PLAN }, explores] {
        let error = play::<P>(&other, &one).expect_err("other games");
        assert!(
            error.to_string().contains("holds something else"),
            "{error}"
        );
    }

    for line in String::from_utf8(whole).expect("text").lines().skip(1) {
        let game = record::read::<P>(line).expect("it is well formed");
        assert_eq!(record::write(&game), line);
    }
    fs::remove_dir_all(folder).expect("it can be removed");
}

#[test]
fn games_of_ataxx_are_the_same_on_more_threads_and_when_they_were_cut_off_in_the_middle() {
    games_are_the_same_on_more_threads_and_when_they_were_cut_off_in_the_middle::<Ataxx>();
}

#[test]
fn games_of_checkers_are_the_same_on_more_threads_and_when_they_were_cut_off_in_the_middle() {
    games_are_the_same_on_more_threads_and_when_they_were_cut_off_in_the_middle::<Checkers>();
}

#[test]
fn a_file_of_something_else_is_left_as_it_is_also_when_its_only_line_has_no_end() {
    let path = folder("foreign").join("notes");
    for text in ["what I have to buy", "what I have to buy\nmilk\n"] {
        fs::write(&path, text).expect("it can be written");
        let error = play::<Ataxx>(&PLAN, &path).expect_err("no games");
        assert!(
            error.to_string().contains("(what I have to buy)"),
            "{error}"
        );
        assert_eq!(fs::read_to_string(&path).expect("it is there"), text);
    }
    fs::remove_dir_all(path.parent().expect("a folder")).expect("it can be removed");
}

#[test]
fn games_that_were_cut_off_in_their_title_are_played() {
    let path = folder("title").join("games");
    let few = Plan { end: 2, ..PLAN };
    fs::write(&path, "# ataxx 20 no").expect("it can be written");
    play::<Ataxx>(&few, &path).expect("it plays");
    let text = fs::read_to_string(&path).expect("it is there");
    assert!(text.starts_with("# ataxx 20 nodes, seed 5, weights shipped\n"));
    assert_eq!(text.lines().count(), 3);
    fs::remove_dir_all(path.parent().expect("a folder")).expect("it can be removed");
}

#[test]
fn games_that_explore_leave_the_way_of_the_players_and_some_are_given_up() {
    let path = folder("explore").join("games");
    let plan = Plan {
        explores: true,
        ..PLAN
    };
    play::<Ataxx>(&plan, &path).expect("it plays");
    let text = fs::read_to_string(&path).expect("it is there");
    let games = text.lines().skip(1).map(record::read::<Ataxx>);
    let games: Vec<_> = games.map(|game| game.expect("it is well formed")).collect();
    let moves = || games.iter().flat_map(|game| &game.moves);
    let searched = moves().filter(|(_, score)| score.is_some()).count();
    let share = searched as f64 / moves().count() as f64;
    // Two searched moves and then two and a half at random, on average.
    assert!((0.35..0.55).contains(&share), "{share}");
    assert!(games.iter().any(|game| game.result.is_none()));
    assert!(games.iter().any(|game| game.result.is_some()));
    fs::remove_dir_all(path.parent().expect("a folder")).expect("it can be removed");
}

#[test]
fn lines_that_are_no_games_are_explained() {
    let error = |line: &str| record::read::<Ataxx>(line).expect_err("it is no game");
    let start = "ataxx/uai;x5o/7/7/7/7/7/o5x x 0 1";
    assert_eq!(error("x"), "a game has four fields, not 1");
    assert_eq!(
        error(&format!("{start};g2;1")),
        "the last move has no score"
    );
    assert_eq!(error(&format!("{start};g2 much;1")), "much is not a score");
    assert_eq!(error(&format!("{start};g2 7;2")), "2 is not a result");
    let line = "reversi/standard;8/8;;1";
    assert_eq!(error(line), "this is a game of reversi, not of ataxx");
}

#[test]
fn a_position_learns_from_what_came_after_it_but_not_from_what_came_of_a_random_move() {
    let path = folder("lambda").join("games");
    let line = "ataxx/uai;x5o/7/7/7/7/7/o5x x 0 1;g2 300 g6 -150 g3 - f6 60;";
    let samples_of = |result: &str| {
        fs::write(&path, format!("# a title\n{line}{result}\n")).expect("it can be written");
        let mut samples = Samples::default();
        samples.add::<Ataxx>(&path).expect("it reads");
        samples
    };
    let samples = samples_of("1");
    // By hand, with nine tenths of what came after: the end, which the first side won; the second
    // side's 60, mixed with that; its -150, before the random move; and the first side's 300 with that.
    let expected = [1.0, 0.054_983, 0.377_541, 0.633_319];
    assert_eq!(samples.taught.len(), expected.len());
    for (sample, expected) in samples.taught.iter().zip(expected) {
        assert!(
            (sample.target - expected).abs() < 1e-5,
            "{} for {expected}",
            sample.target
        );
    }
    // The end of a game that was given up teaches nothing: the second side's 60 is all there is.
    let targets: Vec<_> = samples_of("*")
        .taught
        .iter()
        .map(|sample| sample.target)
        .collect();
    assert!((targets[0] - 0.549_834).abs() < 1e-5, "{targets:?}");
    assert_eq!(targets.len(), expected.len() - 1);
    fs::remove_dir_all(path.parent().expect("a folder")).expect("it can be removed");
}

fn the_same_seed_makes_the_same_weights_and_they_predict_better_than_none<P: Trainable>() {
    let folder = folder(&format!("fit-{}", P::GAME));
    let games = folder.join("games");
    play::<P>(&PLAN, &games).expect("it plays");
    let lesson = Lesson {
        weights: None,
        epochs: 3,
        seed: 1,
    };
    let files = [games.to_str().expect("text")];
    let made = |name: &str| {
        let output = folder.join(name);
        make::<P>(&lesson, &files, &output).expect("it fits");
        assert!(!output.with_extension("part").exists());
        fs::read(output).expect("it is there")
    };
    let nowhere = folder.join("missing/a.bin");
    let error = make::<P>(&lesson, &files, &nowhere).expect_err("no such folder");
    assert!(error.to_string().contains("missing/a.part: "), "{error}");
    let bytes = made("a.bin");
    assert_eq!(bytes, made("b.bin"));
    let network = Network::from_bytes::<P>(&bytes).expect("it is whole");
    // Some rows are on in none of so few games.
    let zero = network
        .rows()
        .filter(|row| row.iter().all(|weight| *weight == 0));
    assert!(zero.count() > P::ROWS / 20);

    let mut samples = Samples::default();
    samples.add::<P>(&games).expect("it reads");
    let mut fit = Fit::new::<P>(lesson.seed, None, &samples.taught);
    let before = fit.losses::<P>(&samples.taught).learnt;
    fit.pass::<P>(&samples.taught, FRESH, lesson.epochs, lesson.seed);

    // A fit that was saved goes on as if nothing had happened.
    let part = folder.join("fit.part");
    checkpoint::save(&mut fit, "this fit", &part).expect("it can be written");
    assert!(checkpoint::load::<P>("another fit", &samples.taught, &part).is_none());
    let mut again = checkpoint::load::<P>("this fit", &samples.taught, &part).expect("it is there");
    while again.epoch < lesson.epochs {
        again.pass::<P>(&samples.taught, FRESH, lesson.epochs, lesson.seed);
    }
    assert_eq!(again.quantised::<P>(), network);
    let after = again.losses::<P>(&samples.taught);
    assert!(after.learnt < before, "{} after {before}", after.learnt);
    assert!((after.learnt - after.quantised).abs() < 1e-3, "{after:?}");
    assert!(after.learnt < after.known && after.least < after.learnt);

    // What is fine-tuned begins as it was.
    let again = Fit::new::<P>(0, Some(&network), &samples.taught);
    assert_eq!(again.quantised::<P>(), network);
    fs::remove_dir_all(folder).expect("it can be removed");
}

#[test]
fn the_same_seed_makes_the_same_weights_of_ataxx() {
    the_same_seed_makes_the_same_weights_and_they_predict_better_than_none::<Ataxx>();
}

#[test]
fn the_same_seed_makes_the_same_weights_of_checkers() {
    the_same_seed_makes_the_same_weights_and_they_predict_better_than_none::<Checkers>();
}
