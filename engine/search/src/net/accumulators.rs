//! Accumulators: the first layer's sums for each position on the path from the root, updated from move to move.
//!
//! The network sees a board from the side to move, so a child starts from its parent's sum as the *other* side sees it.
//! The parent's first child has that computed, from the grandparent's own sum; all children share it.

use ataxxd_processor::{widest, widest_of_all};

use super::portable::weighed;
use super::{MOST_ROWS, Network, Stepwise, View, chunk};
use crate::evaluate::Evaluator;
use crate::score::MOST_EVALUATED;

/// Most rows removed and added for an update; with more, the sum is computed from scratch.
const MOST_CHANGES: usize = 18;

/// The sums of the last position at each ply, of `2 * PAIRS` hidden numbers in blocks of `2 * N`.
#[derive(Debug, Default)]
pub struct Accumulators<const PAIRS: usize, const N: usize>(Vec<Sums<PAIRS>>);

/// The sums of a position.
#[derive(Debug, Default)]
struct Sums<const PAIRS: usize> {
    /// As its side to move sees it.
    own: Sum<PAIRS>,
    /// As the other side sees it; that of an earlier position until it is needed.
    turned: Sum<PAIRS>,
}

/// The bias and the rows that a board switches on.
#[derive(Debug)]
#[repr(align(64))]
struct Sum<const PAIRS: usize> {
    view: View,
    pairs: Pairs<PAIRS>,
}

/// Sums of pairs of weights, and of their upper bytes alone.
#[derive(Debug, Clone, Copy)]
struct Pairs<const COUNT: usize> {
    both: [u16; COUNT],
    upper: [u16; COUNT],
}

impl<P: Stepwise, const PAIRS: usize, const N: usize> Evaluator<P> for Accumulators<PAIRS, N> {
    #[inline(always)]
    fn evaluate(&mut self, position: &P, ply: usize) -> i32 {
        self.value::<P, true>(position, ply)
    }

    #[inline(always)]
    fn evaluate_leaf(&mut self, position: &P, ply: usize) -> i32 {
        self.value::<P, false>(position, ply)
    }
}

impl<const PAIRS: usize, const N: usize> Accumulators<PAIRS, N> {
    /// The value of a position, whose sum is kept if `KEPT`.
    #[inline(always)]
    fn value<P: Stepwise, const KEPT: bool>(&mut self, position: &P, ply: usize) -> i32 {
        if PAIRS == N {
            // All sums fit in registers of 256 bits.
            return widest(
                #[inline(always)]
                || self.value_by::<P, KEPT, N>(position, ply),
            );
        }
        widest_of_all(
            #[inline(always)]
            |wide| {
                if wide {
                    self.value_by::<P, KEPT, PAIRS>(position, ply)
                } else {
                    self.value_by::<P, KEPT, N>(position, ply)
                }
            },
        )
    }

    /// The same with `ONCE` pairs in registers at once.
    #[inline(always)]
    fn value_by<P: Stepwise, const KEPT: bool, const ONCE: usize>(
        &mut self,
        position: &P,
        ply: usize,
    ) -> i32 {
        if self.0.len() <= ply {
            self.0.resize_with(ply + 1, Sums::default);
        }
        let network = P::weights().network::<P>();
        let view = position.view();
        let (before, here) = self.0.split_at_mut(ply);
        let kept = KEPT.then_some(&mut here[0].own);
        let correction = match before {
            [] => network.step::<P, PAIRS, N, ONCE, true>(&Sum::default(), &view, kept),
            [earlier @ .., last] => {
                last.turn::<P, N, ONCE>(network, earlier.last());
                network.step::<P, PAIRS, N, ONCE, true>(&last.turned, &view, kept)
            }
        };
        (position.known() + correction).clamp(-MOST_EVALUATED, MOST_EVALUATED)
    }
}

impl<const PAIRS: usize> Sums<PAIRS> {
    /// Brings the sum of the other side up to date, from that of the position before.
    #[inline(always)]
    fn turn<P: Stepwise, const N: usize, const ONCE: usize>(
        &mut self,
        network: &Network,
        before: Option<&Self>,
    ) {
        let [own, other, rest] = self.own.view;
        let view = [other, own, rest];
        if self.turned.view == view {
            return;
        }
        let nothing;
        let from = if let Some(before) = before {
            &before.own
        } else {
            nothing = Sum::default();
            &nothing
        };
        network.step::<P, PAIRS, N, ONCE, false>(from, &view, Some(&mut self.turned));
    }
}

impl Network {
    /// What the network adds to what is known, in centipieces, computed from the differences to another board; 0 unless
    /// `WEIGHED`. The sum goes to `kept`.
    #[inline(always)]
    fn step<
        P: Stepwise,
        const PAIRS: usize,
        const N: usize,
        const ONCE: usize,
        const WEIGHED: bool,
    >(
        &self,
        from: &Sum<PAIRS>,
        view: &View,
        mut kept: Option<&mut Sum<PAIRS>>,
    ) -> i32 {
        if let Some(kept) = &mut kept {
            kept.view = *view;
        }
        let (mut changes, mut count) = ([[0_u32; 2]; MOST_CHANGES], 0);
        let mut all: Pairs<ONCE> = from.pairs.some(0);
        let near = P::for_each_change(
            &from.view,
            view,
            MOST_CHANGES as u32,
            #[inline(always)]
            |off, on| {
                let change = [off * PAIRS, on * PAIRS];
                if ONCE == PAIRS {
                    all.change(&self.rows, change);
                } else {
                    changes[count] = change.map(|place| place as u32);
                    count += 1;
                }
            },
        );
        let anew;
        let mut from = &from.pairs;
        if !near {
            anew = self.anew::<P, PAIRS, N>(view);
            from = &anew;
            all = from.some(0);
        }
        let output = &self.outputs[P::stage(view)];
        let mut total = 0;
        for first in (0..PAIRS).step_by(ONCE) {
            if ONCE < PAIRS {
                all = from.some(first);
                for change in &changes[..count] {
                    all.change(&self.rows, change.map(|place| place as usize + first));
                }
            }
            let Pairs { both, upper } = all;
            if let Some(kept) = &mut kept {
                kept.pairs.both[first..first + ONCE].copy_from_slice(&both);
                kept.pairs.upper[first..first + ONCE].copy_from_slice(&upper);
            }
            for block in (0..ONCE).step_by(N) {
                if WEIGHED {
                    let upper = chunk::<u16, N>(&upper[block..]).map(|sum| sum as i16);
                    let lower = |lane: usize| {
                        both[block + lane].wrapping_sub((upper[lane] << 8) as u16) as i16
                    };
                    let weights = &output.weights[2 * (first + block)..];
                    total += weighed::<N>(&std::array::from_fn(lower), weights);
                    total += weighed::<N>(&upper, &weights[N..]);
                }
            }
        }
        if WEIGHED {
            output.centipieces::<P>(total)
        } else {
            0
        }
    }

    /// The sum of the bias and all rows that a board switches on.
    #[cold]
    fn anew<P: Stepwise, const PAIRS: usize, const N: usize>(&self, view: &View) -> Pairs<PAIRS> {
        let (mut rows, mut count) = ([0; MOST_ROWS], 0);
        P::for_each_row(view, |row| {
            rows[count] = row * PAIRS;
            count += 1;
        });
        let (mut both, mut upper) = ([0; PAIRS], [0; PAIRS]);
        for place in (0..PAIRS).step_by(N) {
            let [low, high] = self.halves::<N>(&rows[..count], place);
            for lane in 0..N {
                let bias = |half: usize| self.bias[2 * place + half * N + lane];
                let high = high[lane].wrapping_add(bias(1)) as u16;
                upper[place + lane] = high;
                both[place + lane] =
                    (low[lane].wrapping_add(bias(0)) as u16).wrapping_add(high << 8);
            }
        }
        Pairs { both, upper }
    }
}

impl<const COUNT: usize> Pairs<COUNT> {
    /// `ONCE` of them, from the place `first` on.
    #[inline(always)]
    fn some<const ONCE: usize>(&self, first: usize) -> Pairs<ONCE> {
        Pairs {
            both: *chunk(&self.both[first..]),
            upper: *chunk(&self.upper[first..]),
        }
    }

    /// Subtracts the row at one place and adds that at another.
    #[inline(always)]
    fn change(&mut self, rows: &[u16], [off, on]: [usize; 2]) {
        let off = chunk::<u16, COUNT>(&rows[off..]);
        let on = chunk::<u16, COUNT>(&rows[on..]);
        for lane in 0..COUNT {
            let (off, on) = (off[lane], on[lane]);
            self.both[lane] = self.both[lane].wrapping_add(on).wrapping_sub(off);
            self.upper[lane] = self.upper[lane]
                .wrapping_add(on >> 8)
                .wrapping_sub(off >> 8);
        }
    }
}

impl<const PAIRS: usize> Default for Sum<PAIRS> {
    /// The sum of no board, so that every board differs from it.
    fn default() -> Self {
        Self {
            view: [u64::MAX; 3],
            pairs: Pairs {
                both: [0; PAIRS],
                upper: [0; PAIRS],
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use ataxxd_rules::ataxx::Ataxx;
    use ataxxd_rules::loa::Loa;
    use ataxxd_rules::random::Random;

    use super::*;
    use crate::Evaluate;
    use crate::net::lanes;

    /// Walks up and down trees of random moves, and sometimes elsewhere; with and without wide registers.
    fn walk<P: Stepwise + Evaluate, const PAIRS: usize, const N: usize>() {
        let mut random = Random::new(1);
        let (mut wide, mut narrow) = (
            Accumulators::<PAIRS, N>::default(),
            Accumulators::<PAIRS, N>::default(),
        );
        for ruleset in P::RULESETS {
            let mut way = vec![P::start(ruleset)];
            for _ in 0..3_000 {
                let (ply, last) = (way.len() - 1, way.last().expect("the start stays"));
                let value = last.evaluate();
                assert_eq!(wide.evaluate_leaf(last, ply), value);
                assert_eq!(narrow.value_by::<P, false, N>(last, ply), value);
                assert_eq!(wide.evaluate(last, ply), value);
                assert_eq!(narrow.value_by::<P, true, N>(last, ply), value);
                let moves = last.legal_moves();
                if moves.is_empty() || random.below(4) == 0 {
                    way.truncate(1 + random.below(way.len() as u64) as usize);
                } else {
                    let mv = moves[random.below(moves.len() as u64) as usize];
                    way.push(last.play_unchecked(mv));
                }
            }
        }
    }

    #[test]
    fn every_value_is_the_one_computed_from_scratch() {
        walk::<Ataxx, 128, { lanes(256) }>();
        walk::<Loa, 32, { lanes(64) }>();
    }
}
