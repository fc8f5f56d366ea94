//! Makes the weights of the evaluations from the engine's own games.
//!
//! The same seed gives the same bytes. What it does goes to standard error.

mod network;
mod patterns;

use std::io::Error;
use std::process::ExitCode;

use ataxxd_rules::ataxx::Ataxx;
use ataxxd_rules::checkers::Checkers;
use ataxxd_rules::loa::Loa;
use network::selfplay::{Plan, play};
use network::{Lesson, Trainable};

const USAGE: &str = "\
usage: ataxxd-train patterns GAMES SEED OUTPUT [THREADS]
           the weights of the network of reversi
       ataxxd-train more-patterns WEIGHTS GAMES SEED OUTPUT [THREADS]
           the same, beginning with weights from a file: plays more games with them, and fits them to these, too
       ataxxd-train pattern-games WEIGHTS GAMES SEED FILE [THREADS]
           only plays such games, and adds their positions to a file
       ataxxd-train fit-patterns PASSES SEED OUTPUT FILE...
           fits the network of reversi to positions from such files, on all cores or RAYON_NUM_THREADS
       ataxxd-train fine-tune-patterns WEIGHTS PASSES SEED OUTPUT FILE...
           the same, beginning with weights
       ataxxd-train rescore-patterns WEIGHTS NODES PART/PARTS SEED FILE OUTPUT
           scores each PARTS-th position of such a file, from PART on, counted from 0, by a search with so many
           positions visited, and adds them to another file; on all cores or RAYON_NUM_THREADS
       ataxxd-train games GAME WEIGHTS GAMES NODES SEED FILE [THREADS]
           plays games with so many positions visited for a move; a file that is there is continued;
           WEIGHTS is a file, `shipped` for those of the program, or `none`;
           GAMES is how many, or FIRST..END for a part of them, counted from 0
       ataxxd-train explore GAME WEIGHTS GAMES NODES SEED FILE [THREADS]
           the same with many moves at random: positions that searches judge and players avoid
       ataxxd-train fit GAME PASSES SEED OUTPUT FILE...
           fits the network of a game to games from files, on all cores or RAYON_NUM_THREADS
       ataxxd-train fine-tune GAME WEIGHTS PASSES SEED OUTPUT FILE...
           the same, beginning with weights";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("{text} is not a number\n{USAGE}"))
}

/// The numbers of the first game of a part and of that after its last.
fn part(text: &str) -> Result<(u64, u64), String> {
    match text.split_once("..") {
        Some((first, end)) => Ok((number(first)?, number(end)?)),
        None => Ok((0, number(text)?)),
    }
}

/// Which part of how many: `PART/PARTS`.
fn share(text: &str) -> Result<patterns::Part, String> {
    let (part, parts) = text.split_once('/').ok_or(USAGE)?;
    let (part, parts) = (number(part)? as usize, number(parts)? as usize);
    let part = patterns::Part {
        number: part,
        of: parts,
    };
    (part.number < part.of).then_some(part).ok_or(USAGE.into())
}

fn run(words: &[&str]) -> Result<(), String> {
    let told = |error: Error| error.to_string();
    let thread_count = |threads: &[&str]| -> Result<u64, String> {
        Ok(threads.first().map_or(Ok(1), |text| number(text))?.max(1))
    };
    match *words {
        ["patterns", games, seed, output, ref threads @ ..] if threads.len() < 2 => {
            let (games, seed, threads) = (number(games)?, number(seed)?, thread_count(threads)?);
            patterns::make(games, seed, threads, output.as_ref()).map_err(told)
        }
        [
            way @ ("more-patterns" | "pattern-games"),
            weights,
            games,
            seed,
            output,
            ref threads @ ..,
        ] if threads.len() < 2 => {
            let (games, seed, threads) = (number(games)?, number(seed)?, thread_count(threads)?);
            let run = if way == "more-patterns" {
                patterns::improve
            } else {
                patterns::play
            };
            run(weights, games, seed, threads, output.as_ref()).map_err(told)
        }
        ["fit-patterns", passes, seed, output, ref files @ ..] if !files.is_empty() => {
            let (passes, seed) = (number(passes)?, number(seed)?);
            patterns::fit_files(None, passes, seed, output.as_ref(), files).map_err(told)
        }
        [
            "fine-tune-patterns",
            weights,
            passes,
            seed,
            output,
            ref files @ ..,
        ] if !files.is_empty() => {
            let (passes, seed) = (number(passes)?, number(seed)?);
            patterns::fit_files(Some(weights), passes, seed, output.as_ref(), files).map_err(told)
        }
        [
            "rescore-patterns",
            weights,
            nodes,
            part,
            seed,
            input,
            output,
        ] => {
            let (nodes, part, seed) = (number(nodes)?, share(part)?, number(seed)?);
            patterns::rescore(weights, nodes, part, seed, [input, output]).map_err(told)
        }
        [
            way @ ("games" | "explore"),
            game,
            weights,
            games,
            nodes,
            seed,
            file,
            ref threads @ ..,
        ] if threads.len() < 2 => {
            let (first, end) = part(games)?;
            let plan = Plan {
                first,
                end,
                nodes: number(nodes)?,
                seed: number(seed)?,
                threads: thread_count(threads)? as usize,
                weights,
                explores: way == "explore",
            };
            with_game(game, &Task::Games(plan, file))
        }
        ["fit", game, ref rest @ ..] => fit(game, None, rest),
        ["fine-tune", game, weights, ref rest @ ..] => fit(game, Some(weights), rest),
        _ => Err(USAGE.to_owned()),
    }
}

/// Fits a network to the games of some files; `words` are what both commands end with.
fn fit(game: &str, weights: Option<&str>, words: &[&str]) -> Result<(), String> {
    let [passes, seed, output, ref files @ ..] = *words else {
        return Err(USAGE.to_owned());
    };
    let epochs = number(passes)?;
    if files.is_empty() || epochs == 0 {
        return Err(USAGE.to_owned());
    }
    let lesson = Lesson {
        weights,
        epochs,
        seed: number(seed)?,
    };
    with_game(game, &Task::Fit(lesson, files, output))
}

/// What is done for the network of a game.
enum Task<'a> {
    Games(Plan<'a>, &'a str),
    Fit(Lesson<'a>, &'a [&'a str], &'a str),
}

impl Task<'_> {
    fn run<P: Trainable>(&self) -> Result<(), Error> {
        match *self {
            Task::Games(ref plan, file) => play_with::<P>(plan, file),
            Task::Fit(ref lesson, files, output) => {
                network::make::<P>(lesson, files, output.as_ref())
            }
        }
    }
}

/// Runs the task for the game with this name.
fn with_game(game: &str, task: &Task<'_>) -> Result<(), String> {
    let done = match game {
        "ataxx" => task.run::<Ataxx>(),
        "checkers" => task.run::<Checkers>(),
        "loa" => task.run::<Loa>(),
        _ => return Err(format!("{game} has no network\n{USAGE}")),
    };
    done.map_err(|error| error.to_string())
}

/// Plays the games of a plan with its weights.
fn play_with<P: Trainable>(plan: &Plan<'_>, file: &str) -> Result<(), Error> {
    network::adopt::<P>(plan.weights)?;
    network::about(file, play::<P>(plan, file.as_ref()))
}
