//! The commands of docs/how-to/train-the-engine.md, with fewer games.

use std::path::Path;
use std::process::{Command, Output};

const PAGE: &str = include_str!("../../../docs/how-to/train-the-engine.md");

fn run(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ataxxd-train"))
        .args(words)
        .current_dir(folder)
        .output()
        .expect("it starts")
}

#[test]
fn the_commands_of_the_page_make_weights() {
    make_weights("ataxx", "ataxx");
    make_weights("checkers", "checkers");
}

#[test]
fn they_make_those_of_another_game_with_its_name_in_them() {
    make_weights("ataxx", "loa");
}

/// Runs the page's commands for a game, with a few short games, of it or of another one.
fn make_weights(of: &str, game: &str) {
    let name = format!("ataxxd-train-{}-{game}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let mut commands = 0;
    for line in PAGE.lines() {
        let Some(words) = line.strip_prefix("target/release/ataxxd-train ") else {
            continue;
        };
        let mut words: Vec<_> = words.split(' ').collect();
        if words[1] != of {
            continue;
        }
        commands += 1;
        words[1] = game;
        if matches!(words[0], "games" | "explore") {
            (words[3], words[4]) = ("130", "20");
        }
        let output = run(&folder, &words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words:?}: {said}");
    }
    assert!(commands >= 4, "{commands}");
    for name in ["first.bin", "second.bin"] {
        let size = std::fs::metadata(folder.join(name))
            .expect("it is there")
            .len();
        assert!((1_000..2_000_000).contains(&size), "{name}: {size} bytes");
    }
    std::fs::remove_dir_all(folder).expect("it can be removed");
}

#[test]
fn a_file_that_holds_no_weights_is_named_and_nothing_is_played() {
    let folder =
        std::env::temp_dir().join(format!("ataxxd-train-{}-no-weights", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    std::fs::write(folder.join("notes"), "no weights").expect("it can be written");
    let output = run(&folder, &["games", "loa", "notes", "2", "20", "1", "games"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(
        said.starts_with("notes: the weights of loa have "),
        "{said}"
    );
    assert!(!folder.join("games").exists());
    std::fs::remove_dir_all(folder).expect("it can be removed");
}

#[test]
fn what_cannot_be_done_is_said_with_the_usage() {
    let folder = std::env::temp_dir();
    for words in [
        &["fit", "chess", "1", "1", "out", "in"][..],
        &["games", "ataxx", "none", "many", "1", "1", "out"],
        &["fit", "ataxx", "0", "1", "out", "in"],
        &["fine-tune", "ataxx", "none", "0", "1", "out", "in"],
        &[],
    ] {
        let output = run(&folder, words);
        assert!(!output.status.success());
        assert!(String::from_utf8_lossy(&output.stderr).contains("usage: ataxxd-train"));
    }
}
