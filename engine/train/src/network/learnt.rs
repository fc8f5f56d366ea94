//! Trainable parameters, updated by Adam (Kingma and Ba 2015).

use std::iter;

/// How many numbers are learnt side by side: as many as the widest registers hold.
pub const WIDTH: usize = 16;

/// `WIDTH` numbers, in one cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub struct Lane(pub [f32; WIDTH]);

impl Lane {
    pub const ZERO: Self = Self([0.0; WIDTH]);

    /// A number for each place.
    #[inline(always)]
    pub fn of(number: impl FnMut(usize) -> f32) -> Self {
        Self(std::array::from_fn(number))
    }

    /// This and another one, place by place.
    #[inline(always)]
    pub fn plus(&self, other: &Self) -> Self {
        Self::of(|lane| self.0[lane] + other.0[lane])
    }

    /// This with every number between `-limit` and `limit`.
    #[inline(always)]
    pub fn within(&self, limit: f32) -> Self {
        Self(self.0.map(|number| number.clamp(-limit, limit)))
    }
}

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
        let zeros = vec![Lane::ZERO; values.len()];
        Self {
            values,
            mean: zeros.clone(),
            square: zeros,
        }
    }

    /// All its parts.
    pub fn parts_mut(&mut self) -> [&mut [Lane]; 3] {
        [&mut self.values, &mut self.mean, &mut self.square]
    }

    /// Takes a step against a gradient, which is zero afterwards. The first lanes move by these shares of it, all others
    /// by all of it.
    #[inline(always)]
    pub fn step(&mut self, gradient: &mut [Lane], step: Step, shares: &[f32]) {
        let scale = step.rate / (1.0 - MEAN_DECAY.powi(step.number));
        let correction = 1.0 / (1.0 - SQUARE_DECAY.powi(step.number));
        let means = self.mean.iter_mut().zip(&mut self.square);
        let lanes = self.values.iter_mut().zip(means).zip(gradient);
        let shares = shares.iter().copied().chain(iter::repeat(1.0));
        for (((values, (means, squares)), slopes), share) in lanes.zip(shares) {
            let scale = share * scale;
            for lane in 0..WIDTH {
                let slope = step.share * slopes.0[lane];
                let (mean, square) = (&mut means.0[lane], &mut squares.0[lane]);
                *mean += (1.0 - MEAN_DECAY) * (slope - *mean);
                *square += (1.0 - SQUARE_DECAY) * (slope * slope - *square);
                values.0[lane] -= scale * *mean / ((*square * correction).sqrt() + 1e-8);
            }
            *slopes = Lane::ZERO;
        }
    }
}
