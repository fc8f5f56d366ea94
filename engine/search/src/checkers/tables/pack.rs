//! Packs the codes of a material into few bytes, and unpacks them again.
//!
//! Boards next to each other in number, or a step of one king apart, mostly end alike: who wins
//! and how soon is coded by the difference from such neighbours. Boards with a capture are left
//! out, because what follows it says the same.

use super::index::Material;
use super::verdict::Verdict;
use crate::coder::{Chance, Coder, Decoder, Encoder};
use crate::score::MOST_KNOWN_PLIES;

/// The most that a distance may differ from what is expected, in moves; one byte's worth.
const MOST_DIFFERENCE: usize = 128;

/// The furthest end that a code can have, in moves.
const MOST_MOVES: usize = MOST_KNOWN_PLIES as usize / 2;

/// Kinds of verdicts: draw, win, loss.
const KINDS: usize = 3;
const NEIGHBOURS: usize = 5;

/// What is learnt while packing or unpacking.
struct Model {
    /// By the kinds of the neighbours: is it a draw, and if not, is it won?
    kinds: Vec<[Chance; 2]>,
    /// By the kind, how far and how sure the expectation is: is the distance the expected one,
    /// which is further, and how far off?
    distances: Vec<[Chance; 2 + MOST_DIFFERENCE]>,
}

/// How many steps of the expected distance have contexts of their own.
const FAR: usize = 12;
const SPREADS: usize = 5;

impl Model {
    fn new() -> Self {
        Self {
            kinds: vec![[Chance::EVEN; 2]; KINDS.pow(NEIGHBOURS as u32)],
            distances: vec![
                [Chance::EVEN; 2 + MOST_DIFFERENCE];
                2 * FAR * SPREADS * (NEIGHBOURS + 1)
            ],
        }
    }

    /// Writes a code by its neighbours, or reads one and ignores `code`.
    fn code(&mut self, coder: &mut impl Coder, code: u8, neighbours: [u8; NEIGHBOURS]) -> u8 {
        let context = neighbours
            .iter()
            .fold(0, |context, &n| KINDS * context + kind(n));
        let [drawn, won] = &mut self.kinds[context];
        if coder.code(code == 0, drawn) {
            return 0;
        }
        let won = coder.code(kind(code) == 1, won);
        let same = if won { 1 } else { 2 };
        let (mut count, mut sum, mut least, mut most) = (0, 0, u8::MAX, 0);
        for moves in neighbours
            .iter()
            .filter(|&&n| kind(n) == same)
            .map(|&n| n / 2)
        {
            count += 1;
            sum += usize::from(moves);
            least = least.min(moves);
            most = most.max(moves);
        }
        let expected = (sum + count / 2) / count.max(1);
        let spread = usize::from(most.saturating_sub(least)).min(SPREADS - 1);
        let context = (((same - 1) * FAR + (expected / 2).min(FAR - 1)) * SPREADS + spread)
            * (NEIGHBOURS + 1)
            + count;
        let [exact, more, off @ ..] = &mut self.distances[context];
        let moves = usize::from(code / 2);
        let mut found = expected;
        if !coder.code(moves == expected, exact) {
            let further = coder.code(moves > expected, more);
            let difference = moves.abs_diff(expected);
            let mut step = 1;
            while step < MOST_DIFFERENCE && coder.code(difference > step, &mut off[step]) {
                step += 1;
            }
            found = if further {
                expected + step
            } else {
                expected.saturating_sub(step)
            };
        }
        // No file may claim an end that is further away than the search knows.
        (2 * found.min(MOST_MOVES) + usize::from(!won)) as u8
    }
}

const fn kind(code: u8) -> usize {
    match Verdict::of_code(code) {
        Verdict::Draw => 0,
        Verdict::Win { .. } => 1,
        Verdict::Loss { .. } => 2,
    }
}

/// How much smaller the numbers of the neighbours are.
fn strides(material: Material) -> [usize; NEIGHBOURS] {
    let inner = material.inner_size();
    [1, 8, inner, 4 * inner, 4]
}

/// Goes through all numbers; gives the codes, with those of captures like the ones before them.
fn run(material: Material, coder: &mut impl Coder, codes: Option<&[u8]>) -> Vec<u8> {
    let mut model = Model::new();
    let mut known = vec![0; material.size()];
    let strides = strides(material);
    material.for_each(|index, board| {
        let neighbours = strides.map(|stride| match index.checked_sub(stride) {
            Some(index) => known[index],
            None => 0,
        });
        known[index] = match board {
            Some(board) if !board.must_capture() => {
                model.code(coder, codes.map_or(0, |codes| codes[index]), neighbours)
            }
            _ => neighbours[0],
        };
    });
    known
}

/// Packs the codes of all numbers of a material.
pub fn pack(material: Material, codes: &[u8]) -> Vec<u8> {
    let mut encoder = Encoder::new();
    run(material, &mut encoder, Some(codes));
    encoder.finish()
}

/// Unpacks the codes of all numbers; those of boards with a capture mean nothing.
pub fn unpack(material: Material, packed: &[u8]) -> Vec<u8> {
    run(material, &mut Decoder::new(packed), None)
}
