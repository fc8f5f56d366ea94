//! The network in floating point: as it learns, before it is quantised.

use ataxxd_search::net::{
    Features, MOST_HIDDEN, Network, ONE, OUTPUT_LIMIT, OUTPUT_ONE, Output, View,
};

use super::trainable::Trainable;
use ataxxd_rules::random::Random;

/// A number for each neuron; what is beyond those of the game stays 0.
pub type Row = [f32; MOST_HIDDEN];

/// Parameters, or their gradients; the unit is that in which a hidden number is clipped at 1, and
/// that of the output one in which odds are e to one.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// One row after the other, as are shapes and the weights of stages.
    pub rows: Vec<f32>,
    /// What all rows of a shape have in common.
    pub shapes: Vec<f32>,
    pub bias: Vec<f32>,
    pub weights: Vec<f32>,
    pub output_bias: Vec<f32>,
}

/// The numbers of one row of many.
pub fn row<P: Features>(rows: &[f32], index: usize) -> &[f32] {
    &rows[index * P::HIDDEN..][..P::HIDDEN]
}

/// The numbers of one row of many, to be changed.
pub fn row_mut<P: Features>(rows: &mut [f32], index: usize) -> &mut [f32] {
    &mut rows[index * P::HIDDEN..][..P::HIDDEN]
}

/// The largest weight of a row that can be stored.
const ROW_LIMIT: f32 = 127.0 / ONE as f32;

const WEIGHT_LIMIT: f32 = OUTPUT_LIMIT as f32 / OUTPUT_ONE as f32;

impl Model {
    /// Nothing but zeros.
    pub fn zero<P: Trainable>() -> Self {
        Self {
            rows: vec![0.0; P::ROWS * P::HIDDEN],
            shapes: vec![0.0; P::SHAPES * P::HIDDEN],
            bias: vec![0.0; P::HIDDEN],
            weights: vec![0.0; P::STAGES * P::HIDDEN],
            output_bias: vec![0.0; P::STAGES],
        }
    }

    /// A model that knows nothing, from which learning can begin.
    pub fn random<P: Trainable>(random: &mut Random) -> Self {
        let mut model = Self::zero::<P>();
        model.shapes.fill_with(|| 0.1 * random.symmetric());
        let (first, others) = model.weights.split_at_mut(P::HIDDEN);
        // The output varies as much whatever the width.
        let spread = 0.4 * (32.0 / P::HIDDEN as f32).sqrt();
        first.fill_with(|| spread * random.symmetric());
        for weights in others.chunks_exact_mut(P::HIDDEN) {
            weights.copy_from_slice(first);
        }
        model.bias.fill(0.2);
        model
    }

    /// All parameters in one fixed order.
    pub fn parameters_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        [
            &mut self.rows[..],
            &mut self.shapes,
            &mut self.bias,
            &mut self.weights,
            &mut self.output_bias,
        ]
        .into_iter()
    }

    /// Each row with what its shape adds to it, as large as can be stored.
    pub fn whole_rows<P: Trainable>(&self, whole: &mut Vec<f32>) {
        whole.clear();
        for index in 0..P::ROWS {
            let own = row::<P>(&self.rows, index);
            let shape = row::<P>(&self.shapes, P::shape(index));
            let sums = own.iter().zip(shape).map(|(own, shape)| own + shape);
            whole.extend(sums.map(|sum| sum.clamp(-ROW_LIMIT, ROW_LIMIT)));
        }
    }

    /// Keeps the weights of the output within what can be stored.
    pub fn clip(&mut self) {
        for weight in &mut self.weights {
            *weight = weight.clamp(-WEIGHT_LIMIT, WEIGHT_LIMIT);
        }
    }

    /// The logarithm of the odds, and the hidden sums it comes from.
    #[inline(always)]
    pub fn value<P: Trainable>(&self, whole: &[f32], view: &View) -> (f32, Row) {
        let mut all = [0.0; MOST_HIDDEN];
        let sums = &mut all[..P::HIDDEN];
        sums.copy_from_slice(&self.bias);
        P::for_each_row(view, |index| {
            for (sum, weight) in sums.iter_mut().zip(row::<P>(whole, index)) {
                *sum += weight;
            }
        });
        let stage = P::stage(view);
        let weights = row::<P>(&self.weights, stage);
        // Eight sums side by side: no addition waits for the one before.
        let mut totals = [0.0; 8];
        for (sums, weights) in sums.chunks_exact(8).zip(weights.chunks_exact(8)) {
            for lane in 0..8 {
                let hidden = sums[lane].clamp(0.0, 1.0);
                totals[lane] += hidden * hidden * weights[lane];
            }
        }
        (totals.iter().sum::<f32>() + self.output_bias[stage], all)
    }

    /// The network in integers.
    pub fn quantised<P: Trainable>(&self) -> Network {
        let mut whole = Vec::new();
        self.whole_rows::<P>(&mut whole);
        let rounded = |values: &[f32], one: i32| -> Vec<i16> {
            let rounded = |value: &f32| (value * one as f32).round() as i16;
            values.iter().map(rounded).collect()
        };
        let rows: Vec<i8> = rounded(&whole, ONE).iter().map(|&w| w as i8).collect();
        let stages = self.weights.chunks_exact(P::HIDDEN).zip(&self.output_bias);
        let outputs = stages.map(|(weights, bias)| Output {
            weights: rounded(weights, OUTPUT_ONE),
            bias: (bias * P::CENTIPIECES as f32).round() as i16,
        });
        Network::new(&rows, rounded(&self.bias, ONE), outputs.collect())
    }
}
