//! Self-play: games for training, in a file that can be continued.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Error, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use ataxxd_search::{Limits, Report, Searcher, Silent};
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

use super::record::{Game, write};
use super::trainable::{Trainable, opening, sign};
use ataxxd_rules::random::Random;

/// What games are to be played; the same plan gives the same games, on however many threads.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'a> {
    /// The number of the first game, from 0: a part of the games may be played elsewhere.
    pub first: u64,
    /// The number after that of the last game.
    pub end: u64,
    /// Positions that the search visits for each move.
    pub nodes: u64,
    pub seed: u64,
    pub threads: usize,
    /// What the weights that the players use are called.
    pub weights: &'a str,
    /// Whether the games explore positions that searches judge and players never come to.
    pub explores: bool,
}

/// Games that each thread plays between two times that games are written.
const BATCH: u64 = 64;

/// How many characters are shown of the first line of a file that holds something else.
const LONGEST_TITLE: usize = 100;

/// Plays the games of a plan that are not yet in a file, and adds them to it.
///
/// # Errors
///
/// When the file cannot be read or written, or holds games of another plan.
pub fn play<P: Trainable>(plan: &Plan<'_>, path: &Path) -> Result<(), Error> {
    let Plan {
        nodes,
        seed,
        weights,
        explores,
        ..
    } = plan;
    let way = if *explores { ", exploring" } else { "" };
    let title = format!(
        "# {} {nodes} nodes, seed {seed}, weights {weights}{way}",
        P::GAME
    );
    let (mut file, done) = open(path, &title)?;
    let pool = ThreadPoolBuilder::new().num_threads(plan.threads);
    let pool = pool.build().map_err(Error::other)?;
    let started = Instant::now();
    let mut next = plan.first + done;
    while next < plan.end {
        let end = plan.end.min(next + BATCH * plan.threads as u64);
        let lines = pool.install(|| batch::<P>(plan, next..end));
        file.write_all(lines.concat().as_bytes())?;
        next = end;
        let seconds = started.elapsed().as_secs_f64();
        let speed = (next - plan.first - done) as f64 / seconds;
        eprint!(
            "\r{next} of {} games, {speed:.1} a second, {:.0} s to go   ",
            plan.end,
            (plan.end - next) as f64 / speed
        );
    }
    eprintln!();
    Ok(())
}

/// The file, to be added to, and how many whole games it has.
fn open(path: &Path, title: &str) -> Result<(File, u64), Error> {
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    let mut reader = BufReader::new(&file);
    let (mut line, mut whole, mut lines) = (String::new(), 0, 0);
    loop {
        line.clear();
        let length = reader.read_line(&mut line)?;
        let finished = line.ends_with('\n');
        let ours = if finished {
            line.trim_end() == title
        } else {
            title.starts_with(&line)
        };
        if lines == 0 && !ours {
            let line: String = line.trim_end().chars().take(LONGEST_TITLE).collect();
            return Err(Error::other(format!(
                "it holds something else ({line}) than these games ({title}). Name another file."
            )));
        }
        // What was being written when the program was ended is written again.
        if !finished {
            break;
        }
        whole += length as u64;
        lines += 1;
    }
    file.set_len(whole)?;
    file.seek(SeekFrom::Start(whole))?;
    if lines == 0 {
        writeln!(file, "{title}")?;
        lines = 1;
    }
    Ok((file, lines - 1))
}

/// The lines of some games of a plan, in order.
fn batch<P: Trainable>(plan: &Plan<'_>, games: Range<u64>) -> Vec<String> {
    let numbers: Vec<u64> = games.collect();
    let games = numbers.into_par_iter().with_max_len(1);
    let lines = games.map(|number| {
        let mut random = Random::stream(plan.seed, number);
        let game = one::<P>(&mut Searcher::new(1), &mut random, plan);
        write(&game) + "\n"
    });
    lines.collect()
}

/// Plays a game until it is over or its end is proved.
fn one<P: Trainable>(searcher: &mut Searcher, random: &mut Random, plan: &Plan<'_>) -> Game<P> {
    let detours = if plan.explores {
        Some(P::EXPLORING)
    } else {
        P::DETOURS
    };
    let start: P = balanced(searcher, random, plan.nodes);
    let mut position = start.clone();
    let mut moves = Vec::new();
    let mut astray = 0;
    let result = loop {
        let legal = position.legal_moves();
        let known = if legal.is_empty() {
            position.result()
        } else {
            position.known_end().map(|(result, _)| result)
        };
        if let Some(result) = known {
            break Some(sign(position.turn()) * result);
        }
        match detours {
            Some(detours) if astray == 0 && random.below(detours.one_in) == 0 => {
                astray = 1 + random.below(detours.most);
            }
            _ => {}
        }
        let (mv, score) = if astray > 0 {
            astray -= 1;
            (*random.choose(&legal), None)
        } else {
            let report = look(searcher, random, &position, plan.nodes);
            if let Some(distance) = report.mate_in {
                // A game that a detour has decided says nothing about play, and a search would never have
                // to judge that position.
                let detour = matches!(moves.last(), Some((_, None)));
                let given_up = plan.explores && detour;
                break (!given_up).then(|| sign(position.turn()) * distance.signum());
            }
            (report.best, (legal.len() > 1).then_some(report.score))
        };
        moves.push((mv, score));
        position = position.play_unchecked(mv);
    };
    Game {
        start,
        moves,
        result,
    }
}

/// An opening from which either side may win, as far as the search can tell.
fn balanced<P: Trainable>(searcher: &mut Searcher, random: &mut Random, nodes: u64) -> P {
    loop {
        searcher.clear();
        let start: P = opening(random);
        let is_close = |most| look(searcher, random, &start, nodes).score.abs() <= most;
        if P::BALANCE.is_none_or(is_close) {
            return start;
        }
    }
}

/// What the search says of a position that is not over.
fn look<P: Trainable>(
    searcher: &mut Searcher,
    random: &mut Random,
    position: &P,
    nodes: u64,
) -> Report<P::Move> {
    let limits = Limits {
        nodes: Some(nodes),
        seed: random.number() | 1,
        win_horizon: Some(0),
        ..Limits::default()
    };
    let stop = AtomicBool::new(false);
    searcher
        .search(position, &limits, &stop, &mut Silent)
        .expect("the game is not over")
}
