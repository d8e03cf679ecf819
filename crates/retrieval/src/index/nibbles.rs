//! Vectors quantised to four bits per dimension, for a first coarse scan.
//!
//! The scan reads half the bytes of an eight-bit scan, and with AVX2 it multiplies and adds thirty-two values per
//! instruction: a quarter of the time or less. The quantisation error of each vector is stored ([`Scale::residual`]), so the
//! scan excludes only vectors that are certainly not near enough.

use super::vectors::Scale;

/// The number of levels above zero, and below it.
const LEVELS: f32 = 7.0;
/// Added to a level, so that it is never negative.
const OFFSET: i32 = 8;
/// Bytes that are processed together; each has a dimension in its lower half, and the dimension 32 later in its upper
/// half.
const BLOCK: usize = 32;
/// The number of blocks whose products fit in 16 bits: each adds at most 2 · 2 · 15 · 127 to a sum.
const BLOCKS_IN_16_BITS: usize = 4;
/// The share of the largest value that the levels cover. Clipping the largest value may reduce the total error; the best
/// share is chosen for each vector.
const RANGES: [f32; 6] = [1.0, 0.85, 0.72, 0.61, 0.52, 0.44];

/// The rows of a vector matrix, in four bits.
#[derive(Debug)]
pub(super) struct Nibbles {
    blocks_of_row: usize,
    blocks: Vec<[u8; BLOCK]>,
    scales: Vec<Scale>,
}

impl Nibbles {
    pub(super) fn new(dimensions: usize) -> Self {
        let blocks_of_row = dimensions.div_ceil(2 * BLOCK);
        Self { blocks_of_row, blocks: Vec::new(), scales: Vec::new() }
    }

    /// Adds a vector of length 1. Inlined, so that it is compiled for the same instruction set as its caller.
    #[expect(clippy::inline_always, reason = "see above")]
    #[inline(always)]
    pub(super) fn push(&mut self, unit: &[f32]) {
        let largest = unit.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        let scales = RANGES.map(|range| {
            let step = largest * range / LEVELS;
            Scale { step, residual: residual(unit, step) }
        });
        let best = scales.into_iter().min_by(|a, b| a.residual.total_cmp(&b.residual));
        let Some(scale) = best else { return };
        for dimensions in unit.chunks(2 * BLOCK) {
            let mut levels = [0.0; 2 * BLOCK];
            for (at, x) in levels.iter_mut().zip(dimensions) {
                *at = level(*x, scale.step);
            }
            #[expect(clippy::cast_possible_truncation, reason = "a level")]
            let nibble = |at: usize| (levels[at] as i32 + OFFSET).unsigned_abs() as u8;
            self.blocks.push(std::array::from_fn(|at| nibble(at) | nibble(at + BLOCK) << 4));
        }
        self.scales.push(scale);
    }

    /// Adds a row of another matrix.
    pub(super) fn push_row(&mut self, other: &Self, row: usize) {
        self.blocks.extend_from_slice(other.blocks_of(row));
        self.scales.push(other.scales[row]);
    }

    #[inline]
    fn blocks_of(&self, row: usize) -> &[[u8; BLOCK]] {
        &self.blocks[row * self.blocks_of_row..(row + 1) * self.blocks_of_row]
    }

    pub(super) fn bytes(&self) -> usize {
        self.blocks.capacity() * BLOCK + self.scales.capacity() * size_of::<Scale>()
    }

    /// Calls `report` with the cosine of each of `rows` with the query, and its maximum error.
    pub(super) fn scan(
        &self,
        query: &NibbleQuery,
        rows: impl Iterator<Item = usize>,
        report: impl FnMut(usize, f32, f32),
    ) {
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = pulp::x86::V3::try_new() {
            return simd.vectorize(Scan { nibbles: self, query, rows, report, with: simd });
        }
        pulp::Arch::new().dispatch(Scan { nibbles: self, query, rows, report, with: Portable });
    }
}

#[expect(clippy::inline_always, reason = "see [`Nibbles::push`]")]
#[inline(always)]
fn level(x: f32, step: f32) -> f32 {
    (x / step).round().clamp(-LEVELS, LEVELS)
}

/// The length of the quantisation error. It sums in lanes of fixed order, so the result is the same on every machine.
#[expect(clippy::inline_always, reason = "see [`Nibbles::push`]")]
#[inline(always)]
fn residual(unit: &[f32], step: f32) -> f32 {
    let square = |x: f32| {
        let rest = x - level(x, step) * step;
        rest * rest
    };
    let mut lanes = [0.0_f32; 8];
    let (eights, rest) = unit.as_chunks::<8>();
    for eight in eights {
        for at in 0..8 {
            lanes[at] += square(eight[at]);
        }
    }
    for (lane, x) in lanes.iter_mut().zip(rest) {
        *lane += square(*x);
    }
    lanes.iter().sum::<f32>().sqrt()
}

/// A query, quantised to eight bits, in the order of the blocks.
pub(super) struct NibbleQuery {
    /// Two for each block: for the lower halves and for the upper ones.
    units: Vec<[i8; BLOCK]>,
    /// The contribution of a row's offsets to every product.
    offset: i32,
    scale: Scale,
}

impl NibbleQuery {
    pub(super) fn of(unit: &[f32]) -> Self {
        let largest = unit.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        let step = largest / 127.0;
        let whole = |x: &f32| (x / step).round().clamp(-127.0, 127.0);
        let residual: f32 = unit.iter().map(|x| (x - whole(x) * step).powi(2)).sum();
        let mut units: Vec<[i8; BLOCK]> = unit
            .chunks(BLOCK)
            .map(|dimensions| {
                #[expect(clippy::cast_possible_truncation, reason = "at most 127")]
                let at = |at: usize| dimensions.get(at).map_or(0, |x| whole(x) as i8);
                std::array::from_fn(at)
            })
            .collect();
        units.resize(unit.len().div_ceil(2 * BLOCK) * 2, [0; BLOCK]);
        let offset = OFFSET * units.iter().flatten().map(|unit| i32::from(*unit)).sum::<i32>();
        Self { units, offset, scale: Scale { step, residual: residual.sqrt() } }
    }
}

/// The scan as a value for [`pulp`], which runs it with the machine's instruction set. Only code that is inlined into it is
/// compiled for that instruction set.
struct Scan<'a, R, T, M> {
    nibbles: &'a Nibbles,
    query: &'a NibbleQuery,
    rows: R,
    report: T,
    with: M,
}

impl<R: Iterator<Item = usize>, T: FnMut(usize, f32, f32), M: Multiply> pulp::NullaryFnOnce
    for Scan<'_, R, T, M>
{
    type Output = ();

    #[expect(clippy::inline_always, reason = "see above")]
    #[inline(always)]
    fn call(self) {
        let Self { nibbles, query, rows, mut report, with } = self;
        for row in rows {
            let product = with.product(&query.units, nibbles.blocks_of(row)) - query.offset;
            let (cosine, error) = query.scale.cosine(product, nibbles.scales[row]);
            report(row, cosine, error);
        }
    }
}

/// Computes a dot product. Integer sums do not depend on the order.
trait Multiply: Copy {
    fn product(self, query: &[[i8; BLOCK]], row: &[[u8; BLOCK]]) -> i32;
}

#[derive(Clone, Copy)]
struct Portable;

impl Multiply for Portable {
    #[expect(clippy::inline_always, reason = "see [`Scan`]")]
    #[inline(always)]
    fn product(self, query: &[[i8; BLOCK]], row: &[[u8; BLOCK]]) -> i32 {
        let mut sum = 0;
        for ([lower, upper], bytes) in query.as_chunks::<2>().0.iter().zip(row) {
            for at in 0..BLOCK {
                sum += i32::from(lower[at]) * i32::from(bytes[at] & 15);
                sum += i32::from(upper[at]) * i32::from(bytes[at] >> 4);
            }
        }
        sum
    }
}

#[cfg(target_arch = "x86_64")]
impl Multiply for pulp::x86::V3 {
    #[expect(clippy::inline_always, reason = "see [`Scan`]")]
    #[inline(always)]
    fn product(self, query: &[[i8; BLOCK]], row: &[[u8; BLOCK]]) -> i32 {
        let (avx, avx2) = (self.avx, self.avx2);
        let (lower_halves, ones) = (avx._mm256_set1_epi8(15), avx._mm256_set1_epi16(1));
        let mut sum = avx._mm256_setzero_si256();
        let query = query.as_chunks::<2>().0;
        for (query, row) in query.chunks(BLOCKS_IN_16_BITS).zip(row.chunks(BLOCKS_IN_16_BITS)) {
            let mut part = avx._mm256_setzero_si256();
            for ([lower, upper], bytes) in query.iter().zip(row) {
                let bytes = pulp::cast(*bytes);
                let low = avx2._mm256_and_si256(bytes, lower_halves);
                let high = avx2._mm256_srli_epi16::<4>(bytes);
                let high = avx2._mm256_and_si256(high, lower_halves);
                let low = avx2._mm256_maddubs_epi16(low, pulp::cast(*lower));
                let high = avx2._mm256_maddubs_epi16(high, pulp::cast(*upper));
                part = avx2._mm256_add_epi16(part, avx2._mm256_add_epi16(low, high));
            }
            sum = avx2._mm256_add_epi32(sum, avx2._mm256_madd_epi16(part, ones));
        }
        let lanes: [i32; 8] = pulp::cast(sum);
        lanes.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::vectors::{noise, normalised};
    use super::*;

    /// Tests numbers of dimensions around the block size, and sums that fill 16 bits several times.
    #[test]
    fn the_error_of_a_scan_is_within_its_bound() {
        for dimensions in [1, 2, 31, 32, 33, 63, 64, 65, 128, 384, 1000] {
            let mut next = noise(3);
            let mut vector = || (0..dimensions).map(|_| next()).collect::<Vec<f32>>();
            let mut nibbles = Nibbles::new(dimensions);
            let units: Vec<Vec<f32>> = (0..20).filter_map(|_| normalised(&vector())).collect();
            for unit in &units {
                nibbles.push(unit);
            }
            for query in units.iter().take(4) {
                nibbles.scan(&NibbleQuery::of(query), 0..units.len(), |row, cosine, error| {
                    let exact: f32 = query.iter().zip(&units[row]).map(|(a, b)| a * b).sum();
                    assert!((cosine - exact).abs() <= error, "{dimensions}: {cosine} for {exact}");
                });
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn all_instruction_sets_give_the_same_sums() {
        let Some(simd) = pulp::x86::V3::try_new() else { return };
        // The largest values: 16 bits must not overflow.
        for (query, row) in [(127, 0xff), (-127, 0xff), (-127, 0x1f), (100, 0x3c)] {
            let (query, row) = (vec![[query; BLOCK]; 26], vec![[row; BLOCK]; 13]);
            assert_eq!(simd.product(&query, &row), Portable.product(&query, &row));
        }
    }
}
