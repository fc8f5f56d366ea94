//! Some neurons of the hidden layer, with all that leads to them and away from them.
//!
//! Blocks learn side by side, each on one processor: what one of them needs stays in that
//! processor's cache, and no sum depends on how many processors there are.

use ataxxd_processor::widest;
use ataxxd_rules::random::Random;
use ataxxd_search::net::{Network, ONE, OUTPUT_LIMIT, OUTPUT_ONE};

use super::learnt::{Lane, Learnt, Step, WIDTH};
use super::seen::Seen;
use super::trainable::{Fitted, Start};

/// The largest weight of a row that can be stored, where a hidden number is clipped at 1.
const ROW_LIMIT: f32 = 127.0 / ONE as f32;

const WEIGHT_LIMIT: f32 = OUTPUT_LIMIT as f32 / OUTPUT_ONE as f32;

/// A block as it learns.
#[derive(Debug, Clone)]
pub struct Block {
    /// A lane for each row, for each shape (what all its rows have in common), for the weights of
    /// each stage, and for the bias.
    pub learnt: Learnt,
    gradient: Vec<Lane>,
    /// Each row with what its shape adds to it, as large as can be stored.
    whole: Vec<Lane>,
    /// The hidden sums of the boards of the batch at hand.
    sums: Vec<Lane>,
}

/// Where the lane of a row's shape is, if rows have shapes.
fn shape_at<P: Fitted>(row: usize) -> Option<usize> {
    P::shape(row).map(|shape| P::ROWS + shape)
}

/// Where the weights of stages begin.
const fn weights_at<P: Fitted>() -> usize {
    P::ROWS + P::SHAPES
}

/// Where the bias is; it is the last lane.
const fn bias_at<P: Fitted>() -> usize {
    weights_at::<P>() + P::STAGES
}

impl Block {
    fn new<P: Fitted>(values: Vec<Lane>) -> Self {
        let mut block = Self {
            gradient: vec![Lane::ZERO; values.len()],
            learnt: Learnt::new(values),
            whole: vec![Lane::ZERO; P::ROWS],
            sums: Vec::new(),
        };
        block.refresh::<P>();
        block
    }

    /// A block that knows nothing, from which learning can begin; `shares` are those of rows in steps.
    pub fn random<P: Fitted>(random: &mut Random, shares: &[f32]) -> Self {
        let mut values = vec![Lane::ZERO; bias_at::<P>() + 1];
        let Start {
            rows,
            weights,
            bias,
        } = P::START;
        for (row, share) in values.iter_mut().zip(shares) {
            *row = Lane::of(|_| rows * share * random.symmetric());
        }
        for shape in &mut values[P::ROWS..weights_at::<P>()] {
            *shape = Lane::of(|_| 0.1 * random.symmetric());
        }
        // The output varies as much whatever the width, and the same in all stages.
        let spread = weights * (32.0 / P::HIDDEN as f32).sqrt();
        let weights = Lane::of(|_| spread * random.symmetric());
        values[weights_at::<P>()..bias_at::<P>()].fill(weights);
        values[bias_at::<P>()] = Lane([bias; WIDTH]);
        Self::new::<P>(values)
    }

    /// The block of a number of a network.
    pub fn of<P: Fitted>(network: &Network, number: usize) -> Self {
        let lane = |numbers: &[i16], one: i32| {
            Lane::of(|lane| f32::from(numbers[number * WIDTH + lane]) / one as f32)
        };
        let mut values = vec![Lane::ZERO; bias_at::<P>() + 1];
        for (value, row) in values.iter_mut().zip(network.rows()) {
            *value = lane(&row, ONE);
        }
        let stages = values[weights_at::<P>()..].iter_mut();
        for (value, output) in stages.zip(network.outputs()) {
            *value = lane(&output.weights, OUTPUT_ONE);
        }
        values[bias_at::<P>()] = lane(network.bias(), ONE);
        Self::new::<P>(values)
    }

    /// The lanes of the network in integers: of the rows, of the weights of stages, of the bias.
    pub fn quantised<P: Fitted>(&self) -> [Vec<[i16; WIDTH]>; 3] {
        let rounded = |lanes: &[Lane], one: i32| -> Vec<[i16; WIDTH]> {
            let nearest = |value: f32| (value * one as f32).round() as i16;
            lanes.iter().map(|lane| lane.0.map(nearest)).collect()
        };
        let values = &self.learnt.values;
        [
            rounded(&self.whole, ONE),
            rounded(&values[weights_at::<P>()..bias_at::<P>()], OUTPUT_ONE),
            rounded(&values[bias_at::<P>()..], ONE),
        ]
    }

    /// Brings what follows from the learnt numbers up to date, and these within what can be stored.
    #[inline(always)]
    pub fn refresh<P: Fitted>(&mut self) {
        let values = &mut self.learnt.values;
        for (row, whole) in self.whole.iter_mut().enumerate() {
            let shape = shape_at::<P>(row).map_or(Lane::ZERO, |shape| values[shape]);
            *whole = values[row].plus(&shape).within(ROW_LIMIT);
        }
        for weights in &mut values[weights_at::<P>()..bias_at::<P>()] {
            *weights = weights.within(WEIGHT_LIMIT);
        }
    }

    /// What the block adds to the output for each board of a batch.
    pub fn forward<P: Fitted>(&mut self, batch: &[Seen]) -> Vec<f32> {
        widest(
            #[inline(always)]
            || {
                self.sums.clear();
                let mut outputs = Vec::with_capacity(batch.iter().map(Seen::len).sum());
                for (stage, rows) in batch.iter().flat_map(Seen::boards) {
                    let mut sums = self.learnt.values[bias_at::<P>()];
                    for &row in rows {
                        sums = sums.plus(&self.whole[row as usize]);
                    }
                    let weights = &self.learnt.values[weights_at::<P>() + stage];
                    let terms = Lane::of(|lane| {
                        let hidden = sums.0[lane].clamp(0.0, 1.0);
                        hidden * hidden * weights.0[lane]
                    });
                    outputs.push(total(&terms));
                    self.sums.push(sums);
                }
                outputs
            },
        )
    }

    /// A step against the gradient of the batch of the last `forward`, of which each board's slope
    /// is given; `shares` are those of rows in steps.
    pub fn learn<P: Fitted>(&mut self, batch: &[Seen], slopes: &[f32], step: Step, shares: &[f32]) {
        widest(
            #[inline(always)]
            || {
                let boards = batch.iter().flat_map(Seen::boards);
                for (((stage, rows), sums), &slope) in boards.zip(&self.sums).zip(slopes) {
                    let weights = &self.learnt.values[weights_at::<P>() + stage];
                    let to_weights = &mut self.gradient[weights_at::<P>() + stage];
                    let back = Lane::of(|lane| {
                        let hidden = sums.0[lane].clamp(0.0, 1.0);
                        to_weights.0[lane] += slope * hidden * hidden;
                        let open = sums.0[lane] > 0.0 && sums.0[lane] < 1.0;
                        let all = 2.0 * slope * hidden * weights.0[lane];
                        if open { all } else { 0.0 }
                    });
                    let to_bias = &mut self.gradient[bias_at::<P>()];
                    *to_bias = to_bias.plus(&back);
                    for &row in rows {
                        let to_row = &mut self.gradient[row as usize];
                        *to_row = to_row.plus(&back);
                    }
                }
                for row in 0..P::ROWS {
                    let Some(shape) = shape_at::<P>(row) else {
                        break;
                    };
                    self.gradient[shape] = self.gradient[shape].plus(&self.gradient[row]);
                }
                self.learnt.step(&mut self.gradient, step, shares);
                self.refresh::<P>();
            },
        );
    }
}

/// The sum of a lane, halves first: no addition waits for the one before.
#[inline(always)]
fn total(lane: &Lane) -> f32 {
    let eight: [f32; 8] = std::array::from_fn(|at| lane.0[at] + lane.0[at + 8]);
    let four: [f32; 4] = std::array::from_fn(|at| eight[at] + eight[at + 4]);
    (four[0] + four[2]) + (four[1] + four[3])
}
