//! Numbers that are learnt: Adam (Kingma and Ba 2015).

use ataxxd_rules::random::Random;

/// How many numbers are learnt side by side: as many as the widest registers hold.
pub const WIDTH: usize = 16;

/// Numbers of so many neurons.
pub type Lane = [f32; WIDTH];

const MEAN_DECAY: f32 = 0.9;
const SQUARE_DECAY: f32 = 0.999;

/// Numbers with the running means of their gradient and of its square.
#[derive(Debug, Clone)]
pub struct Learnt {
    pub values: Vec<Lane>,
    mean: Vec<Lane>,
    square: Vec<Lane>,
}

/// A step against a gradient.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// What a sum of slopes is multiplied with.
    pub share: f32,
    pub rate: f32,
    /// How many steps there have been with this one.
    pub number: i32,
}

impl Learnt {
    pub fn new(values: Vec<Lane>) -> Self {
        let zeros = vec![[0.0; WIDTH]; values.len()];
        Self {
            values,
            mean: zeros.clone(),
            square: zeros,
        }
    }

    /// All that it consists of.
    pub fn parts_mut(&mut self) -> [&mut [Lane]; 3] {
        [&mut self.values, &mut self.mean, &mut self.square]
    }

    /// Takes a step against a gradient, which is zero afterwards.
    #[inline(always)]
    pub fn step(&mut self, gradient: &mut [Lane], step: Step) {
        let scale = step.rate / (1.0 - MEAN_DECAY.powi(step.number));
        let correction = 1.0 / (1.0 - SQUARE_DECAY.powi(step.number));
        let means = self.mean.iter_mut().zip(&mut self.square);
        let lanes = self.values.iter_mut().zip(means).zip(gradient);
        for ((values, (means, squares)), slopes) in lanes {
            for lane in 0..WIDTH {
                let slope = step.share * slopes[lane];
                means[lane] += (1.0 - MEAN_DECAY) * (slope - means[lane]);
                squares[lane] += (1.0 - SQUARE_DECAY) * (slope * slope - squares[lane]);
                values[lane] -= scale * means[lane] / ((squares[lane] * correction).sqrt() + 1e-8);
            }
            *slopes = [0.0; WIDTH];
        }
    }
}

/// Numbers evenly from `-spread` to `spread`.
pub fn random_lane(random: &mut Random, spread: f32) -> Lane {
    std::array::from_fn(|_| spread * random.symmetric())
}
