//! The transposition table.

use crate::score::is_decided;
use crate::searchable::COUNTER_HORIZON;

/// What a stored score says about the true one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The true score is this or more.
    Lower = 1,
    /// The true score is this or less.
    Upper = 2,
    /// It is the true score.
    Exact = 3,
}

/// What the table knows of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// Tag of the best move; 0 when none is known.
    pub tag: u16,
    /// Score, wins and losses counted from the root of the present search.
    pub score: i32,
    /// Static evaluation.
    pub eval: i32,
    /// Plies searched below.
    pub depth: i32,
    /// What the score means.
    pub bound: Bound,
}

const WAYS: usize = 4;
const GENERATIONS: u64 = 64;

/// Key and packed data of one position; data 0 is an empty place.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    key: u64,
    data: u64,
}

/// A table of positions in buckets of four, one cache line each.
///
/// The whole 64-bit key is compared. Where a bucket is full, the place goes to the
/// newcomer whose occupant was searched least deeply, counting age as lost depth.
#[derive(Debug)]
pub struct Table {
    buckets: Vec<[Entry; WAYS]>,
    generation: u64,
}

impl Table {
    /// A table of about `mb` mebibytes, at most that.
    pub fn new(mb: usize) -> Self {
        let bytes = mb.max(1) << 20;
        let wanted = bytes / size_of::<[Entry; WAYS]>();
        let size = 1 << wanted.ilog2();
        Self {
            buckets: vec![[Entry::default(); WAYS]; size],
            generation: 0,
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.buckets.fill([Entry::default(); WAYS]);
        self.generation = 0;
    }

    /// Tells what follows apart from what was stored by earlier searches.
    pub fn next_generation(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
    }

    #[inline]
    fn index(&self, key: u64) -> usize {
        key as usize & (self.buckets.len() - 1)
    }

    /// What is known of a position `ply` plies below the root.
    #[inline]
    pub fn probe(&self, key: u64, ply: usize) -> Option<Hit> {
        let bucket = &self.buckets[self.index(key)];
        let entry = bucket.iter().find(|e| e.key == key && e.data != 0)?;
        let data = entry.data;
        let score = i32::from((data >> 16) as i16);
        Some(Hit {
            tag: data as u16,
            score: if is_decided(score) {
                score - score.signum() * ply as i32
            } else {
                score
            },
            eval: i32::from((data >> 32) as i16),
            depth: (data >> 48 & 0xff) as i32,
            bound: match data >> 56 & 3 {
                1 => Bound::Lower,
                2 => Bound::Upper,
                _ => Bound::Exact,
            },
        })
    }

    /// Keeps what a search found; wins beyond the counters' horizon are not kept.
    #[inline]
    pub fn store(&mut self, key: u64, ply: usize, hit: Hit) {
        let mut score = hit.score;
        if is_decided(score) {
            score += score.signum() * ply as i32;
            if crate::score::WIN - score.abs() > COUNTER_HORIZON {
                return;
            }
        }
        let index = self.index(key);
        let generation = self.generation;
        let bucket = &mut self.buckets[index];
        let worth = |entry: &Entry| {
            let age = (generation + GENERATIONS - (entry.data >> 58)) % GENERATIONS;
            (entry.data >> 48 & 0xff) as i32 - 8 * age as i32
        };
        let mut place = 0;
        for way in 0..WAYS {
            if bucket[way].key == key || bucket[way].data == 0 {
                place = way;
                break;
            }
            if worth(&bucket[way]) < worth(&bucket[place]) {
                place = way;
            }
        }
        let old = bucket[place];
        let same = old.key == key && old.data != 0;
        let mut tag = hit.tag;
        if same {
            if tag == 0 {
                tag = old.data as u16;
            }
            // A deeper bound of this very search is worth more than a shallow one.
            let old_depth = (old.data >> 48 & 0xff) as i32;
            if hit.bound != Bound::Exact
                && old.data >> 58 == generation
                && old_depth > hit.depth + 3
            {
                return;
            }
        }
        let depth = hit.depth.clamp(0, 255) as u64;
        bucket[place] = Entry {
            key,
            data: u64::from(tag)
                | u64::from(score as i16 as u16) << 16
                | u64::from(hit.eval as i16 as u16) << 32
                | depth << 48
                | (hit.bound as u64) << 56
                | generation << 58,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::WIN;

    fn hit(score: i32, depth: i32) -> Hit {
        Hit {
            tag: 7,
            score,
            eval: -12,
            depth,
            bound: Bound::Exact,
        }
    }

    #[test]
    fn what_is_stored_is_found_again_and_nothing_else() {
        let mut table = Table::new(1);
        table.store(42, 0, hit(-345, 9));
        assert_eq!(table.probe(42, 0), Some(hit(-345, 9)));
        assert_eq!(table.probe(42 + (1 << 40), 0), None);
        table.clear();
        assert_eq!(table.probe(42, 0), None);
    }

    #[test]
    fn a_win_keeps_its_distance_from_the_position_not_from_the_root() {
        let mut table = Table::new(1);
        table.store(1, 6, hit(WIN - 9, 4));
        assert_eq!(table.probe(1, 2).map(|hit| hit.score), Some(WIN - 5));
    }

    #[test]
    fn a_win_beyond_the_horizon_of_counters_is_not_kept() {
        let mut table = Table::new(1);
        table.store(1, 0, hit(WIN - COUNTER_HORIZON - 1, 20));
        assert_eq!(table.probe(1, 0), None);
    }

    #[test]
    fn a_full_bucket_gives_up_what_is_old_and_shallow() {
        let mut table = Table::new(1);
        let key = |n: u64| n << 32; // all in one bucket
        for n in 1..=4 {
            table.store(key(n), 0, hit(0, n as i32 + 4));
        }
        table.store(key(5), 0, hit(0, 1));
        assert_eq!(table.probe(key(1), 0), None, "the shallowest went");
        for _ in 0..3 {
            table.next_generation();
        }
        table.store(key(6), 0, hit(0, 1));
        assert!(table.probe(key(6), 0).is_some());
        assert!(table.probe(key(4), 0).is_some(), "the deepest stays");
    }
}
