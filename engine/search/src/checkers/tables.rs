//! Endgame tables: who wins with few pieces left, and in how many plies.
//!
//! The tables of all boards with up to four pieces were made by `examples/checkers_tables.rs`
//! and come with the program; `making` makes larger ones. Of a material and the same one with the other side to move only
//! one is kept, the one that packs better; the other, and boards with a capture, follow from
//! what their moves lead to.

pub mod board;
pub mod generate;
pub mod index;
pub mod making;
mod pack;
pub mod verdict;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Once, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use board::Board;
use generate::Whole;
use index::{MATERIALS, Material};
use verdict::{Best, Verdict};

/// All boards with two to four pieces.
static SHIPPED: LazyLock<Tables> = LazyLock::new(|| {
    Tables::read(include_bytes!("tables/four.bin")).expect("the program's own tables are whole")
});

/// The tables that come with the program.
#[inline]
pub fn shipped() -> &'static Tables {
    &SHIPPED
}

/// Begins, at the first call, to unpack the tables that come with the program, in the background.
///
/// That takes a third of a second. A material that is needed before is unpacked at once, and so is every
/// material where there are no threads.
pub fn begin_preparing() {
    static BEGUN: Once = Once::new();
    if cfg!(not(target_arch = "wasm32")) {
        BEGUN.call_once(|| {
            std::thread::spawn(|| SHIPPED.unpack());
        });
    }
}

/// Tables of more pieces, where they have been made.
static LARGER: Larger = Larger::new();

/// Makes searches probe these tables as well, once a background thread has unpacked all of them; only
/// the first ones given are used.
///
/// # Errors
///
/// When the tables have no more pieces than those that come with the program.
pub fn use_larger(tables: Tables) -> Result<(), String> {
    if tables.pieces <= SHIPPED_PIECES {
        return Err(format!(
            "these endgame tables go up to {} pieces, and those of the program to {SHIPPED_PIECES}",
            tables.pieces
        ));
    }
    LARGER.give(tables);
    Ok(())
}

/// Returns when the tables that were given are unpacked, so that the result of a search does not depend
/// on how far that has come.
pub fn wait_for_larger() {
    while LARGER.given.load(Ordering::Relaxed) && LARGER.ready.get().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The tables that were given first.
#[derive(Debug)]
struct Larger {
    given: AtomicBool,
    /// Set once they are unpacked.
    ready: OnceLock<Tables>,
}

impl Larger {
    const fn new() -> Self {
        Self {
            given: AtomicBool::new(false),
            ready: OnceLock::new(),
        }
    }

    /// Takes tables and has a thread unpack them; `None`, and nothing is done, where others were
    /// given before, unpacked or not.
    fn give(&'static self, tables: Tables) -> Option<JoinHandle<()>> {
        let first = !self.given.swap(true, Ordering::Relaxed);
        first.then(|| {
            std::thread::spawn(|| {
                tables.unpack();
                self.ready
                    .set(tables)
                    .expect("only the first ones come so far");
            })
        })
    }
}

/// The verdict on a board of any number of pieces, if tables that are ready have it.
#[inline]
pub fn verdict(board: Board) -> Option<Verdict> {
    let pieces = (board.own | board.other).count_ones();
    if pieces <= SHIPPED_PIECES {
        return shipped().verdict(board);
    }
    LARGER.ready.get()?.verdict(board)
}

/// The most pieces in the tables that come with the program.
pub const SHIPPED_PIECES: u32 = 4;

/// The most plies in a row without a capture or a man's move on the way from any board in these to
/// its end, when the winner takes the shortest way: by `tests/checkers_tables.rs`.
pub const LONGEST_WAIT: u32 = 54;

/// What the file of tables begins with: a name, and the version of the layout.
const MAGIC: &[u8; 8] = b"ATXCKR\x00\x01";

/// Tables in their packed form, each unpacked when it is first needed.
#[derive(Debug)]
pub struct Tables {
    /// By the id of the material.
    slices: Vec<Option<Slice>>,
    pieces: u32,
}

/// The table of one material.
#[derive(Debug)]
struct Slice {
    material: Material,
    packed: Vec<u8>,
    codes: OnceLock<Vec<u8>>,
}

impl Slice {
    fn codes(&self) -> &[u8] {
        self.codes
            .get_or_init(|| pack::unpack(self.material, &self.packed))
    }
}

impl Tables {
    /// Reads what [`write()`] wrote.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the bytes.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let mut rest =
            unsealed(MAGIC, bytes).ok_or("these are not whole endgame tables of this version")?;
        let mut slices: Vec<_> = (0..MATERIALS).map(|_| None).collect();
        let mut pieces = 0;
        while let Some((&[a, b, c, d, size @ ..], tail)) = rest.split_first_chunk::<8>() {
            let material = Material {
                own_men: a.into(),
                own_kings: b.into(),
                other_men: c.into(),
                other_kings: d.into(),
            };
            let size = u32::from_le_bytes(size) as usize;
            let (packed, tail) = tail.split_at_checked(size).ok_or("a table is cut off")?;
            let slot = slices
                .get_mut(material.id())
                .ok_or("a table is of no material")?;
            *slot = Some(Slice {
                material,
                packed: packed.to_vec(),
                codes: OnceLock::new(),
            });
            pieces = pieces.max(material.pieces());
            rest = tail;
        }
        let kept = |material: Material| slices[material.id()].is_some();
        let whole = (2..=pieces)
            .flat_map(Material::of_pieces)
            .all(|material| kept(material) || kept(material.passed()));
        whole
            .then_some(Self { slices, pieces })
            .ok_or_else(|| "a table is missing".into())
    }

    /// The most pieces of both sides that a board in the tables can have.
    pub const fn pieces(&self) -> u32 {
        self.pieces
    }

    /// Unpacks every table that is still packed.
    pub fn unpack(&self) {
        for slice in self.slices.iter().flatten() {
            slice.codes();
        }
    }

    /// The verdict on a board; `None` where it has more pieces than the tables.
    #[inline]
    pub fn verdict(&self, board: Board) -> Option<Verdict> {
        let pieces = (board.own | board.other).count_ones();
        (pieces <= self.pieces).then(|| self.look_up(board))
    }

    fn look_up(&self, board: Board) -> Verdict {
        if board.own == 0 {
            return Verdict::Loss { plies: 0 };
        }
        let mut best = Best::default();
        if board.must_capture() {
            board.for_each_capture(|after| best.add(self.look_up(after)));
            return best.verdict();
        }
        let material = Material::of(board);
        if let Some(slice) = &self.slices[material.id()] {
            return Verdict::of_code(slice.codes()[material.index(board)]);
        }
        board.for_each_step(|after, _| best.add(self.look_up(after)));
        best.verdict()
    }
}

/// The file of all tables up to so many pieces, from two on.
pub fn write(whole: &Whole, pieces: u32) -> Vec<u8> {
    let mut body = Vec::new();
    for material in generate::pairs(pieces) {
        let sides = [material, material.passed()];
        append(
            &mut body,
            material,
            sides.map(|side| pack::pack(side, whole.codes(side))),
        );
    }
    sealed(MAGIC, &body)
}

/// Adds the table of a pair of materials to the body of a file: the shorter one of the two.
fn append(body: &mut Vec<u8>, first: Material, [one, other]: [Vec<u8>; 2]) {
    let (material, packed) = if other.len() < one.len() {
        (first.passed(), other)
    } else {
        (first, one)
    };
    let kinds = [
        material.own_men,
        material.own_kings,
        material.other_men,
        material.other_kings,
    ];
    body.extend(kinds.map(|count| count as u8));
    body.extend((packed.len() as u32).to_le_bytes());
    body.extend(packed);
}

/// A file with such a beginning.
fn sealed(magic: &[u8; 8], body: &[u8]) -> Vec<u8> {
    [magic, body, &checksum(body).to_le_bytes()].concat()
}

/// What is in a file with such a beginning, if nothing in it was changed.
fn unsealed<'a>(magic: &[u8; 8], bytes: &'a [u8]) -> Option<&'a [u8]> {
    let (body, sum) = bytes.strip_prefix(magic)?.split_last_chunk::<8>()?;
    (checksum(body) == u64::from_le_bytes(*sum)).then_some(body)
}

/// FNV-1a: tells a file that was cut off or damaged from a whole one.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(pieces: u32) -> Tables {
        Tables::read(&write(&Whole::up_to(pieces, |_, _| {}), pieces)).expect("just written")
    }

    #[test]
    fn of_two_tables_the_first_given_stay_also_if_the_others_would_be_unpacked_sooner() {
        static GIVEN: Larger = Larger::new();
        let (first, second) = (GIVEN.give(tables(3)), GIVEN.give(tables(2)));
        assert!(second.is_none());
        first.expect("they are the first").join().expect("unpacked");
        assert_eq!(GIVEN.ready.get().map(Tables::pieces), Some(3));
    }

    #[test]
    fn tables_that_add_nothing_to_those_of_the_program_are_refused() {
        let refused = use_larger(tables(2)).expect_err("they are smaller");
        assert!(refused.contains("up to 2 pieces"), "{refused}");
    }
}
