//! A monotonic clock: the system's, or in WebAssembly the page's.

#[cfg(not(target_arch = "wasm32"))]
pub use std::time::Instant;

#[cfg(target_arch = "wasm32")]
pub use page::Instant;

#[cfg(target_arch = "wasm32")]
#[allow(unsafe_code, reason = "what the page hands in is declared as foreign")]
mod page {
    use std::time::Duration;

    #[link(wasm_import_module = "clock")]
    unsafe extern "C" {
        /// Milliseconds since any moment in the past.
        safe fn now() -> f64;
    }

    /// A moment, as `std::time::Instant`.
    #[derive(Debug, Clone, Copy)]
    pub struct Instant(f64);

    impl Instant {
        pub fn now() -> Self {
            Self(now())
        }

        pub fn elapsed(&self) -> Duration {
            // A page's clock may be coarse, and never goes back.
            Duration::from_secs_f64((now() - self.0).max(0.0) / 1_000.0)
        }
    }
}
