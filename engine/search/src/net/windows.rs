//! Windows of two by two squares, as networks see boards of eight bits a line.

/// Per set of squares of a line, the same with two bits a square, the lower of which is used.
static SPREAD: [u16; 256] = {
    let mut table = [0; 256];
    let mut set = 0;
    while set < 256 {
        let mut place = 0;
        while place < 8 {
            table[set] |= ((set >> place & 1) << (2 * place)) as u16;
            place += 1;
        }
        set += 1;
    }
    table
};

/// Calls `visit` with the number of each window of a square board, and with what its four squares
/// hold: two bits for each, of which `low` and `high` are the sets of those that are 1.
///
/// There are `across` windows along each side, one less than squares.
#[inline(always)]
pub fn for_each_window(low: u64, high: u64, across: usize, mut visit: impl FnMut(usize, usize)) {
    let line = |number: usize| {
        let bits = |set: u64| usize::from(SPREAD[(set >> (8 * number) & 255) as usize]);
        bits(low) | bits(high) << 1
    };
    let mut lower = line(0);
    for number in 0..across {
        let upper = line(number + 1);
        for place in 0..across {
            let bits = lower >> (2 * place) & 15 | (upper >> (2 * place) & 15) << 4;
            visit(number * across + place, bits);
        }
        lower = upper;
    }
}
