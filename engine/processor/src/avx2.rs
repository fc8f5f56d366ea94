//! AVX2 and what came with it.
//!
//! An [`Avx2`] is proof that the processor has AVX2, and so is every [`Four`], which is made from one.
//! So the unsafe code is here, and its callers do not have to promise anything.

use std::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, Shl, Shr};

use crate::ability::Ability;

/// Proof that this processor has AVX2, BMI, LZCNT and POPCNT.
#[derive(Debug, Clone, Copy)]
pub struct Avx2(());

static AVX2: Ability = Ability::new(|| {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
});

impl Avx2 {
    /// The proof, if the processor has it.
    #[inline(always)]
    pub fn here() -> Option<Self> {
        AVX2.is_here().then_some(Self(()))
    }

    /// Does some work, compiled for AVX2 in a function of its own.
    #[inline(always)]
    pub(crate) fn apart<R>(self, work: impl FnOnce() -> R) -> R {
        // SAFETY: this processor has what is needed.
        #[expect(unsafe_code, reason = "no safe code can call what needs a feature")]
        unsafe {
            apart(work)
        }
    }

    /// Does some work with [`Four`]s, compiled for AVX2; it is inlined within [`widest`](crate::widest).
    #[inline(always)]
    pub fn compute<R>(self, work: impl FnOnce() -> R) -> R {
        // SAFETY: this processor has what is needed.
        #[expect(unsafe_code, reason = "no safe code can call what needs a feature")]
        unsafe {
            in_line(work)
        }
    }

    /// Four numbers.
    #[inline(always)]
    pub fn four(self, numbers: &[u64; 4]) -> Four {
        // SAFETY: this processor has AVX2, and the array has 32 bytes.
        #[expect(unsafe_code, reason = "no safe code can call what needs a feature")]
        Four(unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) })
    }

    /// Four times the same number.
    #[inline(always)]
    pub fn same(self, number: u64) -> Four {
        // SAFETY: this processor has AVX2.
        #[expect(unsafe_code, reason = "no safe code can call what needs a feature")]
        Four(unsafe { _mm256_set1_epi64x(number as i64) })
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
#[expect(
    unsafe_code,
    reason = "before Rust 1.86 what needs a feature is unsafe itself"
)]
unsafe fn apart<R>(work: impl FnOnce() -> R) -> R {
    work()
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
#[expect(
    unsafe_code,
    reason = "before Rust 1.86 what needs a feature is unsafe itself"
)]
unsafe fn in_line<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// Four numbers side by side in a register.
///
/// Use it within [`Avx2::compute`] or [`widest`](crate::widest): elsewhere every operation is a call.
#[derive(Debug, Clone, Copy)]
pub struct Four(__m256i);

/// An operation on each of four numbers and its counterpart.
macro_rules! each {
    ($instruction:ident, $left:expr, $right:expr) => {{
        // SAFETY: a `Four` exists only on a processor that has AVX2.
        #[expect(unsafe_code, reason = "no safe code can call what needs a feature")]
        Four(unsafe { $instruction($left.0, $right.0) })
    }};
}

impl BitAnd for Four {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        each!(_mm256_and_si256, self, other)
    }
}

impl BitOr for Four {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        each!(_mm256_or_si256, self, other)
    }
}

impl Shl for Four {
    type Output = Self;

    #[inline(always)]
    fn shl(self, by: Self) -> Self {
        each!(_mm256_sllv_epi64, self, by)
    }
}

impl Shr for Four {
    type Output = Self;

    #[inline(always)]
    fn shr(self, by: Self) -> Self {
        each!(_mm256_srlv_epi64, self, by)
    }
}

impl Four {
    /// What is in these sets and not in `others`.
    #[inline(always)]
    pub fn without(self, others: Self) -> Self {
        each!(_mm256_andnot_si256, others, self)
    }

    /// The sums, modulo 2^64.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        each!(_mm256_add_epi64, self, other)
    }

    /// The differences, modulo 2^64.
    #[inline(always)]
    pub fn minus(self, other: Self) -> Self {
        each!(_mm256_sub_epi64, self, other)
    }

    /// All bits where two numbers are the same, else none.
    #[inline(always)]
    pub fn is(self, other: Self) -> Self {
        each!(_mm256_cmpeq_epi64, self, other)
    }

    /// The bits that are in any of the four.
    #[inline(always)]
    pub fn any(self) -> u64 {
        // SAFETY: a `Four` exists only on a processor that has AVX2.
        #[expect(unsafe_code, reason = "no safe code can call what needs a feature")]
        unsafe {
            let upper = _mm256_extracti128_si256::<1>(self.0);
            let two = _mm_or_si128(_mm256_castsi256_si128(self.0), upper);
            let one = _mm_or_si128(two, _mm_unpackhi_epi64(two, two));
            _mm_cvtsi128_si64(one) as u64
        }
    }
}
