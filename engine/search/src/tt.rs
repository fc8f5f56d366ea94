//! The transposition table, which all threads of a search share without locks.

use std::sync::atomic::{AtomicU64, Ordering};

use ataxxd_processor::{in_large_pages, prefetch};

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
    /// Plies searched below.
    pub depth: i32,
    /// What the score means.
    pub bound: Bound,
}

const WAYS: usize = 4;
const GENERATIONS: u64 = 64;

/// Packed data of one position, and its key mixed with them; data 0 is an empty place.
///
/// Two threads may write to a place at once, and one finds the key of one and the data of the
/// other: such an entry belongs to no position that is ever asked for, for its key comes out
/// wrong (Hyatt and Mann 2002).
#[derive(Debug, Default)]
struct Entry {
    mixed: AtomicU64,
    data: AtomicU64,
}

impl Entry {
    /// Key and data, which belong together unless they are torn.
    #[inline]
    fn load(&self) -> (u64, u64) {
        let data = self.data.load(Ordering::Relaxed);
        (self.mixed.load(Ordering::Relaxed) ^ data, data)
    }

    #[inline]
    fn store(&self, key: u64, data: u64) {
        self.mixed.store(key ^ data, Ordering::Relaxed);
        self.data.store(data, Ordering::Relaxed);
    }
}

/// Entries that share a cache line.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Bucket([Entry; WAYS]);

/// A table of positions in buckets of four, one cache line each.
///
/// The whole 64-bit key is compared. Where a bucket is full, the place goes to the
/// newcomer whose occupant was searched least deeply, counting age as lost depth.
#[derive(Debug)]
pub struct Table {
    buckets: Vec<Bucket>,
    generation: u64,
    /// Plies within which a win is kept.
    kept_win: i32,
}

impl Table {
    /// A table of about `mb` mebibytes, at most that.
    pub fn new(mb: usize) -> Self {
        let bytes = mb.max(1) << 20;
        let wanted = bytes / size_of::<Bucket>();
        let size = 1 << wanted.ilog2();
        Self {
            buckets: in_large_pages(size, Bucket::default),
            generation: 0,
            kept_win: COUNTER_HORIZON,
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.buckets.fill_with(Bucket::default);
        self.generation = 0;
    }

    /// Tells what is stored from now on apart from what earlier searches stored; wins further away than
    /// `kept_win` plies will not be kept.
    pub fn next_generation(&mut self, kept_win: i32) {
        self.generation = (self.generation + 1) % GENERATIONS;
        self.kept_win = kept_win;
    }

    #[inline]
    fn index(&self, key: u64) -> usize {
        key as usize & (self.buckets.len() - 1)
    }

    /// Prefetches the bucket of `key` for a probe a little later.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        let bucket = &self.buckets[self.index(key)];
        // Write to the entry that is probed last: a probe that comes too soon waits for the write.
        prefetch(bucket, &bucket.0[WAYS - 1].data);
    }

    /// What is known of a position `ply` plies below the root.
    #[inline]
    pub fn probe(&self, key: u64, ply: usize) -> Option<Hit> {
        let bucket = &self.buckets[self.index(key)].0;
        let (_, data) = bucket
            .iter()
            .map(Entry::load)
            .find(|&(of, data)| of == key && data != 0)?;
        let score = i32::from((data >> 16) as i16);
        Some(Hit {
            tag: data as u16,
            score: if is_decided(score) {
                score - score.signum() * ply as i32
            } else {
                score
            },
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
    pub fn store(&self, key: u64, ply: usize, hit: Hit) {
        let mut score = hit.score;
        if is_decided(score) {
            score += score.signum() * ply as i32;
            if crate::score::WIN - score.abs() > self.kept_win {
                return;
            }
        }
        let generation = self.generation;
        let bucket = &self.buckets[self.index(key)].0;
        let worth = |data: u64| {
            let age = (generation + GENERATIONS - (data >> 58)) % GENERATIONS;
            (data >> 48 & 0xff) as i32 - 8 * age as i32
        };
        let mut place = 0;
        let mut old = bucket[0].load();
        for (way, entry) in bucket.iter().enumerate() {
            let found = entry.load();
            if found.0 == key || found.1 == 0 {
                (place, old) = (way, found);
                break;
            }
            if worth(found.1) < worth(old.1) {
                (place, old) = (way, found);
            }
        }
        let (old_key, old_data) = old;
        let mut tag = hit.tag;
        if old_key == key && old_data != 0 {
            if tag == 0 {
                tag = old_data as u16;
            }
            // A deeper bound of this very search is worth more than a shallow one.
            let old_depth = (old_data >> 48 & 0xff) as i32;
            if hit.bound != Bound::Exact
                && old_data >> 58 == generation
                && old_depth > hit.depth + 3
            {
                return;
            }
        }
        let depth = hit.depth.clamp(0, 255) as u64;
        // Bits 32 to 47 are 0, as `prefetch` wants them.
        let data = u64::from(tag)
            | u64::from(score as i16 as u16) << 16
            | depth << 48
            | (hit.bound as u64) << 56
            | generation << 58;
        bucket[place].store(key, data);
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
    fn what_is_stored_leaves_the_bits_free_that_prefetching_may_write() {
        let mut table = Table::new(1);
        for generation in 1..GENERATIONS {
            table.next_generation(COUNTER_HORIZON);
            for score in [-WIN, -345, 0, 345, WIN] {
                let key = generation << 32 | u64::from(score.unsigned_abs());
                let tag = u16::MAX;
                table.store(
                    key,
                    0,
                    Hit {
                        tag,
                        ..hit(score, 1_000)
                    },
                );
                table.prefetch(key);
                assert_eq!(table.probe(key, 0).map(|hit| hit.score), Some(score));
            }
        }
        let entries = table.buckets.iter().flat_map(|bucket| &bucket.0);
        let kept = entries
            .map(|entry| entry.load().1)
            .filter(|&data| data != 0);
        assert!(kept.fold(0, |all, data| all | data) & 0xffff_0000_0000 == 0);
    }

    #[test]
    fn an_entry_of_two_writers_is_nobodys() {
        let table = Table::new(1);
        table.store(42, 0, hit(-345, 9));
        let entry = &table.buckets[42].0[0];
        let other = entry.data.load(Ordering::Relaxed) + 1;
        entry.data.store(other, Ordering::Relaxed);
        assert_eq!(table.probe(42, 0), None);
    }

    #[test]
    fn a_win_keeps_its_distance_from_the_position_not_from_the_root() {
        let table = Table::new(1);
        table.store(1, 6, hit(WIN - 9, 4));
        assert_eq!(table.probe(1, 2).map(|hit| hit.score), Some(WIN - 5));
    }

    #[test]
    fn a_win_beyond_the_horizon_of_counters_is_not_kept() {
        let table = Table::new(1);
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
            table.next_generation(COUNTER_HORIZON);
        }
        table.store(key(6), 0, hit(0, 1));
        assert!(table.probe(key(6), 0).is_some());
        assert!(table.probe(key(4), 0).is_some(), "the deepest stays");
    }
}
