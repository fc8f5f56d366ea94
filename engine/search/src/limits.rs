//! The limits of a search, and when they are reached.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::Monitor;
use crate::clock::Instant;

/// What a search may spend; it ends at the first limit that it reaches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Plies of the last iteration.
    pub depth: Option<u32>,
    /// Positions visited: exact with one thread; other threads go on until they notice.
    pub nodes: Option<u64>,
    /// Time from the call on, never exceeded except by what the operating system takes.
    pub time: Option<Duration>,
    /// About how much of `time` a move deserves. No further iteration begins after that: earlier if the best
    /// move is beyond doubt, later if it is not.
    pub aim: Option<Duration>,
    /// Ends a search that takes longer, whatever it is doing, and has no influence before. So the other limits
    /// decide what is found, which is the same on every machine that is fast enough.
    pub cutoff: Option<Duration>,
    /// Varies the choice among moves of nearly equal worth, always in the same way; 0 does not.
    pub seed: u64,
    /// How freely the seed chooses, in centipieces: a move that is worth so much less is less likely by a
    /// factor of e, and one that is worth four times as much less is never played. 0 leaves it at moves of
    /// nearly equal worth; more than [`MAX_TEMPERATURE`] counts as that.
    pub temperature: u32,
    /// In how many turns of a hundred, chosen by the seed, the opponent's answers are not looked at, and what a move
    /// takes at once decides ([`Evaluate::first_sight`](crate::Evaluate::first_sight)). A forced win within
    /// [`Tuning::win_horizon`](crate::Tuning::win_horizon) is seen all the same, and so is an only move.
    pub oversight: u32,
    /// Measures time in positions, so many to a millisecond, instead of by the machine's clock, so that what
    /// depends on time is the same on every machine. Proofs of short wins count no positions: they take no
    /// time then, and no share of it ends them.
    pub nodes_per_ms: Option<u64>,
    /// Threads that search at once; 0 counts as 1. With more than one no two searches are the same.
    pub threads: usize,
    /// Moves within which forced wins are proved first, if less than the game's own horizon: self-play has
    /// better uses for its time.
    pub win_horizon: Option<u32>,
}

/// The highest temperature: ten times that of the lowest level, and almost any move is played.
pub const MAX_TEMPERATURE: u32 = 1_000;

/// Positions between two looks at the clock: well under a millisecond.
pub const POLL_EVERY: u64 = 512;

/// What one search may spend, and what it has spent.
pub struct Budget<'a> {
    stop: &'a AtomicBool,
    started: Instant,
    nodes_per_ms: Option<u64>,
    /// The time limit, a little less than was given, because delivering the answer takes time.
    time: Option<Duration>,
    /// About how long the search is to take.
    aim: Option<Duration>,
    /// When the search ends in any case.
    cutoff: Option<Duration>,
    /// A smaller time limit, for a part of the search.
    share: Option<Duration>,
    node_limit: u64,
    /// How much of the node limit may be spent now.
    node_share: u64,
    nodes: u64,
    /// What other threads have visited.
    others: Option<&'a AtomicU64>,
    /// Steps of any kind until the next poll.
    until_poll: u64,
    polled: Duration,
    /// The longest time between two polls: the machine may pause the search for that long.
    longest_pause: Duration,
    stopped: bool,
}

impl<'a> Budget<'a> {
    pub fn new(limits: &Limits, stop: &'a AtomicBool) -> Self {
        Self {
            stop,
            started: Instant::now(),
            nodes_per_ms: limits.nodes_per_ms,
            time: limits.time.map(|time| time - margin(time)),
            aim: limits.aim,
            cutoff: limits.cutoff,
            share: None,
            node_limit: limits.nodes.unwrap_or(u64::MAX),
            node_share: limits.nodes.unwrap_or(u64::MAX),
            nodes: 0,
            others: None,
            until_poll: POLL_EVERY,
            polled: Duration::ZERO,
            longest_pause: Duration::ZERO,
            stopped: false,
        }
    }

    /// The same with an account of what other threads have visited, which counts as well.
    pub fn shared(self, others: &'a AtomicU64) -> Self {
        Self {
            others: Some(others),
            ..self
        }
    }

    /// Pays for one more position; `false` once the search has to end.
    #[inline]
    pub fn spend_node<M>(&mut self, monitor: &mut impl Monitor<M>) -> bool {
        if self.stopped || self.nodes >= self.node_share {
            self.stopped = true;
            return false;
        }
        self.nodes += 1;
        self.spend_steps(1, monitor)
    }

    /// Pays for work that the node limit does not cover; a step takes as long as a position of a search.
    #[inline]
    pub fn spend_steps<M>(&mut self, steps: u64, monitor: &mut impl Monitor<M>) -> bool {
        self.until_poll = self.until_poll.saturating_sub(steps);
        if self.until_poll == 0 {
            self.poll(monitor);
        }
        !self.stopped
    }

    #[cold]
    fn poll<M>(&mut self, monitor: &mut impl Monitor<M>) {
        self.until_poll = POLL_EVERY;
        let now = self.elapsed();
        self.longest_pause = self.longest_pause.max(now.saturating_sub(self.polled));
        self.polled = now;
        // A busy machine that paused the search once will do so again, perhaps at the end.
        let late = |time: Duration| now + self.longest_pause.min(time / 2) >= time;
        self.stopped |= self.stop.load(Ordering::Relaxed)
            || self.share.or(self.time).is_some_and(late)
            || self.cutoff.is_some_and(|cutoff| now >= cutoff)
            || self.others.is_some() && self.nodes() >= self.node_share
            || !monitor.keep_going();
    }

    /// Gives up the current part of the search; [`Self::end_share`] begins the next.
    pub fn give_up(&mut self) {
        self.stopped = true;
    }

    /// Whether time bounds a part of the search.
    pub fn has_time_limit(&self) -> bool {
        self.usual_time().is_some()
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Whether the search has taken as long as it should, times a factor for the doubt that is left.
    pub fn has_met_its_aim(&self, factor: f64) -> bool {
        self.aim
            .is_some_and(|aim| self.elapsed() >= aim.mul_f64(factor))
    }

    /// The time of which parts of the search have shares: without the reserve for moves in doubt.
    fn usual_time(&self) -> Option<Duration> {
        match (self.aim, self.time) {
            (Some(aim), Some(time)) => Some(aim.min(time)),
            (aim, time) => aim.or(time),
        }
    }

    /// Whether so many positions are no more than a share, in percent, of those that are left.
    pub fn affords_nodes(&self, nodes: u64, percent: u32) -> bool {
        nodes <= self.nodes_left() / 100 * u64::from(percent)
    }

    /// How many positions can be visited in a share, in percent, of the time that is left; `None` where time has no
    /// limit.
    ///
    /// `per_second` is how many the machine can be trusted to visit.
    pub fn affordable_in_time(&self, percent: u32, per_second: u64) -> Option<u64> {
        let left = self.usual_time()?.saturating_sub(self.elapsed()) * percent / 100;
        let nodes = left.as_micros() * u128::from(per_second) / 1_000_000;
        Some(nodes.try_into().unwrap_or(u64::MAX))
    }

    /// Restarts the detection of pauses: the time since the last look at the clock was spent on work.
    pub fn resume(&mut self) {
        self.polled = self.elapsed();
    }

    /// Opens a part of the search that may use time until a share of it, in percent, is gone,
    /// and that share of the positions left.
    pub fn begin_share<M>(&mut self, percent: u32, monitor: &mut impl Monitor<M>) {
        let nodes = self.nodes() + self.nodes_left() / 100 * u64::from(percent);
        self.begin(percent, nodes, monitor);
    }

    /// The same for work in steps, which is not bounded by positions: other threads spend those.
    pub fn begin_share_of_time<M>(&mut self, percent: u32, monitor: &mut impl Monitor<M>) {
        self.begin(percent, u64::MAX, monitor);
    }

    fn begin<M>(&mut self, percent: u32, nodes: u64, monitor: &mut impl Monitor<M>) {
        self.share = self.usual_time().map(|time| time * percent / 100);
        self.node_share = nodes;
        self.stopped = false;
        self.poll(monitor);
    }

    /// Closes that part: what follows has all that is left.
    pub fn end_share<M>(&mut self, monitor: &mut impl Monitor<M>) {
        self.share = None;
        self.node_share = self.node_limit;
        self.stopped = false;
        self.poll(monitor);
    }

    /// Positions that this thread has visited.
    pub const fn own_nodes(&self) -> u64 {
        self.nodes
    }

    /// Positions visited, by other threads as well.
    pub fn nodes(&self) -> u64 {
        self.nodes
            + self
                .others
                .map_or(0, |others| others.load(Ordering::Relaxed))
    }

    fn nodes_left(&self) -> u64 {
        self.node_limit.saturating_sub(self.nodes())
    }

    pub fn elapsed(&self) -> Duration {
        match self.nodes_per_ms {
            Some(speed) => Duration::from_micros(self.nodes() * 1_000 / speed.max(1)),
            None => self.started.elapsed(),
        }
    }
}

/// What is kept back from a time limit for the way to the caller and a busy machine.
fn margin(time: Duration) -> Duration {
    (Duration::from_millis(2) + time / 50).min(time / 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;

    fn timed(ms: u64, stop: &AtomicBool) -> Budget<'_> {
        let limits = Limits {
            time: Some(Duration::from_millis(ms)),
            nodes_per_ms: Some(1),
            ..Limits::default()
        };
        Budget::new(&limits, stop)
    }

    #[test]
    fn a_share_of_the_time_affords_positions_and_without_a_limit_any_number() {
        let stop = AtomicBool::new(false);
        // Three milliseconds of 50 are kept back.
        let affordable = |ms| timed(ms, &stop).affordable_in_time(70, 2_000_000);
        assert_eq!(affordable(50), Some(65_800));
        assert_eq!(affordable(20), Some(24_640));
        let unlimited = Budget::new(&Limits::default(), &stop);
        assert_eq!(unlimited.affordable_in_time(70, 2_000_000), None);
        let mut budget = timed(50, &stop);
        for _ in 0..27 {
            assert!(budget.spend_node::<()>(&mut Silent));
        }
        assert_eq!(budget.affordable_in_time(70, 2_000_000), Some(28_000));
    }

    #[test]
    fn a_share_of_the_positions_is_of_those_that_are_left() {
        let stop = AtomicBool::new(false);
        let limits = Limits {
            nodes: Some(10_000),
            ..Limits::default()
        };
        let budget = Budget::new(&limits, &stop);
        assert!(budget.affords_nodes(3_500, 35));
        assert!(!budget.affords_nodes(3_501, 35));
    }

    #[test]
    fn what_the_search_does_itself_is_no_pause_of_the_machine() {
        let stop = AtomicBool::new(false);
        let mut budget = timed(50, &stop);
        // Forty milliseconds without a look at the clock.
        for _ in 0..40 {
            assert!(budget.spend_node::<()>(&mut Silent));
        }
        budget.resume();
        budget.end_share::<()>(&mut Silent);
        assert!(!budget.is_stopped());
    }
}
