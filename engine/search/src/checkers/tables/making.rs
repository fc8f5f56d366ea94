//! Generates tables in steps that are saved, so that hours of work survive an interruption.
//!
//! Every pair of materials that is finished has a file of its own until the tables are whole.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::generate::{Whole, pairs};
use super::index::Material;
use super::pack::{pack, unpack};
use super::{append, sealed, unsealed};

/// What the file of one pair begins with.
const MAGIC: &[u8; 8] = b"ATXCKP\x00\x01";

/// How far the work has come; boards tell better than pairs how long the rest takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Pairs of materials that are made.
    pub made: usize,
    /// All pairs.
    pub pairs: usize,
    /// Boards of the pairs that are made.
    pub boards: u64,
    /// Of these, boards that were made by an earlier run.
    pub kept: u64,
    /// Boards of all pairs.
    pub all_boards: u64,
}

/// Makes the tables of up to so many pieces into a file, with steps in a folder, both of which
/// are made if they are missing. Steps that an earlier run has finished are not done again.
///
/// `tell` is called with the progress many times a second; once it returns `false`, so does this.
///
/// # Errors
///
/// When a file cannot be written.
pub fn make(
    file: &Path,
    folder: &Path,
    pieces: u32,
    tell: &mut dyn FnMut(Progress) -> bool,
) -> io::Result<bool> {
    fs::create_dir_all(folder)?;
    let pairs = pairs(pieces);
    let mut progress = Progress {
        pairs: pairs.len(),
        all_boards: pairs.iter().map(boards).sum(),
        ..Progress::default()
    };
    let mut whole = Whole::new();
    for material in &pairs {
        let step = step_of(folder, *material);
        if let Some(packed) = read_step(&step) {
            for (side, packed) in sides(*material).into_iter().zip(packed) {
                whole.restore(side, unpack(side, &packed));
            }
            progress.kept += boards(material);
        } else {
            if !whole.make(*material, &mut || tell(progress)) {
                return Ok(false);
            }
            write_whole(&step, &step_bytes(&whole, *material))?;
        }
        progress.made += 1;
        progress.boards += boards(material);
        if !tell(progress) {
            return Ok(false);
        }
    }
    drop(whole);
    let mut body = Vec::new();
    for &material in &pairs {
        let packed = read_step(&step_of(folder, material));
        let [one, other] = packed.ok_or(io::ErrorKind::InvalidData)?;
        append(&mut body, material, [one, other]);
    }
    write_whole(file, &sealed(super::MAGIC, &body))?;
    for &material in &pairs {
        fs::remove_file(step_of(folder, material))?;
    }
    // Somebody else's files are left, and so is their folder.
    let _ = fs::remove_dir(folder);
    Ok(true)
}

fn sides(material: Material) -> [Material; 2] {
    [material, material.passed()]
}

fn boards(material: &Material) -> u64 {
    let [one, other] = sides(*material).map(|side| side.size() as u64);
    if *material == material.passed() {
        one
    } else {
        one + other
    }
}

fn step_of(folder: &Path, material: Material) -> PathBuf {
    folder.join(format!("{:03}.pair", material.id()))
}

fn step_bytes(whole: &Whole, material: Material) -> Vec<u8> {
    let mut body = Vec::new();
    for side in sides(material) {
        let packed = pack(side, whole.codes(side));
        body.extend((packed.len() as u32).to_le_bytes());
        body.extend(packed);
    }
    sealed(MAGIC, &body)
}

/// The tables of both materials of a pair; `None` if the file is missing or damaged.
fn read_step(path: &Path) -> Option<[Vec<u8>; 2]> {
    let bytes = fs::read(path).ok()?;
    let mut rest = unsealed(MAGIC, &bytes)?;
    let mut next = || {
        let (size, tail) = rest.split_first_chunk::<4>()?;
        let (packed, tail) = tail.split_at_checked(u32::from_le_bytes(*size) as usize)?;
        rest = tail;
        Some(packed.to_vec())
    };
    Some([next()?, next()?])
}

/// Writes a file so that it is never seen half written, also after a power cut.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let part = path.with_extension("part");
    let mut file = File::create(&part)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&part, path)
}
