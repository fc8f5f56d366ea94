//! The native module `ataxxd._engine`, documented in `ataxxd/_engine.pyi`.
//!
//! A thin layer: it converts values, releases the GIL in long calls and lets
//! Ctrl-C through. It decides nothing about games.

/// The docstring of an item, from the stub, which is the only place where it is written.
macro_rules! stub {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $name))
    };
}

mod arguments;
mod engine;
mod moves;
mod position;
mod signals;
mod tables;
mod values;

use pyo3::prelude::*;

#[pymodule(name = "_engine")]
mod native {
    #[pymodule_export]
    use crate::engine::Engine;
    #[pymodule_export]
    use crate::moves::Move;
    #[pymodule_export]
    use crate::position::Position;
    #[pymodule_export]
    use crate::tables::{check_tables, make_tables, use_tables};
    #[pymodule_export]
    use crate::values::rulesets;
}
