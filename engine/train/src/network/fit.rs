//! Fits a network to samples: logistic or squared loss, mini-batches.

use ataxxd_rules::random::Random;
use ataxxd_search::net::{Network, Output};
use rayon::prelude::*;

use super::block::Block;
use super::learnt::{Lane, Learnt, Step, WIDTH};
use super::samples::Sample;
use super::seen::Seen;
use super::trainable::Fitted;

/// Samples of a batch that are looked at by one thread.
const SHARE: usize = 512;

/// The size of steps at first and at last, between which it falls evenly from batch to batch.
pub type Rates = [f32; 2];

/// The rates of a network that begins from nothing.
pub const FRESH: Rates = [2e-3, 2e-5];

/// The rates of one that is fine-tuned.
pub const FINE: Rates = [1e-3, 1e-5];

/// A fit under way.
#[derive(Debug, Clone)]
pub struct Fit {
    blocks: Vec<Block>,
    /// Which rows are on in some sample, however it is turned.
    is_seen: Vec<bool>,
    /// What part each row takes of a step; all of it after the last of them.
    shares: Vec<f32>,
    /// One number for each stage, and what fills the last lane up.
    output_bias: Learnt,
    /// Steps so far.
    pub steps: i32,
    /// Passes over the samples so far.
    pub epoch: u64,
}

/// How far an output is from a target: the logistic loss, where the target is a chance and the output the logarithm of
/// odds, or the squared one.
fn loss<P: Fitted>(output: f32, target: f32) -> f32 {
    if P::SQUARED {
        (output - target).powi(2) / 2.0
    } else {
        output.max(0.0) - output * target + (-output.abs()).exp().ln_1p()
    }
}

/// How fast the loss grows with the output.
fn slope<P: Fitted>(output: f32, target: f32) -> f32 {
    if P::SQUARED {
        output - target
    } else {
        1.0 / (1.0 + (-output).exp()) - target
    }
}

/// The output with the least loss.
fn best_output<P: Fitted>(target: f32) -> f32 {
    if P::SQUARED {
        return target;
    }
    let certain = target.clamp(1e-4, 1.0 - 1e-4);
    (certain / (1.0 - certain)).ln()
}

/// Which rows are on in some sample, however it is turned.
fn is_seen<P: Fitted>(samples: &[Sample]) -> Vec<bool> {
    let mut is_seen = vec![false; P::ROWS];
    for sample in samples {
        for symmetry in 0..P::SYMMETRIES {
            P::for_each_row(&P::turned(&sample.view, symmetry), |row| {
                is_seen[row] = true
            });
        }
    }
    is_seen
}

/// How much of a step each row takes, so that those that are hardly ever seen stay what they were; none when all rows take
/// whole steps.
fn shares<P: Fitted>(samples: &[Sample]) -> Vec<f32> {
    let Some(rare) = P::RARE else {
        return Vec::new();
    };
    let mut seen = vec![0.0; P::ROWS];
    for sample in samples {
        P::for_each_row(&sample.view, |row| seen[row] += 1.0);
    }
    seen.into_iter().map(|seen| seen / (seen + rare)).collect()
}

/// A random order of so many things.
fn shuffled(count: usize, random: &mut Random) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    for last in (1..count).rev() {
        order.swap(last, random.below(last as u64 + 1) as usize);
    }
    order
}

impl Fit {
    /// A fit to some samples that begins from nothing, or with the weights of a network.
    pub fn new<P: Fitted>(seed: u64, start: Option<&Network>, samples: &[Sample]) -> Self {
        let shares = shares::<P>(samples);
        let mut random = Random::new(seed);
        let mut output_bias = vec![Lane::ZERO; P::STAGES.div_ceil(WIDTH)];
        let outputs = start.map_or(&[][..], Network::outputs);
        for (stage, output) in outputs.iter().enumerate() {
            let bias = f32::from(output.bias) / P::CENTIPIECES as f32;
            output_bias[stage / WIDTH].0[stage % WIDTH] = bias;
        }
        let block = |number| {
            start.map_or_else(
                || Block::random::<P>(&mut random, &shares),
                |network| Block::of::<P>(network, number),
            )
        };
        let blocks = (0..P::HIDDEN / WIDTH).map(block).collect();
        Self {
            blocks,
            is_seen: is_seen::<P>(samples),
            shares,
            output_bias: Learnt::new(output_bias),
            steps: 0,
            epoch: 0,
        }
    }

    /// All that a fit consists of, besides its counts; `refresh` follows a change.
    pub fn parts_mut(&mut self) -> impl Iterator<Item = &mut [Lane]> {
        let blocks = self.blocks.iter_mut().map(|block| &mut block.learnt);
        let learnt = blocks.chain([&mut self.output_bias]);
        learnt.flat_map(Learnt::parts_mut)
    }

    /// Brings what follows from the learnt numbers up to date.
    pub fn refresh<P: Fitted>(&mut self) {
        for block in &mut self.blocks {
            block.refresh::<P>();
        }
    }

    /// One pass over the samples, of `epochs` in all; the mean loss before each step.
    pub fn pass<P: Fitted>(
        &mut self,
        samples: &[Sample],
        rates: Rates,
        epochs: u64,
        seed: u64,
    ) -> f32 {
        let order = shuffled(samples.len(), &mut Random::stream(seed, self.epoch));
        let count = samples.len().div_ceil(P::BATCH);
        let mut sum = 0.0;
        for (number, batch) in order.chunks(P::BATCH).enumerate() {
            let shares = batch.par_chunks(SHARE).enumerate();
            let batch: Vec<Seen> = shares
                .map(|(share, order)| {
                    let index = (self.epoch + 1) << 32 | (number * P::BATCH / SHARE + share) as u64;
                    let samples = order.iter().map(|&index| &samples[index as usize]);
                    Seen::of::<P>(samples, Some(Random::stream(seed, index)))
                })
                .collect();
            let done = (self.epoch as f32 + number as f32 / count as f32) / epochs as f32;
            let rate = rates[0] + (rates[1] - rates[0]) * done;
            sum += self.learn::<P>(&batch, rate);
        }
        self.epoch += 1;
        (sum / samples.len() as f64) as f32
    }

    /// A step against the gradient of a batch; the sum of the losses before it.
    fn learn<P: Fitted>(&mut self, batch: &[Seen], rate: f32) -> f64 {
        let mut slopes = self.outputs::<P>(batch);
        let mut gradient = vec![Lane::ZERO; self.output_bias.values.len()];
        let mut sum = 0.0;
        let boards = batch
            .iter()
            .flat_map(|seen| seen.stages.iter().zip(&seen.targets));
        for (slope, (&stage, &target)) in slopes.iter_mut().zip(boards) {
            sum += f64::from(loss::<P>(*slope, target));
            *slope = self::slope::<P>(*slope, target);
            gradient[stage / WIDTH].0[stage % WIDTH] += *slope;
        }
        self.steps += 1;
        let step = Step {
            share: 1.0 / slopes.len() as f32,
            rate,
            number: self.steps,
        };
        self.output_bias.step(&mut gradient, step, &[]);
        let blocks = self.blocks.par_iter_mut();
        let shares = &self.shares[..];
        blocks.for_each(|block| block.learn::<P>(batch, &slopes, step, shares));
        sum
    }

    /// The outputs for the boards of a batch.
    fn outputs<P: Fitted>(&mut self, batch: &[Seen]) -> Vec<f32> {
        let boards = batch
            .iter()
            .flat_map(|seen| seen.stages.iter().zip(&seen.known));
        let mut outputs: Vec<f32> = boards
            .map(|(&stage, known)| known + self.output_bias(stage))
            .collect();
        let blocks = self.blocks.par_iter_mut();
        let parts: Vec<_> = blocks.map(|block| block.forward::<P>(batch)).collect();
        for part in parts {
            for (output, part) in outputs.iter_mut().zip(part) {
                *output += part;
            }
        }
        outputs
    }

    fn output_bias(&self, stage: usize) -> f32 {
        self.output_bias.values[stage / WIDTH].0[stage % WIDTH]
    }

    /// The network in integers. Rows that no sample has are zero, so that they take no place in a compressed file.
    pub fn quantised<P: Fitted>(&self) -> Network {
        let blocks: Vec<_> = self.blocks.iter().map(Block::quantised::<P>).collect();
        let lanes = |part: usize, at: usize| -> Vec<i16> {
            blocks.iter().flat_map(|block| block[part][at]).collect()
        };
        let row = |row: usize| {
            if self.is_seen[row] {
                lanes(0, row)
            } else {
                vec![0; P::HIDDEN]
            }
        };
        let rows = (0..P::ROWS).flat_map(row);
        let rows: Vec<i8> = rows.map(|weight| weight as i8).collect();
        let outputs = (0..P::STAGES).map(|stage| Output {
            weights: lanes(1, stage),
            bias: (self.output_bias(stage) * P::CENTIPIECES as f32).round() as i16,
        });
        Network::new(&rows, lanes(2, 0), outputs.collect())
    }

    /// The mean loss of some samples.
    pub fn losses<P: Fitted>(&mut self, samples: &[Sample]) -> Losses {
        let network = self.quantised::<P>();
        let mut sums = [0.0_f64; 4];
        for samples in samples.chunks(P::BATCH) {
            let learnt = self.outputs::<P>(&[Seen::of::<P>(samples.iter(), None)]);
            for (sample, learnt) in samples.iter().zip(learnt) {
                let &Sample {
                    view,
                    known,
                    target,
                } = sample;
                let correction = network.correction::<P>(&view) as f32;
                let quantised = known + correction / P::CENTIPIECES as f32;
                let outputs = [learnt, quantised, known, best_output::<P>(target)];
                for (sum, output) in sums.iter_mut().zip(outputs) {
                    *sum += f64::from(loss::<P>(output, target));
                }
            }
        }
        let [learnt, quantised, known, least] =
            sums.map(|sum| (sum / samples.len().max(1) as f64) as f32);
        Losses {
            learnt,
            quantised,
            known,
            least,
        }
    }
}

/// Mean losses of the same samples.
#[derive(Debug, Clone, Copy)]
pub struct Losses {
    /// Of the model as it learns.
    pub learnt: f32,
    /// Of the model in integers.
    pub quantised: f32,
    /// Of what is known without the network.
    pub known: f32,
    /// Of a model that predicts each target exactly: no loss is smaller.
    pub least: f32,
}
