//! The search for pages: a module for each game, see `examples`, exports [`search_for`] as `search`.
//!
//! Called as [`ataxxd_border`] says, one search at a time and by one thread;
//! `clients/browser/src/search.ts` is the other side.

use std::cell::RefCell;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ataxxd_border::answer_text;
use ataxxd_rules::find_ruleset;
use ataxxd_search::{Limits, Report, Searchable, Searcher, Silent};

/// Mebibytes of the table: as much as the program takes.
const HASH_MB: usize = 16;

thread_local! {
    static SEARCHER: RefCell<Searcher> = RefCell::new(Searcher::new(HASH_MB));
}

/// The exports of the module of one game.
#[macro_export]
macro_rules! module {
    ($game:ty) => {
        /// Searches a position of this game.
        #[unsafe(no_mangle)]
        pub extern "C" fn search() -> i32 {
            $crate::search_for::<$game>()
        }
    };
}

/// Searches a position: a ruleset, a position's text, and the limits, which are depth, nodes,
/// milliseconds, milliseconds that bound it whatever it does, a seed, a temperature and an oversight,
/// separated by blanks, `-` for none.
///
/// The answer has the move, its score, the moves to a forced end or `-`, the margin of an exact one
/// or `-`, the depth, the nodes and the milliseconds, each on a line, and last the expected moves,
/// separated by blanks.
pub fn search_for<P: Searchable>() -> i32 {
    answer_text(|[ruleset, text, limits]| search::<P>(ruleset, text, limits))
}

fn search<P: Searchable>(ruleset: &str, text: &str, limits: &str) -> Result<String, String> {
    let ruleset = find_ruleset(ruleset).map_err(|error| error.to_string())?;
    let position = P::from_text(ruleset, text).map_err(|error| error.to_string())?;
    let limits = read_limits(limits)?;
    SEARCHER.with_borrow_mut(|searcher| {
        // Forget earlier searches, or the answer would depend on them.
        searcher.clear();
        searcher
            .search(&position, &limits, &AtomicBool::new(false), &mut Silent)
            .map(|report| told::<P>(&report))
            .ok_or_else(|| "The game is over in this position; there is no move to find.".into())
    })
}

fn read_limits(text: &str) -> Result<Limits, String> {
    let parts: Vec<_> = text.split(' ').collect();
    let [depth, nodes, time, cutoff, seed, temperature, oversight] = parts[..] else {
        return Err(format!("7 limits are needed, not {}.", parts.len()));
    };
    let limits = Limits {
        depth: number(depth)?,
        nodes: number(nodes)?,
        time: number(time)?.map(Duration::from_millis),
        cutoff: number(cutoff)?.map(Duration::from_millis),
        seed: number(seed)?.unwrap_or(0),
        temperature: number(temperature)?.unwrap_or(0),
        oversight: number(oversight)?.unwrap_or(0),
        ..Limits::default()
    };
    if limits.depth.is_none() && limits.nodes.is_none() && limits.time.is_none() {
        return Err("A search needs a limit: depth, nodes or time.".into());
    }
    Ok(limits)
}

fn number<T: FromStr>(text: &str) -> Result<Option<T>, String> {
    if text == "-" {
        return Ok(None);
    }
    text.parse()
        .map(Some)
        .map_err(|_| format!("{text:?} is no limit."))
}

fn told<P: Searchable>(report: &Report<P::Move>) -> String {
    let perhaps = |number: Option<i32>| number.map_or_else(|| "-".into(), |it| it.to_string());
    let line: Vec<_> = report.line.iter().map(|&mv| P::move_text(mv)).collect();
    [
        P::move_text(report.best),
        report.score.to_string(),
        perhaps(report.mate_in),
        perhaps(report.margin),
        report.depth.to_string(),
        report.nodes.to_string(),
        report.elapsed.as_millis().to_string(),
        line.join(" "),
    ]
    .join("\n")
}

#[cfg(test)]
mod tests {
    use ataxxd_rules::Position;
    use ataxxd_rules::reversi::Reversi;

    use super::*;

    const RULESET: &str = "reversi/standard";

    fn start() -> String {
        Reversi::start(find_ruleset(RULESET).unwrap()).text()
    }

    #[test]
    fn the_same_question_has_the_same_answer_whatever_was_asked_before() {
        let ask = |limits| {
            let answer = search::<Reversi>(RULESET, &start(), limits).unwrap();
            let mut lines: Vec<_> = answer.lines().map(str::to_owned).collect();
            lines.remove(6); // the time that it took
            lines
        };
        let first = ask("- 20000 - - 0 - -");
        assert_eq!(first.len(), 7);
        ask("6 - - - 3 50 50");
        assert_eq!(ask("- 20000 - - 0 - -"), first);
    }

    #[test]
    fn a_search_without_a_limit_is_refused() {
        for limits in ["- - - 100 0 0 0", "1 2 3", "x - - - - - -"] {
            assert!(search::<Reversi>(RULESET, &start(), limits).is_err());
        }
    }
}
