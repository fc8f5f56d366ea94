//! Sets of up to 64 numbers, as the bits of a word.

/// The numbers of the bits of a set, from the lowest.
#[inline(always)]
pub fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(
        #[inline(always)]
        move || {
            if set == 0 {
                return None;
            }
            let bit = set.trailing_zeros() as usize;
            set &= set - 1;
            Some(bit)
        },
    )
}
