//! A logarithm that is the same on every machine.
//!
//! The one of the standard library is the system's, and may differ in its last bit from one
//! processor to the next. Additions, multiplications and divisions never do.

use std::f64::consts::{LN_2, SQRT_2};

/// The natural logarithm of a normal number above 0.
pub fn ln(value: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    let bits = value.to_bits();
    let mut exponent = (bits >> 52) as i32 - 1_023;
    let mut mantissa = f64::from_bits(bits & MANTISSA | 1_023 << 52);
    if mantissa > SQRT_2 {
        mantissa /= 2.0;
        exponent += 1;
    }
    // ln m = 2 artanh((m - 1) / (m + 1)), whose series ends below the last bit here.
    let ratio = (mantissa - 1.0) / (mantissa + 1.0);
    let square = ratio * ratio;
    let mut series = 0.0;
    for divisor in (1..=21).rev().step_by(2) {
        series = series * square + 1.0 / f64::from(divisor);
    }
    2.0 * ratio * series + f64::from(exponent) * LN_2
}

#[cfg(test)]
mod tests {
    use super::ln;

    #[test]
    fn it_is_the_logarithm() {
        for step in 1..10_000 {
            for value in [
                f64::from(step),
                1.0 / f64::from(step),
                f64::from(step) / 1e4,
            ] {
                let off = (ln(value) - value.ln()).abs();
                assert!(
                    off <= 4e-15 * value.ln().abs().max(1.0),
                    "ln {value}: {off}"
                );
            }
        }
        assert_eq!(ln(1.0).to_bits(), 0);
    }
}
