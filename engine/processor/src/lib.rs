//! CPU feature detection and dispatch: the unsafe code of the engine.

#[cfg(target_arch = "x86_64")]
mod ability;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(all(target_arch = "x86_64", avx512))]
mod avx512;

use std::sync::atomic::AtomicU64;

#[cfg(target_arch = "x86_64")]
pub use avx2::{Avx2, Four};

/// Does some work, compiled for the widest registers and the bit instructions that pay off and that this
/// processor has.
///
/// A function that `work` calls is compiled so only if it is inlined, or calls this function itself.
#[inline(always)]
pub fn widest<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = Avx2::here() {
        return avx2.apart(work);
    }
    work()
}

/// Does some work as [`widest`] does, or compiled for registers of 512 bits; `work` is told whether it is.
///
/// Not everything gains from them: Lines of Action lost a quarter of its speed when all of it used them.
#[inline(always)]
pub fn widest_of_all<R>(work: impl FnOnce(bool) -> R) -> R {
    #[cfg(all(target_arch = "x86_64", avx512))]
    if let Some(avx512) = avx512::Avx512::here() {
        return avx512.apart(
            #[inline(always)]
            || work(true),
        );
    }
    widest(
        #[inline(always)]
        || work(false),
    )
}

/// Prefetches memory that will be needed soon, without waiting for it.
///
/// Bits 32 to 47 of `free`, a number in that memory, must be 0.
#[inline(always)]
pub fn prefetch<T>(place: &T, free: &AtomicU64) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every processor of this kind has it, and it changes nothing.
        #[expect(unsafe_code, reason = "it takes a pointer")]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
        }
    }
    // WebAssembly has no such instruction; but the processor does not wait for a write either.
    #[cfg(all(target_arch = "wasm32", not(target_feature = "atomics")))]
    {
        // SAFETY: it writes within the number, there is one thread, and these bits are 0 already.
        #[expect(unsafe_code, reason = "all of the number would have to be read first")]
        unsafe {
            free.as_ptr().cast::<u16>().add(2).write_volatile(0);
        }
    }
    let _ = (place, free);
}

/// `size` values, in the largest pages of memory that the system has: a large table is read at random places, so
/// with small pages every look-up would need another page.
pub fn in_large_pages<T>(size: usize, make: impl FnMut() -> T) -> Vec<T> {
    let mut values = Vec::with_capacity(size);
    #[cfg(target_os = "linux")]
    advise_large_pages(values.spare_capacity_mut());
    values.extend(std::iter::repeat_with(make).take(size));
    values
}

/// Asks for large pages; without them nothing is lost.
#[cfg(target_os = "linux")]
fn advise_large_pages<T>(memory: &mut [std::mem::MaybeUninit<T>]) {
    const PAGE: usize = 1 << 21;
    let range = memory.as_mut_ptr_range();
    let start = (range.start as usize).next_multiple_of(PAGE);
    let end = range.end as usize / PAGE * PAGE;
    if start < end {
        // SAFETY: these whole pages are within memory that is ours alone, and advice changes nothing in it.
        #[expect(unsafe_code, reason = "a call to the system")]
        unsafe {
            libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE);
        }
    }
}
