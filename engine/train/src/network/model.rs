//! The network in floating point: as it learns, before it is quantised.

use ataxxd_search::net::{HIDDEN, Network, ONE, OUTPUT_LIMIT, OUTPUT_ONE, Output, View};

use super::trainable::Trainable;
use ataxxd_rules::random::Random;

/// Numbers of a row, or of anything with one for each neuron.
pub type Row = [f32; HIDDEN];

/// Parameters, or their gradients; the unit is that in which a hidden number is clipped at 1, and
/// that of the output one in which odds are e to one.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub rows: Vec<Row>,
    /// What all rows of a shape have in common.
    pub shapes: Vec<Row>,
    pub bias: Row,
    pub weights: Vec<Row>,
    pub output_bias: Vec<f32>,
}

/// The largest weight of a row that can be stored.
const ROW_LIMIT: f32 = 127.0 / ONE as f32;

const WEIGHT_LIMIT: f32 = OUTPUT_LIMIT as f32 / OUTPUT_ONE as f32;

impl Model {
    /// Nothing but zeros.
    pub fn zero<P: Trainable>() -> Self {
        Self {
            rows: vec![[0.0; HIDDEN]; P::ROWS],
            shapes: vec![[0.0; HIDDEN]; P::SHAPES],
            bias: [0.0; HIDDEN],
            weights: vec![[0.0; HIDDEN]; P::STAGES],
            output_bias: vec![0.0; P::STAGES],
        }
    }

    /// A model that knows nothing, from which learning can begin.
    pub fn random<P: Trainable>(random: &mut Random) -> Self {
        let mut model = Self::zero::<P>();
        for shape in &mut model.shapes {
            *shape = std::array::from_fn(|_| 0.1 * random.symmetric());
        }
        let weights = std::array::from_fn(|_| 0.4 * random.symmetric());
        model.weights.fill(weights);
        model.bias = [0.2; HIDDEN];
        model
    }

    /// All parameters in one fixed order.
    pub fn parameters_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        let rows = self.rows.as_flattened_mut();
        let shapes = self.shapes.as_flattened_mut();
        let weights = self.weights.as_flattened_mut();
        [rows, shapes, &mut self.bias, weights, &mut self.output_bias].into_iter()
    }

    /// Each row with what its shape adds to it, as large as can be stored.
    pub fn whole_rows<P: Trainable>(&self, whole: &mut Vec<Row>) {
        whole.resize(self.rows.len(), [0.0; HIDDEN]);
        for (index, (whole, row)) in whole.iter_mut().zip(&self.rows).enumerate() {
            let shape = &self.shapes[P::shape(index)];
            for neuron in 0..HIDDEN {
                whole[neuron] = (row[neuron] + shape[neuron]).clamp(-ROW_LIMIT, ROW_LIMIT);
            }
        }
    }

    /// Keeps the weights of the output within what can be stored.
    pub fn clip(&mut self) {
        for weight in self.weights.as_flattened_mut() {
            *weight = weight.clamp(-WEIGHT_LIMIT, WEIGHT_LIMIT);
        }
    }

    /// The logarithm of the odds, and the hidden sums it comes from.
    pub fn value<P: Trainable>(&self, whole: &[Row], view: &View) -> (f32, Row) {
        let mut sums = self.bias;
        P::for_each_row(view, |row| {
            for (sum, weight) in sums.iter_mut().zip(&whole[row]) {
                *sum += weight;
            }
        });
        let stage = P::stage(view);
        let mut terms = [0.0; HIDDEN];
        for neuron in 0..HIDDEN {
            let hidden = sums[neuron].clamp(0.0, 1.0);
            terms[neuron] = hidden * hidden * self.weights[stage][neuron];
        }
        (terms.iter().sum::<f32>() + self.output_bias[stage], sums)
    }

    /// The network in integers.
    pub fn quantised<P: Trainable>(&self) -> Network {
        let mut whole = Vec::new();
        self.whole_rows::<P>(&mut whole);
        let rows = whole
            .iter()
            .map(|row| row.map(|weight| (weight * ONE as f32).round() as i8));
        let outputs = self
            .weights
            .iter()
            .zip(&self.output_bias)
            .map(|(weights, bias)| Output {
                weights: weights.map(|weight| (weight * OUTPUT_ONE as f32).round() as i16),
                bias: (bias * P::CENTIPIECES as f32).round() as i16,
            });
        let bias = self.bias.map(|bias| (bias * ONE as f32).round() as i16);
        Network::new(rows.collect(), bias, outputs.collect())
    }
}
