//! The table of exact searches: bounds on final scores, which are valid for ever.

use std::mem;

use ataxxd_processor::in_large_pages;

/// What is known of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The score is this or more.
    pub lower: i8,
    /// The score is this or less.
    pub upper: i8,
    /// The code of the move that was best so far; `NO_MOVE` when none is known.
    pub best: u8,
}

/// Stands for a move that is not known.
pub const NO_MOVE: u8 = u8::MAX;

/// One position; one with no work is an unused place.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    key: u64,
    lower: i8,
    upper: i8,
    best: u8,
    /// How much there was to search, such as the empty squares.
    work: u8,
    generation: u8,
}

const WAYS: usize = 4;

/// Entries that share a cache line.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Bucket([Entry; WAYS]);

/// A table of bounds on the final score of positions, by their keys.
///
/// All 64 bits of the key are compared. In a full bucket the place goes to the newcomer whose
/// occupant took the least work, entries of earlier searches first.
#[derive(Debug)]
pub struct BoundsTable {
    buckets: Vec<Bucket>,
    mb: usize,
    generation: u8,
}

impl BoundsTable {
    /// A table of at most `mb` mebibytes; it takes none before [`Self::reserve`].
    pub const fn new(mb: usize) -> Self {
        Self {
            buckets: Vec::new(),
            mb,
            generation: 0,
        }
    }

    /// Forgets everything, and gives the memory back.
    pub fn clear(&mut self) {
        self.buckets = Vec::new();
        self.generation = 0;
    }

    /// Takes memory for about so many positions, at least a mebibyte; for `None` all that it may take. The bounds
    /// in the table are kept.
    pub fn reserve(&mut self, positions: Option<u64>) {
        let most = (self.mb.max(1) << 20) / size_of::<Bucket>();
        let least = (1 << 20) / size_of::<Bucket>();
        let wanted = positions.map_or(most, |positions| {
            let buckets = usize::try_from(positions / WAYS as u64);
            buckets.unwrap_or(most).clamp(least, most)
        });
        let size = 1 << wanted.ilog2();
        if size <= self.buckets.len() {
            return;
        }
        let before = mem::replace(&mut self.buckets, in_large_pages(size, Bucket::default));
        // Sizes are powers of two, so a bucket's entries come from one bucket and have room.
        for entry in before.iter().flat_map(|bucket| bucket.0) {
            let index = self.index(entry.key);
            if let Some(free) = self.buckets[index].0.iter_mut().find(|free| free.work == 0) {
                *free = entry;
            }
        }
    }

    /// Tells what is stored from now on apart from what earlier searches stored.
    pub fn next_generation(&mut self) {
        self.generation = self.generation.wrapping_add(1);
    }

    #[inline]
    fn index(&self, key: u64) -> usize {
        key as usize & (self.buckets.len() - 1)
    }

    /// What is known of a position.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Bounds> {
        let bucket = &self.buckets[self.index(key)].0;
        let entry = bucket.iter().find(|entry| entry.key == key)?;
        (entry.work > 0).then_some(Bounds {
            lower: entry.lower,
            upper: entry.upper,
            best: entry.best,
        })
    }

    /// Keeps which move of a position to try first, where nothing of its score is known.
    pub fn suggest(&mut self, key: u64, work: u32, best: u8) {
        self.put(key, work, -65, -64, best);
    }

    /// Keeps that the score of a position that took so much `work` (1 to 255) is above `alpha`, or not:
    /// `score` bounds it on that side.
    #[inline]
    pub fn put(&mut self, key: u64, work: u32, alpha: i32, score: i32, best: u8) {
        let generation = self.generation;
        let index = self.index(key);
        let bucket = &mut self.buckets[index].0;
        let worth = |entry: &Entry| (entry.generation == generation, entry.work);
        let mut place = 0;
        for way in 0..WAYS {
            if bucket[way].key == key {
                place = way;
                break;
            }
            if worth(&bucket[way]) < worth(&bucket[place]) {
                place = way;
            }
        }
        let entry = &mut bucket[place];
        if entry.key != key || entry.work == 0 {
            *entry = Entry {
                key,
                lower: -64,
                upper: 64,
                best: NO_MOVE,
                work: work as u8,
                generation,
            };
        }
        entry.generation = generation;
        if score > alpha {
            entry.lower = entry.lower.max(score as i8);
            entry.best = best;
        } else {
            entry.upper = entry.upper.min(score as i8);
            if entry.best == NO_MOVE {
                entry.best = best;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_takes_no_more_memory_than_the_positions_fill() {
        let size = |positions| {
            let mut table = BoundsTable::new(32);
            table.reserve(positions);
            (table.buckets.len() * size_of::<Bucket>()) >> 20
        };
        assert_eq!(size(Some(0)), 1);
        assert_eq!(size(Some(67_000)), 1);
        assert_eq!(size(Some(1_400_000)), 16);
        assert_eq!(size(Some(u64::MAX)), 32);
        assert_eq!(size(None), 32);
    }

    #[test]
    fn a_table_that_grows_keeps_what_it_knows() {
        let mut table = BoundsTable::new(4);
        table.reserve(Some(0));
        table.next_generation();
        // They share 28 buckets while the table is small.
        let keys: Vec<u64> = (1..=8_000).map(|key| (key << 12) | (key % 7)).collect();
        for (&key, score) in keys.iter().zip((-60..60).cycle()) {
            table.put(key, 9, score, score, 5);
        }
        let before: Vec<_> = keys.iter().map(|&key| table.get(key)).collect();
        assert!(before.iter().flatten().count() > 100);
        table.reserve(None);
        assert_eq!(table.buckets.len(), (4 << 20) / size_of::<Bucket>());
        assert!(keys.iter().map(|&key| table.get(key)).eq(before));
    }
}
