//! A first look at vectors, in four bits per dimension.
//!
//! A scan of these reads half of what one of eight bits reads, and where the machine has AVX2 it multiplies and adds
//! thirty-two of them with one instruction: a quarter of the time or less. What four bits cannot say is known for each
//! vector ([`Scale::left_out`]), so the look rules out only what is certainly not near enough.

use super::vectors::Scale;

/// So many levels above zero, and as many below.
const LEVELS: f32 = 7.0;
/// What is added to a level, so that it is never below zero.
const OFFSET: i32 = 8;
/// Bytes that are looked at together; each has a dimension in its lower half, and one that comes 32 later in its
/// upper half.
const BLOCK: usize = 32;
/// Blocks whose products add up within 16 bits: each adds at most 2 · 2 · 15 · 127 to a sum.
const BLOCKS_IN_16_BITS: usize = 4;
/// How much of the largest number the levels reach to. A step that cuts the largest off may leave out less in all;
/// the best for each vector is taken.
const REACH: [f32; 6] = [1.0, 0.85, 0.72, 0.61, 0.52, 0.44];

/// The rows of a plane, in four bits.
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

    /// Adds a vector of length 1. Inlined, so that it is compiled for the registers its caller is.
    #[expect(clippy::inline_always, reason = "see above")]
    #[inline(always)]
    pub(super) fn push(&mut self, unit: &[f32]) {
        let largest = unit.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        let scales = REACH.map(|reach| {
            let step = largest * reach / LEVELS;
            Scale { step, left_out: left_out(unit, step) }
        });
        let best = scales.into_iter().min_by(|a, b| a.left_out.total_cmp(&b.left_out));
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

    /// Adds a row of another plane.
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

    /// Tells of every row that is wanted its cosine with the query, and by how much that may be wrong.
    pub(super) fn look(
        &self,
        query: &NibbleQuery,
        rows: impl Iterator<Item = usize>,
        tell: impl FnMut(usize, f32, f32),
    ) {
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = pulp::x86::V3::try_new() {
            return simd.vectorize(Look { nibbles: self, query, rows, tell, with: simd });
        }
        pulp::Arch::new().dispatch(Look { nibbles: self, query, rows, tell, with: Anywhere });
    }
}

#[expect(clippy::inline_always, reason = "see [`Nibbles::push`]")]
#[inline(always)]
fn level(x: f32, step: f32) -> f32 {
    (x / step).round().clamp(-LEVELS, LEVELS)
}

/// The length of what the levels do not say. Sums in lanes whose order is fixed: the same on every machine.
#[expect(clippy::inline_always, reason = "see [`Nibbles::push`]")]
#[inline(always)]
fn left_out(unit: &[f32], step: f32) -> f32 {
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

/// A query as whole numbers of a step, in the order of the blocks.
pub(super) struct NibbleQuery {
    /// Two for each block: for the lower halves and for the upper ones.
    units: Vec<[i8; BLOCK]>,
    /// What the offsets of a row add to every product.
    offset: i32,
    scale: Scale,
}

impl NibbleQuery {
    pub(super) fn of(unit: &[f32]) -> Self {
        let largest = unit.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        let step = largest / 127.0;
        let whole = |x: &f32| (x / step).round().clamp(-127.0, 127.0);
        let left_out: f32 = unit.iter().map(|x| (x - whole(x) * step).powi(2)).sum();
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
        Self { units, offset, scale: Scale { step, left_out: left_out.sqrt() } }
    }
}

/// The look as a value, for [`pulp`] to run with the registers that the machine has. What is not inlined into it is
/// not compiled for them.
struct Look<'a, R, T, M> {
    nibbles: &'a Nibbles,
    query: &'a NibbleQuery,
    rows: R,
    tell: T,
    with: M,
}

impl<R: Iterator<Item = usize>, T: FnMut(usize, f32, f32), M: Multiply> pulp::NullaryFnOnce
    for Look<'_, R, T, M>
{
    type Output = ();

    #[expect(clippy::inline_always, reason = "see above")]
    #[inline(always)]
    fn call(self) {
        let Self { nibbles, query, rows, mut tell, with } = self;
        for row in rows {
            let product = with.product(&query.units, nibbles.blocks_of(row)) - query.offset;
            let (cosine, error) = query.scale.cosine(product, nibbles.scales[row]);
            tell(row, cosine, error);
        }
    }
}

/// Multiplies and adds. Whole numbers add up to the same in any order.
trait Multiply: Copy {
    fn product(self, query: &[[i8; BLOCK]], row: &[[u8; BLOCK]]) -> i32;
}

#[derive(Clone, Copy)]
struct Anywhere;

impl Multiply for Anywhere {
    #[expect(clippy::inline_always, reason = "see [`Look`]")]
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
    #[expect(clippy::inline_always, reason = "see [`Look`]")]
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
    use super::super::vectors::{noise, of_length_one};
    use super::*;

    /// At every number of dimensions around that of a block, up to sums that fill 16 bits several times.
    #[test]
    fn a_look_is_wrong_by_no_more_than_it_says() {
        for dimensions in [1, 2, 31, 32, 33, 63, 64, 65, 128, 384, 1000] {
            let mut next = noise(3);
            let mut vector = || (0..dimensions).map(|_| next()).collect::<Vec<f32>>();
            let mut nibbles = Nibbles::new(dimensions);
            let units: Vec<Vec<f32>> = (0..20).filter_map(|_| of_length_one(&vector())).collect();
            for unit in &units {
                nibbles.push(unit);
            }
            for query in units.iter().take(4) {
                nibbles.look(&NibbleQuery::of(query), 0..units.len(), |row, cosine, error| {
                    let exact: f32 = query.iter().zip(&units[row]).map(|(a, b)| a * b).sum();
                    assert!((cosine - exact).abs() <= error, "{dimensions}: {cosine} for {exact}");
                });
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn every_machine_comes_to_the_same_sums() {
        let Some(simd) = pulp::x86::V3::try_new() else { return };
        // The largest that there are: 16 bits must not run over.
        for (query, row) in [(127, 0xff), (-127, 0xff), (-127, 0x1f), (100, 0x3c)] {
            let (query, row) = (vec![[query; BLOCK]; 26], vec![[row; BLOCK]; 13]);
            assert_eq!(simd.product(&query, &row), Anywhere.product(&query, &row));
        }
    }
}
