//! Fits the weights of a phase by least squares.
//!
//! Ridge regression, solved by conjugate gradients with the diagonal as preconditioner. The
//! ridge draws weights of configurations that are hardly ever seen towards what they were: zero, or
//! what other games made them.

use ataxxd_search::reversi::evaluation::{COUNT_STEPS, COUNTS, PHASE_PLIES, STEPS, counts};
use ataxxd_search::reversi::patterns::{OCCURRENCES, PLACES, for_each};

use super::games::Sample;

/// How often a configuration has to be seen for its weight to change by half of what it seems to: from nothing,
/// and from weights that were fitted to other games.
const RIDGE: f32 = 50.0;
const RIDGE_OF_KNOWN: f32 = 100.0;

const ROUNDS: usize = 40;

/// One game in so many is kept apart to see how good the prediction is.
const KEPT_APART: u32 = 16;

struct Row {
    places: [u32; OCCURRENCES],
    counts: [f32; COUNTS],
    /// By how much the final score exceeds what the known weights say.
    excess: f32,
}

impl Row {
    fn new(sample: &Sample, known: &[f32]) -> Self {
        let mut places = [0; OCCURRENCES];
        let mut next = 0;
        for_each(sample.own, sample.other, |index| {
            places[next] = PLACES.of[index] + COUNTS as u32;
            next += 1;
        });
        let mut row = Self {
            places,
            counts: counts(sample.own, sample.other).map(|count| count as f32),
            excess: 0.0,
        };
        row.excess = f32::from(sample.score) - row.value(known);
        row
    }

    fn value(&self, weights: &[f32]) -> f32 {
        let counted: f32 = self.counts.iter().zip(weights).map(|(a, b)| a * b).sum();
        self.places
            .iter()
            .fold(counted, |sum, &place| sum + weights[place as usize])
    }

    fn add_to(&self, sums: &mut [f32], amount: f32) {
        for (sum, count) in sums.iter_mut().zip(self.counts) {
            *sum += count * amount;
        }
        for &place in &self.places {
            sums[place as usize] += amount;
        }
    }
}

/// Steps of the weight at a place in a piece.
fn steps_at(place: usize) -> f32 {
    (if place < COUNTS { COUNT_STEPS } else { STEPS }) as f32
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum::<f64>() as f32
}

/// The weights of a phase, in steps: counts first, then patterns. `known` are those of other games, or nothing.
pub fn phase(samples: &[Sample], phase: usize, known: Option<&[i8]>) -> Vec<i8> {
    let ridge = if known.is_some() {
        RIDGE_OF_KNOWN
    } else {
        RIDGE
    };
    let known: Vec<_> = match known {
        Some(known) => (0..known.len())
            .map(|place| f32::from(known[place]) / steps_at(place))
            .collect(),
        None => vec![0.0; COUNTS + PLACES.count],
    };
    let first = 4 + phase as u32 * PHASE_PLIES;
    // A little more than the phase, so that neighbouring phases agree.
    let near = |sample: &&Sample| {
        let pieces = (sample.own | sample.other).count_ones();
        (first.saturating_sub(3)..first + PHASE_PLIES + 3).contains(&pieces)
    };
    let (apart, rows): (Vec<_>, Vec<_>) = samples
        .iter()
        .filter(near)
        .partition(|sample| sample.game % KEPT_APART == 0);
    let row = |sample| Row::new(sample, &known);
    let rows: Vec<_> = rows.into_iter().map(row).collect();
    let changes = solve(&rows, known.len(), ridge);
    let steps: Vec<i8> = (0..known.len())
        .map(|place| {
            let weight = known[place] + changes[place];
            (weight * steps_at(place)).round().clamp(-127.0, 127.0) as i8
        })
        .collect();
    let error = |list: &mut dyn Iterator<Item = (f32, f32)>| {
        let (sum, count) = list.fold((0.0, 0.0), |(sum, count), (score, value)| {
            (sum + (score - value).powi(2), count + 1.0)
        });
        (sum / f32::max(count, 1.0)).sqrt()
    };
    let fitted = error(&mut rows.iter().map(|row| (row.excess, row.value(&changes))));
    let apart: Vec<_> = apart.into_iter().map(row).collect();
    let predicted = error(&mut apart.iter().map(|row| (row.excess, row.value(&changes))));
    let spread = error(&mut apart.iter().map(|row| (row.excess, 0.0)));
    eprintln!(
        "phase {phase}: {} positions; error {fitted:.2} fitted, {predicted:.2} of others, before \
         {spread:.2}; counts {:?}",
        rows.len(),
        &steps[..COUNTS]
    );
    steps
}

fn solve(rows: &[Row], size: usize, ridge: f32) -> Vec<f32> {
    let mut weights = vec![0.0; size];
    let mut residual = vec![0.0; size];
    let mut diagonal = vec![ridge; size];
    for row in rows {
        row.add_to(&mut residual, row.excess);
        for (sum, count) in diagonal.iter_mut().zip(row.counts) {
            *sum += count * count;
        }
        for &place in &row.places {
            diagonal[place as usize] += 1.0;
        }
    }
    let scaled = |residual: &[f32]| -> Vec<f32> {
        residual.iter().zip(&diagonal).map(|(r, d)| r / d).collect()
    };
    let mut step = scaled(&residual);
    let mut direction = step.clone();
    let mut size_of_step = dot(&residual, &step);
    for _ in 0..ROUNDS {
        let mut image: Vec<f32> = direction.iter().map(|d| ridge * d).collect();
        for row in rows {
            row.add_to(&mut image, row.value(&direction));
        }
        let along = dot(&direction, &image);
        if along <= 0.0 {
            break;
        }
        let length = size_of_step / along;
        for index in 0..size {
            weights[index] += length * direction[index];
            residual[index] -= length * image[index];
        }
        step = scaled(&residual);
        let before = size_of_step;
        size_of_step = dot(&residual, &step);
        for (direction, step) in direction.iter_mut().zip(&step) {
            *direction = step + size_of_step / before * *direction;
        }
    }
    weights
}
