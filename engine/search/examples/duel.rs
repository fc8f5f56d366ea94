//! Plays a match between this build and another build of this program, and prints the Elo.
//!
//! Usage: `duel OTHER_BINARY PAIRS (ms|nodes) AMOUNT [SEED [RULESET [WEIGHTS [THREADS]]]]`, where RULESET
//! is `ataxx/cs61b-2022` (the default), `reversi/standard`, `checkers/acf` or `loa/cs61b`, and WEIGHTS is a
//! file of weights for this build to play with, or `-` for its own: so weights can be
//! tried without a build, against this very program. This build searches with THREADS threads, the
//! other with one. `duel serve RULESET [WEIGHTS [THREADS]]` is a player.
//! Every opening is random and played twice, with colours changed. The error bar is 95 %,
//! from the spread of the scores of pairs.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ataxxd_rules::ataxx::Ataxx;
use ataxxd_rules::checkers::Checkers;
use ataxxd_rules::loa::Loa;
use ataxxd_rules::random::Random;
use ataxxd_rules::reversi::Reversi;
use ataxxd_rules::{Position, Ruleset, Side, find_ruleset};
use ataxxd_search::net::{Features, Network};
use ataxxd_search::{Limits, Searchable, Searcher, Silent};

/// A game with openings for matches.
trait Contested: Searchable {
    /// An opening's position before its random moves.
    fn board(ruleset: &'static Ruleset, random: &mut Random) -> Self;

    /// How many random moves an opening has.
    fn plies(random: &mut Random) -> u64;

    /// Plays with the weights in these bytes from now on.
    fn use_weights(bytes: &[u8]);
}

/// Lets a game's network play with other weights.
fn use_network<P: Features>(bytes: &[u8]) {
    let network = Network::from_bytes::<P>(bytes).expect("weights of this game");
    assert!(
        P::weights().replace(network),
        "no position was judged before"
    );
}

impl Contested for Ataxx {
    fn board(ruleset: &'static Ruleset, random: &mut Random) -> Self {
        let boards = [
            "x5o/7/7/7/7/7/o5x",
            "x5o/7/2-1-2/7/2-1-2/7/o5x",
            "x5o/7/3-3/2-1-2/3-3/7/o5x",
            "x5o/1-3-1/7/7/7/1-3-1/o5x",
        ];
        let board = boards[random.below(boards.len() as u64) as usize];
        Self::from_text(ruleset, &format!("{board} x 0 1")).expect("valid")
    }

    fn plies(random: &mut Random) -> u64 {
        4 + random.below(3)
    }

    fn use_weights(bytes: &[u8]) {
        use_network::<Self>(bytes);
    }
}

impl Contested for Reversi {
    fn board(ruleset: &'static Ruleset, _random: &mut Random) -> Self {
        Self::start(ruleset)
    }

    fn plies(random: &mut Random) -> u64 {
        8 + random.below(3)
    }

    fn use_weights(bytes: &[u8]) {
        use_network::<Self>(bytes);
    }
}

impl Contested for Checkers {
    fn board(ruleset: &'static Ruleset, _random: &mut Random) -> Self {
        Self::start(ruleset)
    }

    /// As in tournaments, where the first three moves are drawn by lot.
    fn plies(random: &mut Random) -> u64 {
        3 + random.below(3)
    }

    fn use_weights(bytes: &[u8]) {
        use_network::<Self>(bytes);
    }
}

impl Contested for Loa {
    fn board(ruleset: &'static Ruleset, _random: &mut Random) -> Self {
        Self::start(ruleset)
    }

    fn plies(random: &mut Random) -> u64 {
        4 + random.below(3)
    }

    fn use_weights(bytes: &[u8]) {
        use_network::<Self>(bytes);
    }
}

fn choose<P: Searchable>(
    ruleset: &'static Ruleset,
    searcher: &mut Searcher,
    threads: usize,
    request: &str,
) -> String {
    let mut words = request.splitn(3, ' ');
    let (unit, amount, text) = (words.next(), words.next(), words.next());
    let position = P::from_text(ruleset, text.expect("a position")).expect("valid");
    let amount = amount.and_then(|text| text.parse().ok()).expect("a number");
    let mut limits = Limits {
        threads,
        ..Limits::default()
    };
    match unit {
        Some("ms") => limits.time = Some(Duration::from_millis(amount)),
        Some("nodes") => limits.nodes = Some(amount),
        _ => panic!("limits are ms or nodes"),
    }
    let report = searcher.search(&position, &limits, &AtomicBool::new(false), &mut Silent);
    P::move_text(report.expect("not over").best)
}

/// Answers each line `UNIT AMOUNT POSITION` with a move; an empty line starts a new game.
fn serve<P: Contested>(ruleset: &'static Ruleset, options: &[String]) {
    let threads = options
        .get(1)
        .map_or(1, |text| text.parse().expect("THREADS is a number"));
    if let Some(path) = options.first().filter(|path| *path != "-") {
        P::use_weights(&std::fs::read(path).expect("WEIGHTS is a file"));
    }
    let mut searcher = Searcher::new(16);
    for line in std::io::stdin().lines() {
        let line = line.expect("readable input");
        if line.is_empty() {
            searcher.clear();
        } else {
            println!("{}", choose::<P>(ruleset, &mut searcher, threads, &line));
        }
    }
}

struct Player {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Player {
    fn start(program: &str, ruleset: &Ruleset, options: &[String]) -> Self {
        let mut child = Command::new(program)
            .args(["serve", ruleset.id])
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {program}: {error}"));
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped")).lines();
        Self {
            child,
            input,
            output,
        }
    }

    fn tell(&mut self, line: &str) {
        writeln!(self.input, "{line}").expect("the player reads");
    }

    fn answer(&mut self) -> String {
        self.output
            .next()
            .expect("the player answers")
            .expect("readable")
    }
}

fn opening<P: Contested>(ruleset: &'static Ruleset, random: &mut Random) -> P {
    let mut position = P::board(ruleset, random);
    for _ in 0..P::plies(random) {
        let moves = position.legal_moves();
        if moves.is_empty() {
            return opening(ruleset, random);
        }
        position = position.play_unchecked(moves[random.below(moves.len() as u64) as usize]);
    }
    if position.legal_moves().is_empty() {
        opening(ruleset, random)
    } else {
        position
    }
}

/// Half points of the first player, who has the first side where `first` is 0, else the second.
fn play<P: Searchable>(
    mut position: P,
    players: &mut [Player; 2],
    first: usize,
    request: &str,
) -> i32 {
    for player in players.iter_mut() {
        player.tell("");
    }
    loop {
        if let Some(outcome) = position.outcome() {
            return match outcome.winner {
                None => 1,
                Some(Side::First) => {
                    if first == 0 {
                        2
                    } else {
                        0
                    }
                }
                Some(Side::Second) => {
                    if first == 0 {
                        0
                    } else {
                        2
                    }
                }
            };
        }
        let player = &mut players[position.turn().index() ^ first];
        player.tell(&format!("{request} {}", position.text()));
        let mv = position.parse_move(&player.answer()).expect("a legal move");
        position = position.play_unchecked(mv);
    }
}

/// Elo of an expected score.
fn elo(score: f64) -> f64 {
    -400.0 * (1.0 / score.clamp(0.001, 0.999) - 1.0).log10()
}

fn main() {
    let arguments: Vec<_> = std::env::args().collect();
    let serves = arguments.get(1).is_some_and(|word| word == "serve");
    let id = arguments.get(if serves { 2 } else { 6 });
    let ruleset = find_ruleset(id.map_or("ataxx/cs61b-2022", String::as_str)).expect("it exists");
    match (ruleset.game, serves) {
        ("reversi", true) => serve::<Reversi>(ruleset, arguments.get(3..).unwrap_or_default()),
        ("reversi", false) => contest::<Reversi>(ruleset, &arguments),
        ("checkers", true) => serve::<Checkers>(ruleset, arguments.get(3..).unwrap_or_default()),
        ("checkers", false) => contest::<Checkers>(ruleset, &arguments),
        ("loa", true) => serve::<Loa>(ruleset, arguments.get(3..).unwrap_or_default()),
        ("loa", false) => contest::<Loa>(ruleset, &arguments),
        (_, true) => serve::<Ataxx>(ruleset, arguments.get(3..).unwrap_or_default()),
        (_, false) => contest::<Ataxx>(ruleset, &arguments),
    }
}

fn contest<P: Contested>(ruleset: &'static Ruleset, arguments: &[String]) {
    let [own, other, pairs, unit, amount, ..] = arguments else {
        eprintln!(
            "usage: duel OTHER_BINARY PAIRS (ms|nodes) AMOUNT [SEED [RULESET [WEIGHTS [THREADS]]]]"
        );
        std::process::exit(2);
    };
    assert!(
        matches!(unit.as_str(), "ms" | "nodes"),
        "limits are ms or nodes"
    );
    let request = format!("{unit} {amount}");
    let pairs: u32 = pairs.parse().expect("PAIRS is a number");
    let seed = arguments
        .get(5)
        .map_or(1, |text| text.parse().expect("SEED is a number"));
    let mut random = Random::new(seed);
    let players = [
        (own, arguments.get(7..).unwrap_or_default()),
        (other, &[][..]),
    ];
    let mut players = players.map(|(program, options)| Player::start(program, ruleset, options));
    let (mut sum, mut squares) = (0.0, 0.0);
    let mut games = [0; 3];
    for pair in 1..=pairs {
        let start: P = opening(ruleset, &mut random);
        let points = [0, 1].map(|first| play(start.clone(), &mut players, first, &request));
        for point in points {
            games[point as usize] += 1;
        }
        let score = f64::from(points[0] + points[1]) / 4.0;
        sum += score;
        squares += score * score;
        if pair % 50 == 0 || pair == pairs {
            let n = f64::from(pair);
            let mean = sum / n;
            let error = 1.96 * ((squares / n - mean * mean).max(0.0) / n).sqrt();
            println!(
                "{:>5} games: +{} ={} -{}  Elo {:+.0} (95 %: {:+.0} to {:+.0})",
                2 * pair,
                games[2],
                games[1],
                games[0],
                elo(mean),
                elo(mean - error),
                elo(mean + error)
            );
        }
    }
    for player in players {
        let Player {
            mut child,
            input,
            output,
        } = player;
        drop((input, output));
        child.wait().expect("the player ends");
    }
}
