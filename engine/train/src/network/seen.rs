//! Boards as input of the first layer: their active rows.

use super::samples::Sample;
use super::trainable::Fitted;
use ataxxd_rules::random::Random;

/// Some samples, in the form in which they are learnt from.
#[derive(Debug, Default)]
pub struct Seen {
    /// The rows of all boards, one board after the other, and where those of each end.
    rows: Vec<u32>,
    ends: Vec<usize>,
    pub stages: Vec<usize>,
    pub known: Vec<f32>,
    pub targets: Vec<f32>,
}

impl Seen {
    /// Samples as they are, or each turned and mirrored at random.
    pub fn of<'a, P: Fitted>(
        samples: impl Iterator<Item = &'a Sample>,
        mut turned: Option<Random>,
    ) -> Self {
        let mut seen = Self::default();
        for sample in samples {
            let symmetry = turned.as_mut().map(|random| random.below(P::SYMMETRIES));
            let view = symmetry.map_or(sample.view, |way| P::turned(&sample.view, way));
            P::for_each_row(&view, |row| seen.rows.push(row as u32));
            seen.ends.push(seen.rows.len());
            seen.stages.push(P::stage(&view));
            seen.known.push(sample.known);
            seen.targets.push(sample.target);
        }
        seen
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The stage of each board with the rows that it switches on.
    #[inline(always)]
    pub fn boards(&self) -> impl Iterator<Item = (usize, &[u32])> {
        let mut start = 0;
        self.stages
            .iter()
            .zip(&self.ends)
            .map(move |(&stage, &end)| {
                let rows = &self.rows[start..end];
                start = end;
                (stage, rows)
            })
    }
}
