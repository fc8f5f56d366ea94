//! Saves a fit between two passes, so that an interrupted one can continue.

use std::fs;
use std::io::Error;
use std::path::Path;

use super::fit::Fit;
use super::samples::Sample;
use super::trainable::Fitted;

/// Writes a fit; `title` says what it is a fit of. A file is replaced as a whole.
pub fn save(fit: &mut Fit, title: &str, path: &Path) -> Result<(), Error> {
    let mut bytes = format!("{title}\n{} {}\n", fit.epoch, fit.steps).into_bytes();
    for part in fit.parts_mut() {
        let values = part.iter().flat_map(|lane| &lane.0);
        bytes.extend(values.flat_map(|value| value.to_le_bytes()));
    }
    let new = path.with_extension("new");
    fs::write(&new, bytes)?;
    fs::rename(new, path)
}

/// The fit to some samples that was saved under this title; `None` when there is none, or one of something else.
pub fn load<P: Fitted>(title: &str, samples: &[Sample], path: &Path) -> Option<Fit> {
    let bytes = fs::read(path).ok()?;
    let rest = bytes.strip_prefix(title.as_bytes())?.strip_prefix(b"\n")?;
    let end = rest.iter().position(|&byte| byte == b'\n')?;
    let numbers = std::str::from_utf8(&rest[..end]).ok()?;
    let (epoch, steps) = numbers.split_once(' ')?;
    let mut fit = Fit::new::<P>(0, None, samples);
    fit.epoch = epoch.parse().ok()?;
    fit.steps = steps.parse().ok()?;
    let mut values = rest[end + 1..].chunks_exact(4);
    for part in fit.parts_mut() {
        for value in part.iter_mut().flat_map(|lane| &mut lane.0) {
            *value = f32::from_le_bytes(values.next()?.try_into().ok()?);
        }
    }
    fit.refresh::<P>();
    values.next().is_none().then_some(fit)
}
