//! Features of the processor, each detected once.

use std::sync::atomic::{AtomicU8, Ordering};

/// Whether the processor has a feature; detected when it is first asked for.
#[derive(Debug)]
pub struct Ability {
    state: AtomicU8,
    look: fn() -> bool,
}

const UNKNOWN: u8 = 0;
const NO: u8 = 1;
const YES: u8 = 2;

impl Ability {
    /// A feature that `look` detects.
    pub const fn new(look: fn() -> bool) -> Self {
        Self {
            state: AtomicU8::new(UNKNOWN),
            look,
        }
    }

    /// Whether the processor has it.
    #[inline(always)]
    pub fn is_here(&self) -> bool {
        match self.state.load(Ordering::Relaxed) {
            YES => true,
            NO => false,
            _ => self.find_out(),
        }
    }

    #[cold]
    fn find_out(&self) -> bool {
        let has = (self.look)();
        self.state
            .store(if has { YES } else { NO }, Ordering::Relaxed);
        has
    }
}
