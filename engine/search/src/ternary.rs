//! Base-three indices of squares that are each empty, own or the opponent's.

/// For each number, the value of its binary digits read in base three.
pub const fn table<const SIZE: usize>() -> [u16; SIZE] {
    let mut table = [0; SIZE];
    let mut number = 1;
    while number < SIZE {
        table[number] = 3 * table[number >> 1] + (number & 1) as u16;
        number += 1;
    }
    table
}
