//! The Python class `Engine`.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use ataxxd_rules::{with_game, with_position};
use ataxxd_search::{
    Changes, Limits, MAX_TEMPERATURE, Monitor, PlainValue, Report, Searchable, Searcher, alphabeta,
    parameters,
};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arguments::{number, whole};
use crate::moves::Move;
use crate::position::{Position, move_tuple};
use crate::signals::SignalCheck;
use crate::values::to_py_result;

/// The largest table that can be asked for.
const MAX_HASH_MB: usize = 65_536;

/// The most threads that can be asked for.
const MAX_THREADS: usize = 256;

#[doc = stub!("Engine")]
#[pyclass(frozen, module = "ataxxd._engine")]
pub struct Engine {
    searcher: Mutex<Searcher>,
    threads: usize,
    stop: AtomicBool,
}

/// Hands reports to Python's `on_info` and signals to its handlers.
struct PyMonitor<P> {
    on_info: Option<Py<PyAny>>,
    signals: SignalCheck,
    game: PhantomData<P>,
}

impl<P: Searchable> Monitor<P::Move> for PyMonitor<P> {
    fn report(&mut self, report: &Report<P::Move>) {
        let Some(on_info) = &self.on_info else { return };
        let called =
            Python::attach(|py| on_info.call1(py, (result_of::<P>(py, report)?,)).map(drop));
        if let Err(error) = called {
            self.signals.raise(error);
        }
    }

    fn keep_going(&mut self) -> bool {
        self.signals.keep_going()
    }
}

fn result_of<'py, P: Searchable>(
    py: Python<'py>,
    report: &Report<P::Move>,
) -> PyResult<Bound<'py, PyAny>> {
    let elapsed_ms = u64::try_from(report.elapsed.as_millis()).unwrap_or(u64::MAX);
    to_py_result(
        py,
        (
            Move::of::<P>(report.best),
            report.score,
            report.mate_in,
            report.depth,
            report.nodes,
            elapsed_ms,
            move_tuple::<P>(py, &report.line)?,
            report.margin,
        ),
    )
}

impl Engine {
    fn searcher(&self) -> PyResult<MutexGuard<'_, Searcher>> {
        match self.searcher.try_lock() {
            Ok(searcher) => Ok(searcher),
            // A panic may have left the table half changed, but no entry is ever trusted blindly.
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                "This engine is searching in another thread; stop() it first, or use another Engine.",
            )),
        }
    }

    fn run<'py, P: Searchable>(
        &self,
        py: Python<'py>,
        position: &P,
        limits: &Limits,
        on_info: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut monitor = PyMonitor::<P> {
            on_info,
            signals: SignalCheck::new(),
            game: PhantomData,
        };
        let mut guard = self.searcher()?;
        let searcher: &mut Searcher = &mut guard;
        self.stop.store(false, Ordering::Relaxed);
        let report = py.detach(|| searcher.search(position, limits, &self.stop, &mut monitor));
        monitor.signals.finish()?;
        let report = report.ok_or_else(game_over)?;
        result_of::<P>(py, &report)
    }
}

/// What `Engine.alphabeta` returns: the move, and its value unless the search was cut short.
type PyChoice = (Move, Option<i32>);

impl Engine {
    fn look_ahead<P: PlainValue>(
        &self,
        py: Python<'_>,
        position: &P,
        depth: u32,
        time: Option<Duration>,
    ) -> PyResult<PyChoice> {
        let _alone = self.searcher()?;
        self.stop.store(false, Ordering::Relaxed);
        let began = Instant::now();
        let mut signals = SignalCheck::new();
        let choice = py.detach(|| {
            alphabeta(position, depth, &mut || {
                !self.stop.load(Ordering::Relaxed)
                    && time.is_none_or(|time| began.elapsed() < time)
                    && signals.keep_going()
            })
        });
        signals.finish()?;
        choice
            .map(|choice| (Move::of::<P>(choice.best), choice.value))
            .ok_or_else(game_over)
    }
}

fn prepare<P: Searchable>(_: &P) {
    ataxxd_search::prepare::<P>();
}

fn moves_to_go<P: Searchable>(position: &P) -> u32 {
    position.moves_to_go()
}

/// What `Engine.parameters` tells of each: name, value, least and most.
type PyParameter = (&'static str, i32, i32, i32);

fn listed<P: Searchable>() -> Vec<PyParameter> {
    parameters::<P>()
        .iter()
        .map(|each| (each.name, each.value, each.least, each.most))
        .collect()
}

fn changes(tuning: &BTreeMap<String, Bound<'_, PyAny>>) -> PyResult<Changes> {
    let mut changes = Changes::default();
    for (name, value) in tuning {
        changes
            .set(name, number(value)?)
            .map_err(|unfit| PyValueError::new_err(unfit.to_string()))?;
    }
    Ok(changes)
}

fn game_over() -> PyErr {
    PyValueError::new_err("The game is over in this position; there is no move to find.")
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (hash_mb = 16, *, threads = 1))]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = whole)] hash_mb: usize,
        #[pyo3(from_py_with = whole)] threads: usize,
    ) -> PyResult<Self> {
        if !(1..=MAX_HASH_MB).contains(&hash_mb) {
            return Err(PyValueError::new_err(format!(
                "hash_mb is {hash_mb}; it must be from 1 to {MAX_HASH_MB} (mebibytes)."
            )));
        }
        if !(1..=MAX_THREADS).contains(&threads) {
            return Err(PyValueError::new_err(format!(
                "threads is {threads}; it must be from 1 to {MAX_THREADS}."
            )));
        }
        // Try first: without room for the table, making it would end the process.
        let mut trial = Vec::<u8>::new();
        let room = trial.try_reserve_exact(hash_mb.saturating_mul(1 << 20));
        // The compiler may leave out an allocation that is not used.
        black_box(&trial);
        if room.is_err() {
            return Err(PyMemoryError::new_err(format!(
                "There is not enough memory for a table of {hash_mb} mebibytes."
            )));
        }
        drop(trial);
        Ok(Self {
            searcher: Mutex::new(py.detach(|| Searcher::new(hash_mb))),
            threads,
            stop: AtomicBool::new(false),
        })
    }

    #[doc = stub!("Engine.search")]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    #[pyo3(signature = (position, *, depth = None, nodes = None, time_ms = None, aim_ms = None, cutoff_ms = None, seed = 0, temperature = 0, oversight = 0, nodes_per_ms = None, on_info = None))]
    fn search<'py>(
        &self,
        py: Python<'py>,
        position: &Position,
        #[pyo3(from_py_with = whole)] depth: Option<u32>,
        #[pyo3(from_py_with = whole)] nodes: Option<u64>,
        #[pyo3(from_py_with = whole)] time_ms: Option<u64>,
        #[pyo3(from_py_with = whole)] aim_ms: Option<u64>,
        #[pyo3(from_py_with = whole)] cutoff_ms: Option<u64>,
        #[pyo3(from_py_with = whole)] seed: u64,
        #[pyo3(from_py_with = whole)] temperature: u32,
        #[pyo3(from_py_with = whole)] oversight: u32,
        #[pyo3(from_py_with = whole)] nodes_per_ms: Option<u64>,
        on_info: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if depth.is_none() && nodes.is_none() && time_ms.is_none() {
            return Err(PyValueError::new_err(
                "A search needs a limit: give depth, nodes or time_ms.",
            ));
        }
        if depth == Some(0) {
            return Err(PyValueError::new_err("depth is 0; it must be at least 1."));
        }
        if temperature > MAX_TEMPERATURE {
            return Err(PyValueError::new_err(format!(
                "temperature is {temperature}; it must be from 0 to {MAX_TEMPERATURE} (centipieces)."
            )));
        }
        if oversight > 100 {
            return Err(PyValueError::new_err(format!(
                "oversight is {oversight}; it must be from 0 to 100 (percent)."
            )));
        }
        let limits = Limits {
            depth,
            nodes,
            time: time_ms.map(Duration::from_millis),
            aim: aim_ms.map(Duration::from_millis),
            cutoff: cutoff_ms.map(Duration::from_millis),
            seed,
            temperature,
            oversight,
            nodes_per_ms,
            threads: self.threads,
            ..Limits::default()
        };
        with_position!(&position.inner, p => self.run(py, p, &limits, on_info))
    }

    #[doc = stub!("Engine.alphabeta")]
    #[pyo3(signature = (position, depth, *, time_ms = None))]
    fn alphabeta(
        &self,
        py: Python<'_>,
        position: &Position,
        #[pyo3(from_py_with = whole)] depth: u32,
        #[pyo3(from_py_with = whole)] time_ms: Option<u64>,
    ) -> PyResult<PyChoice> {
        if depth == 0 {
            return Err(PyValueError::new_err("depth is 0; it must be at least 1."));
        }
        let time = time_ms.map(Duration::from_millis);
        with_position!(&position.inner, p => self.look_ahead(py, p, depth, time))
    }

    #[doc = stub!("Engine.prepare")]
    #[staticmethod]
    fn prepare(py: Python<'_>, position: &Position) {
        with_position!(&position.inner, p => py.detach(|| prepare(p)));
    }

    #[doc = stub!("Engine.moves_to_go")]
    #[staticmethod]
    fn moves_to_go(position: &Position) -> u32 {
        with_position!(&position.inner, p => moves_to_go(p))
    }

    #[doc = stub!("Engine.parameters")]
    #[staticmethod]
    fn parameters<'py>(py: Python<'py>, game: &str) -> PyResult<Bound<'py, PyTuple>> {
        let listed = with_game!(game, P => listed::<P>()).ok_or_else(|| {
            PyValueError::new_err(format!("There is no game \"{}\".", game.escape_debug()))
        })?;
        PyTuple::new(py, listed)
    }

    #[doc = stub!("Engine.tune")]
    fn tune(&self, tuning: BTreeMap<String, Bound<'_, PyAny>>) -> PyResult<()> {
        let changes = changes(&tuning)?;
        self.searcher()?.change(changes);
        Ok(())
    }

    #[doc = stub!("Engine.stop")]
    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    #[doc = stub!("Engine.clear")]
    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        let mut guard = self.searcher()?;
        let searcher: &mut Searcher = &mut guard;
        py.detach(|| searcher.clear());
        Ok(())
    }

    fn __repr__(&self) -> &'static str {
        "<ataxxd.rules.Engine>"
    }
}
