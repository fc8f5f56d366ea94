//! Makes tables, from the ends of games backwards.
//!
//! A material and the same one with the other side to move make up a pair: steps that crown
//! nobody lead from one to the other, and every other move to a pair made before. Boards get
//! their verdicts in the order of the plies to the end, as soon as those after them have theirs;
//! what has none in the end is drawn.

use super::board::Board;
use super::index::{MATERIALS, Material};
use super::verdict::{Best, Verdict};
use crate::score::MOST_KNOWN_PLIES;

/// No verdict yet.
const UNKNOWN: u8 = 254;
/// No board has this number.
const NOWHERE: u8 = 255;
/// The most plies that the search takes for a win, and that a byte holds.
const MOST_PLIES: usize = MOST_KNOWN_PLIES as usize;
const _: () = assert!(MOST_PLIES + 1 < UNKNOWN as usize);

/// Whole tables: a code for every number of every material made so far.
pub struct Whole {
    slices: Vec<Vec<u8>>,
}

impl Default for Whole {
    fn default() -> Self {
        Self::new()
    }
}

impl Whole {
    /// Knows only that a side without pieces has lost.
    pub fn new() -> Self {
        Self {
            slices: vec![Vec::new(); MATERIALS],
        }
    }

    /// The codes of a material by number, empty before it is made; those of numbers without a
    /// board are arbitrary.
    pub fn codes(&self, material: Material) -> &[u8] {
        &self.slices[material.id()]
    }

    /// The verdict on a board whose material has been made.
    pub fn verdict(&self, board: Board) -> Verdict {
        if board.own == 0 {
            return Verdict::Loss { plies: 0 };
        }
        let material = Material::of(board);
        Verdict::of_code(self.codes(material)[material.index(board)])
    }

    /// Makes all tables up to so many pieces; `made` is told which pair is finished, of how many.
    pub fn up_to(pieces: u32, mut made: impl FnMut(usize, usize)) -> Self {
        let mut whole = Self::new();
        let pairs = pairs(pieces);
        for (number, &material) in pairs.iter().enumerate() {
            whole.make(material, &mut || true);
            made(number + 1, pairs.len());
        }
        whole
    }

    /// Makes the tables of a material and of the same one with the other side to move; all that captures and
    /// crownings lead to must have been made. Once `keep_going` returns `false`, so does this, and makes nothing.
    pub fn make(&mut self, material: Material, keep_going: &mut dyn FnMut() -> bool) -> bool {
        let mut pair = Pair::new(self, material);
        if !pair.begin(keep_going) || !pair.go_backwards(keep_going) {
            return false;
        }
        let [own, other] = pair.codes;
        for (material, mut codes) in [(material, own), (material.passed(), other)] {
            if !codes.is_empty() {
                for code in codes.iter_mut().filter(|code| **code >= UNKNOWN) {
                    *code = Verdict::Draw.code();
                }
                self.slices[material.id()] = codes;
            }
        }
        true
    }

    /// Takes a table that was made before, in which the codes of boards with a capture mean nothing;
    /// all that captures lead to must have been made.
    pub fn restore(&mut self, material: Material, mut codes: Vec<u8>) {
        material.for_each(|index, board| {
            if let Some(board) = board.filter(|board| board.must_capture()) {
                let mut best = Best::default();
                board.for_each_capture(|after| best.add(self.verdict(after)));
                codes[index] = best.verdict().code();
            }
        });
        self.slices[material.id()] = codes;
    }
}

/// The first material of every pair up to so many pieces, in the order in which they are made:
/// crownings lead from either of a pair to pairs with fewer men.
pub fn pairs(pieces: u32) -> Vec<Material> {
    let all = (2..=pieces).flat_map(Material::of_pieces);
    all.filter(|one| one.id() <= one.passed().id()).collect()
}

/// Boards between two questions whether to go on.
const ASK_EVERY: usize = 1 << 14;

/// The tables of a material under way.
struct Pair<'a> {
    made: &'a Whole,
    materials: [Material; 2],
    /// The second ones stay empty where both sides have the same pieces.
    codes: [Vec<u8>; 2],
    /// Steps to boards of the pair that are not known to be won for the opponent.
    left: [Vec<u8>; 2],
    /// Boards by plies to the end, each with which of the two materials it has.
    due: Vec<Vec<(bool, u32)>>,
}

impl<'a> Pair<'a> {
    fn new(made: &'a Whole, material: Material) -> Self {
        let materials = [material, material.passed()];
        let size = |which: usize| match which {
            1 if materials[0] == materials[1] => 0,
            _ => materials[which].size(),
        };
        Self {
            made,
            materials,
            codes: [0, 1].map(|which| vec![NOWHERE; size(which)]),
            left: [0, 1].map(|which| vec![0; size(which)]),
            due: vec![Vec::new(); MOST_PLIES + 1],
        }
    }

    /// Which of the two materials the boards with the opponent to move have.
    fn opposite(&self, which: bool) -> bool {
        !which && self.materials[0] != self.materials[1]
    }

    fn expect(&mut self, which: bool, index: usize, verdict: Verdict) {
        let plies = usize::from(verdict.code() - 1);
        self.due[plies].push((which, index as u32));
    }

    /// Gives verdicts to what captures and crownings alone decide, and counts the other moves.
    fn begin(&mut self, keep_going: &mut dyn FnMut() -> bool) -> bool {
        let mut goes_on = true;
        for which in [false, true] {
            if self.codes[usize::from(which)].is_empty() {
                continue;
            }
            self.materials[usize::from(which)].for_each(|index, board| {
                goes_on = goes_on && (index % ASK_EVERY != 0 || keep_going());
                if let Some(board) = board.filter(|_| goes_on) {
                    self.begin_with(which, index, board);
                }
            });
        }
        goes_on
    }

    fn begin_with(&mut self, which: bool, index: usize, board: Board) {
        let mut best = Best::default();
        let mut left = 0;
        if board.must_capture() {
            board.for_each_capture(|after| best.add(self.made.verdict(after)));
        } else {
            board.for_each_step(|after, crowned| {
                if crowned {
                    best.add(self.made.verdict(after));
                } else {
                    left += 1;
                }
            });
        }
        let verdict = best.verdict();
        let code = match verdict {
            Verdict::Draw if left == 0 => Verdict::Draw.code(),
            _ => UNKNOWN,
        };
        self.codes[usize::from(which)][index] = code;
        // A side that can draw by crowning never loses, so one step must always be left.
        self.left[usize::from(which)][index] = left + u8::from(verdict == Verdict::Draw);
        match verdict {
            Verdict::Win { .. } => self.expect(which, index, verdict),
            Verdict::Loss { .. } if left == 0 => self.expect(which, index, verdict),
            _ => {}
        }
    }

    fn go_backwards(&mut self, keep_going: &mut dyn FnMut() -> bool) -> bool {
        for plies in 0..=MOST_PLIES {
            for (number, (which, index)) in
                std::mem::take(&mut self.due[plies]).into_iter().enumerate()
            {
                if number % ASK_EVERY == 0 && !keep_going() {
                    return false;
                }
                let code = &mut self.codes[usize::from(which)][index as usize];
                if *code != UNKNOWN {
                    continue;
                }
                *code = plies as u8 + 1;
                let material = self.materials[usize::from(which)];
                let board = material.board(index as usize).expect("it has a verdict");
                let before = self.opposite(which);
                board.for_each_origin(|origin| self.look_at(before, origin, plies));
            }
        }
        true
    }

    /// A step from `origin` leads to a board that has just got its verdict, this far from the end.
    fn look_at(&mut self, which: bool, origin: Board, plies: usize) {
        let index = self.materials[usize::from(which)].index(origin);
        if self.codes[usize::from(which)][index] != UNKNOWN {
            return;
        }
        if plies % 2 == 0 {
            assert!(
                plies < MOST_PLIES,
                "a win takes more plies than the search knows"
            );
            self.due[plies + 1].push((which, index as u32));
            return;
        }
        let left = &mut self.left[usize::from(which)][index];
        *left -= 1;
        if *left == 0 {
            let mut best = Best::default();
            origin.for_each_step(|after, crowned| {
                best.add(if crowned {
                    self.made.verdict(after)
                } else {
                    self.verdict(self.opposite(which), after)
                });
            });
            self.expect(which, index, best.verdict());
        }
    }

    fn verdict(&self, which: bool, board: Board) -> Verdict {
        let index = self.materials[usize::from(which)].index(board);
        Verdict::of_code(self.codes[usize::from(which)][index])
    }
}
