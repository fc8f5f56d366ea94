//! Ctrl-C in long native calls.

use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// How long a signal may wait.
const INTERVAL: Duration = Duration::from_millis(50);

/// Lets Python's signal handlers run now and then while the GIL is released.
pub struct SignalCheck {
    last: Instant,
    raised: Option<PyErr>,
}

impl SignalCheck {
    pub fn new() -> Self {
        Self {
            last: Instant::now(),
            raised: None,
        }
    }

    /// Keeps the first error; the running call ends when it next calls `keep_going`.
    pub fn raise(&mut self, error: PyErr) {
        self.raised.get_or_insert(error);
    }

    /// `false` once a handler has raised, such as `KeyboardInterrupt`.
    pub fn keep_going(&mut self) -> bool {
        if self.raised.is_none() && self.last.elapsed() >= INTERVAL {
            self.last = Instant::now();
            if let Err(error) = Python::attach(|py| py.check_signals()) {
                self.raise(error);
            }
        }
        self.raised.is_none()
    }

    /// The error that was raised, if any.
    pub fn finish(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }
}
