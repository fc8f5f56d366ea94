//! Registers of 512 bits.

use crate::ability::Ability;
use crate::avx2::Avx2;

/// Proof that this processor has AVX-512 for numbers of 8 and 16 bits, and what [`Avx2`] stands for.
#[derive(Debug, Clone, Copy)]
pub struct Avx512(());

static AVX512: Ability = Ability::new(|| {
    Avx2::here().is_some()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
});

impl Avx512 {
    /// The proof, if the processor has it.
    #[inline(always)]
    pub fn here() -> Option<Self> {
        AVX512.is_here().then_some(Self(()))
    }

    /// Does some work, compiled for AVX-512 in a function of its own.
    #[inline(always)]
    pub fn apart<R>(self, work: impl FnOnce() -> R) -> R {
        // SAFETY: this processor has what is needed.
        #[expect(unsafe_code, reason = "no safe code can call what needs a feature")]
        unsafe {
            apart(work)
        }
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl")]
#[inline(never)]
fn apart<R>(work: impl FnOnce() -> R) -> R {
    work()
}
