//! Inputs made from nothing but a seed: nearly right texts, and bytes.

use ataxxd_rules::random::Random;

/// What the texts of positions and moves are made of.
const SEEDS: [&str; 18] = [
    "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1",
    "xxxxxxx/xxxxxxx/xxxxxxx/xxx1xxx/ooooooo/o1ooooo/oooooo1 x 99 4294967295",
    "1xxxxxx1/o6o/o6o/o6o/o6o/o6o/o6o/1xxxxxx1 x 0 60",
    "8/8/8/8/8/2x5/3xx3/o6o o 4 60 set",
    "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12",
    "W:WK22,K30:BK5,K9,14",
    "---------------------------OX------XO--------------------------- X",
    "{(..X.....)} X",
    "[[-,-],[O,X]] O",
    "a7a5",
    "a7-b6",
    "0000",
    "pass",
    "11x18x25",
    "11-15",
    "e2-e4",
    "(3,4)",
    "--",
];
const PIECES: &[u8] = b"xoXOBWKH12789-:,/ 0.[]{}()|\n\x00\xff\xc3\xa9";

/// An endless row of inputs, the same for the same seed.
#[derive(Debug)]
pub struct Inputs {
    random: Random,
}

impl Inputs {
    /// The row of a seed.
    pub fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
        }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit as u64) as usize
    }

    fn byte(&mut self) -> u8 {
        self.random.number().to_le_bytes()[0]
    }

    fn bytes(&mut self, most: usize) -> Vec<u8> {
        let length = self.below(most + 1);
        (0..length).map(|_| self.byte()).collect()
    }

    /// A seed text with a few places changed, repeated or cut out.
    fn text(&mut self) -> Vec<u8> {
        let mut text = SEEDS[self.below(SEEDS.len())].as_bytes().to_vec();
        for _ in 0..self.below(5) {
            let at = self.below(text.len() + 1);
            let until = at + self.below((text.len() - at).min(6) + 1);
            let patch = match self.below(4) {
                0 => self.bytes(3),
                1 => text[at..until].repeat(3),
                _ => (0..self.below(4))
                    .map(|_| PIECES[self.below(PIECES.len())])
                    .collect(),
            };
            text.splice(at..until, patch);
        }
        text
    }
}

impl Iterator for Inputs {
    type Item = Vec<u8>;

    /// A byte for the ruleset; then a text, bytes, or moves to be played and a text.
    fn next(&mut self) -> Option<Vec<u8>> {
        let mut input = vec![self.byte()];
        match self.below(3) {
            0 => input.extend(self.text()),
            1 => input.extend(self.bytes(80)),
            _ => {
                let plies = self.below(40);
                input.push(plies as u8);
                input.extend((0..plies).map(|_| self.byte()).collect::<Vec<_>>());
                input.extend(self.text());
            }
        }
        Some(input)
    }
}
