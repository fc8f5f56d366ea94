//! What the processor at hand can do, used where it is there.

#[cfg(target_arch = "x86_64")]
use std::sync::LazyLock;
use std::sync::atomic::AtomicU64;

/// Does some work, compiled for the widest registers and the instructions for sets of bits that this
/// processor has among those that pay.
///
/// What is called must be inlined into `work` to be compiled so, or call this in its turn.
#[inline(always)]
pub fn widest<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if *HAS_AVX2 {
        // SAFETY: this processor has what is needed.
        #[expect(unsafe_code, reason = "no safe code can call what needs a feature")]
        return unsafe { with_avx2(work) };
    }
    work()
}

/// Whether this processor has AVX2 and what came with it.
#[cfg(target_arch = "x86_64")]
static HAS_AVX2: LazyLock<bool> = LazyLock::new(|| {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
});

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
#[expect(
    unsafe_code,
    reason = "before Rust 1.86 what needs a feature is unsafe itself"
)]
unsafe fn with_avx2<R>(work: impl FnOnce() -> R) -> R {
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
