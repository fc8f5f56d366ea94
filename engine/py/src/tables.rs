//! Endgame tables of checkers that are larger than those that come with the program.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ataxxd_search::checkers::tables::index::MOST_PIECES;
use ataxxd_search::checkers::tables::making::{Progress, make};
use ataxxd_search::checkers::tables::{Tables, use_larger};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::signals::SignalCheck;

/// How often Python hears of the progress.
const TELL_EVERY: Duration = Duration::from_millis(200);

#[doc = stub!("make_tables")]
#[pyfunction]
pub fn make_tables(
    py: Python<'_>,
    file: PathBuf,
    folder: PathBuf,
    pieces: u32,
    on_progress: Py<PyAny>,
) -> PyResult<bool> {
    if !(2..=MOST_PIECES).contains(&pieces) {
        return Err(PyValueError::new_err(format!(
            "pieces is {pieces}; tables can be made of 2 to {MOST_PIECES}."
        )));
    }
    let mut signals = SignalCheck::new();
    let mut told: Option<(Instant, usize)> = None;
    let mut tell = |at: Progress| {
        if told.is_none_or(|(when, made)| made != at.made || when.elapsed() >= TELL_EVERY) {
            told = Some((Instant::now(), at.made));
            let called = Python::attach(|py| {
                let values = (at.made, at.pairs, at.boards, at.kept, at.all_boards);
                on_progress.call1(py, values).map(drop)
            });
            if let Err(error) = called {
                signals.raise(error);
            }
        }
        signals.keep_going()
    };
    let made = py
        .detach(|| make(&file, &folder, pieces, &mut tell))
        .map_err(|error| os_error(error, None))?;
    signals.finish()?;
    Ok(made)
}

#[doc = stub!("check_tables")]
#[pyfunction]
pub fn check_tables(py: Python<'_>, file: PathBuf) -> PyResult<u32> {
    py.detach(|| read(&file)).map(|tables| tables.pieces())
}

#[doc = stub!("use_tables")]
#[pyfunction]
pub fn use_tables(py: Python<'_>, file: PathBuf) -> PyResult<u32> {
    py.detach(|| {
        let tables = read(&file)?;
        let pieces = tables.pieces();
        use_larger(tables).map_err(PyValueError::new_err)?;
        Ok(pieces)
    })
}

fn read(file: &Path) -> PyResult<Tables> {
    let bytes = std::fs::read(file).map_err(|error| os_error(error, Some(file)))?;
    Tables::read(&bytes).map_err(PyValueError::new_err)
}

/// The `OSError` that Python itself would raise, with number and text apart: PyO3 makes one of text
/// alone.
fn os_error(error: io::Error, file: Option<&Path>) -> PyErr {
    let number = error.raw_os_error();
    let text = number.map_or_else(|| Ok(error.to_string()), system_text);
    text.map_or_else(
        |error| error,
        |text| PyOSError::new_err((number, text, file.map(Path::to_path_buf))),
    )
}

fn system_text(number: i32) -> PyResult<String> {
    Python::attach(|py| {
        let strerror = py.import("os")?.getattr("strerror")?;
        strerror.call1((number,))?.extract()
    })
}
