//! Scores of positions by searches, in place of how their games ended.

use std::sync::atomic::AtomicBool;

use ataxxd_rules::board8::squares;
use ataxxd_rules::random::Random;
use ataxxd_rules::reversi::{Reversi, targets};
use ataxxd_search::reversi::endgame::Endgames;
use ataxxd_search::reversi::evaluation::PIECE;
use ataxxd_search::{Limits, Searcher, Silent};
use rayon::prelude::*;

use super::games::{Sample, after};

/// Positions that are scored one after the other, with the same table.
const SHARE: usize = 8_192;

/// With so many empty squares, or fewer, the score is exact.
const SOLVED: u32 = 13;

/// Moves at random before a position is scored, one of these: a search judges many positions that players avoid.
const DETOURS: [u32; 4] = [0, 0, 1, 2];

/// The share of how the game ended, where no move at random came between.
const RESULT_SHARE: f32 = 0.1;

/// Positions scored by searches of so many nodes; those with a single move are left out. The same for the same seed, on
/// however many threads.
pub fn rescored(samples: &[Sample], nodes: u64, seed: u64) -> Vec<Sample> {
    let shares = samples.par_chunks(SHARE).enumerate();
    let shares = shares.map(|(number, samples)| {
        let mut scorer = Scorer {
            random: Random::stream(seed, number as u64),
            searcher: Searcher::new(1),
            endgames: Endgames::new(4),
            nodes,
        };
        let scored = samples.iter().filter_map(|sample| scorer.scored(sample));
        scored.collect::<Vec<_>>()
    });
    shares.collect::<Vec<_>>().concat()
}

struct Scorer {
    random: Random,
    searcher: Searcher,
    endgames: Endgames,
    nodes: u64,
}

impl Scorer {
    /// A position, or one soon after it, with the score of a search.
    fn scored(&mut self, sample: &Sample) -> Option<Sample> {
        let (mut own, mut other) = (sample.own, sample.other);
        let detour = *self.random.choose(&DETOURS);
        for _ in 0..detour {
            let choices: Vec<_> = squares(targets(own, other)).collect();
            if choices.is_empty() {
                return None;
            }
            (own, other) = after(own, other, *self.random.choose(&choices));
        }
        if targets(own, other).count_ones() < 2 {
            return None;
        }
        let score = if (!(own | other)).count_ones() <= SOLVED {
            self.endgames.score(own, other) as i8
        } else {
            let searched = self.searched(own, other);
            let ended = if detour == 0 {
                f32::from(sample.score)
            } else {
                searched
            };
            (RESULT_SHARE * ended + (1.0 - RESULT_SHARE) * searched).round() as i8
        };
        Some(Sample {
            own,
            other,
            score,
            game: sample.game,
        })
    }

    /// What a search says, in pieces.
    fn searched(&mut self, own: u64, other: u64) -> f32 {
        let limits = Limits {
            nodes: Some(self.nodes),
            win_horizon: Some(0),
            ..Limits::default()
        };
        let stop = AtomicBool::new(false);
        let position = Reversi::of_mover(own, other);
        let report = self
            .searcher
            .search(&position, &limits, &stop, &mut Silent)
            .expect("the game is not over");
        (report.score as f32 / PIECE as f32).clamp(-64.0, 64.0)
    }
}
