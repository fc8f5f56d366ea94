//! Fits a network to samples: logistic loss, Adam (Kingma and Ba 2015), mini-batches.

use ataxxd_search::net::MOST_HIDDEN;
use ataxxd_search::processor::widest;

use super::model::{Model, row, row_mut};
use super::samples::Sample;
use super::trainable::Trainable;
use ataxxd_rules::random::Random;

/// Samples between two steps.
const BATCH: usize = 8192;

/// The size of steps, at first and at last; it falls evenly from batch to batch.
const RATES: [f32; 2] = [2e-3, 2e-5];

const MEAN_DECAY: f32 = 0.9;
const SQUARE_DECAY: f32 = 0.999;

/// A fit under way.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    pub model: Model,
    /// Running means of the gradient and of its square.
    mean: Model,
    square: Model,
    pub batches: i32,
    /// Passes over the samples so far.
    pub epoch: u64,
}

/// How far the predicted chances are from the targets: the mean of the logistic loss.
fn loss(logit: f32, target: f32) -> f32 {
    logit.max(0.0) - logit * target + (-logit.abs()).exp().ln_1p()
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
    pub fn new<P: Trainable>(seed: u64) -> Self {
        Self {
            model: Model::random::<P>(&mut Random::new(seed)),
            mean: Model::zero::<P>(),
            square: Model::zero::<P>(),
            batches: 0,
            epoch: 0,
        }
    }

    /// All that a fit consists of, besides its counts.
    pub fn models_mut(&mut self) -> [&mut Model; 3] {
        [&mut self.model, &mut self.mean, &mut self.square]
    }

    /// One pass over the samples, of `epochs` in all; the mean loss before each step.
    pub fn pass<P: Trainable>(&mut self, samples: &[Sample], epochs: u64, seed: u64) -> f32 {
        let mut random = Random::stream(seed, self.epoch);
        let order = shuffled(samples.len(), &mut random);
        let steps = samples.len().div_ceil(BATCH) as f32;
        let mut whole = Vec::new();
        let mut gradient = Model::zero::<P>();
        let mut sum = 0.0;
        for (step, batch) in order.chunks(BATCH).enumerate() {
            self.model.whole_rows::<P>(&mut whole);
            for &index in batch {
                let sample = &samples[index as usize];
                let view = P::turned(&sample.view, random.below(P::SYMMETRIES));
                let turned = Sample { view, ..*sample };
                sum += f64::from(widest(
                    #[inline(always)]
                    || self.learn::<P>(&whole, &turned, &mut gradient),
                ));
            }
            let done = (self.epoch as f32 + step as f32 / steps) / epochs as f32;
            let rate = RATES[0] + (RATES[1] - RATES[0]) * done;
            self.step::<P>(&mut gradient, 1.0 / batch.len() as f32, rate);
        }
        self.epoch += 1;
        (sum / samples.len() as f64) as f32
    }

    /// Adds the gradient of a sample's loss; gives the loss.
    #[inline(always)]
    fn learn<P: Trainable>(&self, whole: &[f32], sample: &Sample, gradient: &mut Model) -> f32 {
        let (logit, sums) = self.model.value::<P>(whole, &sample.view);
        let logit = sample.known + logit;
        let slope = 1.0 / (1.0 + (-logit).exp()) - sample.target;
        let stage = P::stage(&sample.view);
        let weights = row::<P>(&self.model.weights, stage);
        let to_weights = row_mut::<P>(&mut gradient.weights, stage);
        let mut back = [0.0; MOST_HIDDEN];
        for neuron in 0..P::HIDDEN {
            let hidden = sums[neuron].clamp(0.0, 1.0);
            to_weights[neuron] += slope * hidden * hidden;
            let open = sums[neuron] > 0.0 && sums[neuron] < 1.0;
            back[neuron] = if open {
                2.0 * slope * hidden * weights[neuron]
            } else {
                0.0
            };
            gradient.bias[neuron] += back[neuron];
        }
        gradient.output_bias[stage] += slope;
        P::for_each_row(&sample.view, |index| {
            let to_row = row_mut::<P>(&mut gradient.rows, index);
            for (sum, back) in to_row.iter_mut().zip(&back) {
                *sum += back;
            }
        });
        loss(logit, sample.target)
    }

    /// A step against a gradient, which is zero afterwards.
    fn step<P: Trainable>(&mut self, gradient: &mut Model, share: f32, rate: f32) {
        for index in 0..P::ROWS {
            let shape = row_mut::<P>(&mut gradient.shapes, P::shape(index));
            for (sum, part) in shape.iter_mut().zip(row::<P>(&gradient.rows, index)) {
                *sum += part;
            }
        }
        self.batches += 1;
        let scale = rate / (1.0 - MEAN_DECAY.powi(self.batches));
        let correction = 1.0 / (1.0 - SQUARE_DECAY.powi(self.batches));
        let parts = self.model.parameters_mut().zip(self.mean.parameters_mut());
        let parts = parts.zip(self.square.parameters_mut());
        for (((values, means), squares), slopes) in parts.zip(gradient.parameters_mut()) {
            for index in 0..values.len() {
                let slope = share * slopes[index];
                slopes[index] = 0.0;
                means[index] += (1.0 - MEAN_DECAY) * (slope - means[index]);
                squares[index] += (1.0 - SQUARE_DECAY) * (slope * slope - squares[index]);
                values[index] -=
                    scale * means[index] / ((squares[index] * correction).sqrt() + 1e-8);
            }
        }
        self.model.clip();
    }

    /// The mean loss of some samples.
    pub fn losses<P: Trainable>(&self, samples: &[Sample]) -> Losses {
        let network = self.model.quantised::<P>();
        let mut whole = Vec::new();
        self.model.whole_rows::<P>(&mut whole);
        let mut sums = [0.0_f64; 4];
        for &Sample {
            view,
            known,
            target,
        } in samples
        {
            let learnt = self.model.value::<P>(&whole, &view).0;
            let quantised = network.correction::<P>(&view) as f32 / P::CENTIPIECES as f32;
            let certain = target.clamp(1e-4, 1.0 - 1e-4);
            let perfect = (certain / (1.0 - certain)).ln();
            for (sum, logit) in
                sums.iter_mut()
                    .zip([known + learnt, known + quantised, known, perfect])
            {
                *sum += f64::from(loss(logit, target));
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
    /// Of who knows each target: nothing has less.
    pub least: f32,
}
