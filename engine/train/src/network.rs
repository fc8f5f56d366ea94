//! The weights of the networks: games, records of them, and the fit.

mod block;
mod checkpoint;
mod fit;
mod learnt;
mod record;
mod samples;
mod seen;
pub mod selfplay;
mod trainable;

use std::fs;
use std::io::Error;
use std::path::Path;
use std::time::Instant;

use ataxxd_search::net::{Features, Network};
use fit::{FINE, FRESH, Fit};
pub use samples::{Sample, Samples};
pub use trainable::{Fitted, Trainable};

/// How a network is to be fitted.
#[derive(Debug, Clone, Copy)]
pub struct Lesson<'a> {
    /// What the weights to begin with are called; without any it begins from nothing.
    pub weights: Option<&'a str>,
    /// Passes over all positions, at least 1.
    pub epochs: u64,
    pub seed: u64,
}

/// The network of the weights that a user named; `none` is one that knows nothing.
///
/// # Errors
///
/// When there is no such file, or it holds something else than weights of this game.
pub fn named<P: Features>(weights: &str) -> Result<Network, Error> {
    match weights {
        "shipped" => Ok(P::weights().network::<P>().clone()),
        "none" => Ok(Network::zeros::<P>()),
        path => {
            let bytes = about(path, fs::read(path))?;
            about(path, Network::from_bytes::<P>(&bytes).map_err(Error::other))
        }
    }
}

/// Lets the searches of this process judge by the weights that a user named.
///
/// # Errors
///
/// As [`named`].
pub fn adopt<P: Features>(weights: &str) -> Result<(), Error> {
    let network = named::<P>(weights)?;
    if weights != "shipped" {
        assert!(
            P::weights().replace(network),
            "no position was judged before"
        );
    }
    Ok(())
}

/// An error with the name of the file that it is about.
pub fn about<T>(path: &str, result: Result<T, Error>) -> Result<T, Error> {
    result.map_err(|error| Error::other(format!("{path}: {error}")))
}

/// Fits a network to the games of some files and writes its weights to `output`.
///
/// # Errors
///
/// When a file cannot be read or written, or holds something else.
pub fn make<P: Trainable>(lesson: &Lesson<'_>, files: &[&str], output: &Path) -> Result<(), Error> {
    let start = lesson.weights.map(named::<P>).transpose()?;
    let mut samples = Samples::default();
    for file in files {
        about(file, samples.add::<P>(Path::new(file)))?;
    }
    let title = format!("{} {lesson:?} {files:?}", P::GAME);
    let network = fitted::<P>(lesson, start.as_ref(), &samples, &title, output)?;
    write::<P>(&network, output)
}

/// Writes the weights of a network.
///
/// # Errors
///
/// When that is not possible.
pub fn write<P: Features>(network: &Network, output: &Path) -> Result<(), Error> {
    let bytes = network.to_bytes::<P>();
    eprintln!("{} bytes", bytes.len());
    about(&output.display().to_string(), fs::write(output, bytes))
}

/// Fits a network to samples, from nothing or from `start`.
///
/// After each pass the fit is kept beside `output`, in a file that ends in `.part`; a fit of the same title
/// that was interrupted continues from there.
///
/// # Errors
///
/// When that file cannot be written, or there are too few samples.
pub fn fitted<P: Fitted>(
    lesson: &Lesson<'_>,
    start: Option<&Network>,
    samples: &Samples,
    title: &str,
    output: &Path,
) -> Result<Network, Error> {
    let (taught, apart) = (samples.taught.len(), samples.apart.len());
    eprintln!("{taught} positions to learn from, {apart} kept apart");
    if taught == 0 || apart == 0 {
        let few = "these are too few games to learn from; play at least a hundred";
        return Err(Error::other(few));
    }
    let part = output.with_extension("part");
    let part_name = part.display().to_string();
    let title = format!("{title} {taught} {apart}");
    let rates = if start.is_some() { FINE } else { FRESH };
    let mut fit = checkpoint::load::<P>(&title, &samples.taught, &part)
        .unwrap_or_else(|| Fit::new::<P>(lesson.seed, start, &samples.taught));
    let (started, first) = (Instant::now(), fit.epoch);
    while fit.epoch < lesson.epochs {
        let loss = fit.pass::<P>(&samples.taught, rates, lesson.epochs, lesson.seed);
        let others = fit.losses::<P>(&samples.apart);
        let seconds = started.elapsed().as_secs_f64();
        let left = (lesson.epochs - fit.epoch) as f64 / (fit.epoch - first) as f64;
        eprintln!(
            "pass {} of {}: loss {loss:.5}; of games kept apart {:.5}, quantised {:.5}, without the \
             network {:.5}, at least {:.5}; {:.0} s to go",
            fit.epoch,
            lesson.epochs,
            others.learnt,
            others.quantised,
            others.known,
            others.least,
            seconds * left
        );
        about(&part_name, checkpoint::save(&mut fit, &title, &part))?;
    }
    about(&part_name, fs::remove_file(&part))?;
    Ok(fit.quantised::<P>())
}

#[cfg(test)]
mod tests;
