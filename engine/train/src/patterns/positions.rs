//! Positions and their scores in files, 18 bytes each: the pieces of the side to move, those of the other (eight bytes each,
//! the low one first), the score, and the low byte of the game's number.

use std::fs::{self, OpenOptions};
use std::io::{Error, Write};
use std::path::Path;

use super::games::Sample;

const BYTES: usize = 18;

/// Adds positions at the end of a file.
///
/// # Errors
///
/// When it cannot be written.
pub fn append(samples: &[Sample], path: &Path) -> Result<(), Error> {
    let mut bytes = Vec::with_capacity(BYTES * samples.len());
    for sample in samples {
        bytes.extend_from_slice(&sample.own.to_le_bytes());
        bytes.extend_from_slice(&sample.other.to_le_bytes());
        bytes.extend_from_slice(&[sample.score as u8, sample.game as u8]);
    }
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    file.write_all(&bytes)
}

/// The positions of a file; one that is cut off at its end is left out.
///
/// # Errors
///
/// When it cannot be read.
pub fn read(path: &Path) -> Result<Vec<Sample>, Error> {
    let bytes = fs::read(path)?;
    let eight = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    let sample = |bytes: &[u8]| Sample {
        own: eight(&bytes[..8]),
        other: eight(&bytes[8..16]),
        score: bytes[16] as i8,
        game: bytes[17].into(),
    };
    Ok(bytes.chunks_exact(BYTES).map(sample).collect())
}
