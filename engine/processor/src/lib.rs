//! What the processor at hand can do, used where it is there: the unsafe code of the engine.

#[cfg(target_arch = "x86_64")]
mod avx2;

use std::sync::atomic::AtomicU64;

#[cfg(target_arch = "x86_64")]
pub use avx2::{Avx2, Four};

/// Does some work, compiled for the widest registers and the instructions for sets of bits that this
/// processor has among those that pay.
///
/// What is called must be inlined into `work` to be compiled so, or call this in its turn.
#[inline(always)]
pub fn widest<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = Avx2::here() {
        return avx2.apart(work);
    }
    work()
}

/// Has memory brought near that will be needed soon; nobody waits for it.
///
/// Bits 32 to 47 of `free`, a number in that memory, must be 0.
#[inline(always)]
pub fn prefetch<T>(place: &T, free: &AtomicU64) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every processor of this kind can, and it reads and changes nothing.
        #[expect(unsafe_code, reason = "it takes a pointer")]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
        }
    }
    // WebAssembly has no such instruction, but nobody waits for what is written either.
    #[cfg(all(target_arch = "wasm32", not(target_feature = "atomics")))]
    {
        // SAFETY: it is a part of the number, there is one thread, and the zeros stay zeros.
        #[expect(unsafe_code, reason = "all of the number would have to be read first")]
        unsafe {
            free.as_ptr().cast::<u16>().add(2).write_volatile(0);
        }
    }
    let _ = (place, free);
}
