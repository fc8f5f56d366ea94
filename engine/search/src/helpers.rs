//! Threads that search the same position beside the one that answers (Lazy SMP).
//!
//! They share nothing with it but the transposition table: what one has found shortens the way
//! of the others, and where they try the same, they hardly ever do so at the same time. Each
//! leaves out other depths, so that some are ahead of what the answering thread looks at.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{Builder, Scope};

use crate::limits::{Budget, Limits, POLL_EVERY};
use crate::noise::Noise;
use crate::pruning::Guesses;
use crate::pvs::Pvs;
use crate::root::Root;
use crate::score::MAX_PLY;
use crate::tt::Table;
use crate::{Monitor, Report, Searchable};

/// The helping threads of one search.
#[derive(Debug, Default)]
pub struct Helpers {
    visited: AtomicU64,
    stop: AtomicBool,
}

impl Helpers {
    /// About how many positions they have visited so far.
    pub const fn visited(&self) -> &AtomicU64 {
        &self.visited
    }

    /// Lets `count` threads search until they are dismissed. Where the system has no threads to
    /// give there are fewer.
    pub fn start<'scope, P: Searchable>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        count: usize,
        position: &'scope P,
        limits: &Limits,
        table: &'scope Table,
        guesses: &'scope Guesses,
    ) {
        let noise = Noise::new(limits);
        for index in 0..count {
            let _ = Builder::new()
                .name(format!("search {}", index + 2))
                .spawn_scoped(scope, move || {
                    self.help(index, position, noise, table, guesses)
                });
        }
    }

    /// Ends all threads soon.
    pub fn dismiss(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    fn help<P: Searchable>(
        &self,
        index: usize,
        position: &P,
        noise: Noise,
        table: &Table,
        guesses: &Guesses,
    ) {
        let mut counter = Counter(&self.visited);
        let budget = Budget::new(&Limits::default(), &self.stop);
        let mut pvs = Pvs::new(budget, &mut counter, table, guesses);
        let mut root = Root::new(position, position.legal_moves(), noise);
        for depth in (1..MAX_PLY as u32).filter(|&depth| takes_part(index, depth)) {
            if root.is_settled() || !root.iterate(&mut pvs, depth) {
                break;
            }
        }
    }
}

/// Dismisses the helpers when a search is left, even by a panic.
pub struct Dismissal<'a>(pub &'a Helpers);

impl Drop for Dismissal<'_> {
    fn drop(&mut self) {
        self.0.dismiss();
    }
}

/// Whether a helper searches to a depth. It searches and skips runs of one, two, three depths and so on
/// by turns; helpers with runs of the same length are shifted against each other.
const fn takes_part(index: usize, depth: u32) -> bool {
    let (mut run, mut first) = (1, 0);
    while index >= first + 2 * run {
        first += 2 * run;
        run += 1;
    }
    (depth as usize + index - first) / run % 2 == 0
}

/// Counts what a helper visits.
struct Counter<'a>(&'a AtomicU64);

impl<M> Monitor<M> for Counter<'_> {
    fn report(&mut self, _report: &Report<M>) {}

    fn keep_going(&mut self) -> bool {
        self.0.fetch_add(POLL_EVERY, Ordering::Relaxed);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::takes_part;

    #[test]
    fn of_each_pair_of_helpers_one_searches_a_depth_and_the_other_does_not() {
        for depth in 1..40 {
            assert_ne!(takes_part(0, depth), takes_part(1, depth));
        }
        let depths = |index| (1..9).filter(|&d| takes_part(index, d)).collect::<Vec<_>>();
        assert_eq!(depths(0), [2, 4, 6, 8]);
        assert_eq!(depths(2), [1, 4, 5, 8]);
        assert_eq!(depths(4), [2, 3, 6, 7]);
    }
}
