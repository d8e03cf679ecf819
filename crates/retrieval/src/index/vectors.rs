//! Exact nearest neighbours, found without reading most of the bytes of the vectors.
//!
//! A vector is normalised and quantised to 16 bits per dimension with its own step, the upper and lower bytes stored
//! separately; and again to four bits ([`super::nibbles`]). A scan of the four bits gives each cosine with a known error: by
//! the Cauchy–Schwarz inequality it is at most the length of the vector's residual (stored with it) plus that of the query.
//! Vectors that cannot be among the nearest even with that error are excluded; for the others the upper bytes are read,
//! which gives a much smaller error; and the few that remain are compared in full. So the result is the same as that of
//! comparing everything in full.
//!
//! Measured at 384 dimensions (`bench-retrieval latency`): 0.6 of the memory of `f32`, an eighth of the bytes read.

use std::collections::HashSet;

use super::best::{Best, Scored};
use super::candidates::Candidates;
use super::lexical::Visibility;
use super::nibbles::{NibbleQuery, Nibbles};
use super::{Chunk, small};

/// All vectors with the same number of dimensions.
#[derive(Debug)]
pub(super) struct VectorMatrix {
    dimensions: usize,
    /// The chunk of each row, ascending; a chunk may have several rows.
    places: Vec<u32>,
    nibbles: Nibbles,
    upper: Vec<i8>,
    lower: Vec<i8>,
    /// The scales of the upper bytes.
    scales: Vec<Scale>,
}

/// The scale of a quantised vector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// The value of one unit.
    pub(super) step: f32,
    /// The length of the quantisation error.
    pub(super) residual: f32,
}

impl Scale {
    /// The cosine of a query of this scale with a row, from the dot product of their integers, and its maximum error.
    #[expect(
        clippy::inline_always,
        reason = "called from loops that are compiled for the machine's instruction set"
    )]
    #[inline(always)]
    pub(super) fn cosine(self, product: i32, row: Self) -> (f32, f32) {
        #[expect(clippy::cast_precision_loss, reason = "ROUNDING allows for it")]
        let cosine = product as f32 * self.step * row.step;
        (cosine, row.residual + self.residual * (1.0 + row.residual) + ROUNDING)
    }
}

/// The largest 16-bit value whose rounded upper byte fits in eight bits.
const LARGEST: f32 = 32_512.0;
/// A margin for rounding errors of the sums, well above the precision of `f32`.
const ROUNDING: f32 = 1e-5;
impl VectorMatrix {
    pub(super) fn new(dimensions: usize) -> Self {
        Self {
            dimensions,
            places: Vec::new(),
            nibbles: Nibbles::new(dimensions),
            upper: Vec::new(),
            lower: Vec::new(),
            scales: Vec::new(),
        }
    }

    /// Adds a vector of a new chunk or of the last one. A zero vector is ignored.
    pub(super) fn push(&mut self, place: u32, vector: &[f32]) {
        let Some(unit) = normalised(vector) else { return };
        self.places.push(place);
        pulp::Arch::new().dispatch(NewRow { matrix: self, unit: &unit });
    }

    /// The positions of the nearest `count` matching chunks.
    pub(super) fn nearest(
        &self,
        vector: &[f32],
        count: usize,
        visibility: &[Visibility],
        chunks: &[Chunk],
    ) -> Vec<u32> {
        let Some(query) = normalised(vector) else { return Vec::new() };
        let query = PreparedQuery {
            nibbles: NibbleQuery::of(&query),
            upper: UpperQuery::of(&query),
            query,
        };
        // The best rows may belong to few chunks: then more rows are considered.
        let mut rows = count;
        loop {
            let best = self.nearest_rows(&query, rows, visibility, chunks);
            let is_all = best.len() < rows;
            let mut seen = HashSet::new();
            let mut places: Vec<u32> =
                best.iter().map(|row| row.place).filter(|place| seen.insert(*place)).collect();
            if is_all || places.len() >= count {
                places.truncate(count);
                return places;
            }
            rows *= 4;
        }
    }

    fn nearest_rows(
        &self,
        prepared: &PreparedQuery,
        count: usize,
        visibility: &[Visibility],
        chunks: &[Chunk],
    ) -> Vec<Scored> {
        // One thread: a second one would save little, and waiting for it is slow on a busy machine.
        let mut coarse = Candidates::for_the_best(count);
        let matching = |row: &usize| visibility[self.places[*row] as usize] == Visibility::Matching;
        let rows = (0..self.scales.len()).filter(matching);
        self.nibbles.scan(&prepared.nibbles, rows, |row, cosine, error| {
            coarse.offer(small(row), cosine - error, cosine + error);
        });
        let scan = UpperScan { matrix: self, query: &prepared.upper, rows: coarse.rows(), count };
        let candidates = pulp::Arch::new().dispatch(scan);
        let mut best = Best::of(count);
        for row in candidates.rows() {
            let row = row as usize;
            let place = self.places[row];
            let score = self.cosine(&prepared.query, row);
            best.offer(Scored { score, chunk_id: chunks[place as usize].id, place });
        }
        best.in_order()
    }

    /// The cosines of chunks with the query, by their nearest part; `None` for a chunk without a vector.
    pub(super) fn similarities(&self, vector: &[f32], places: &[u32]) -> Vec<Option<f32>> {
        let query = normalised(vector);
        let of_place = |place: &u32| {
            let query = query.as_ref()?;
            let first = self.places.partition_point(|other| other < place);
            let rows = (first..self.places.len()).take_while(|row| self.places[*row] == *place);
            rows.map(|row| self.cosine(query, row)).max_by(f32::total_cmp)
        };
        places.iter().map(of_place).collect()
    }

    /// Sums in eight lanes of fixed order, so the result is the same on every machine.
    fn cosine(&self, query: &[f32], row: usize) -> f32 {
        let bytes = row * self.dimensions..(row + 1) * self.dimensions;
        let (upper, lower) = (&self.upper[bytes.clone()], &self.lower[bytes]);
        let mut lanes = [0.0_f32; 8];
        let whole = |upper: i8, lower: i8| f32::from((i16::from(upper) << 8) + i16::from(lower));
        let (query, query_rest) = query.as_chunks::<8>();
        let (upper, upper_rest) = upper.as_chunks::<8>();
        let (lower, lower_rest) = lower.as_chunks::<8>();
        for ((query, upper), lower) in query.iter().zip(upper).zip(lower) {
            for at in 0..8 {
                lanes[at] += query[at] * whole(upper[at], lower[at]);
            }
        }
        for (at, query) in query_rest.iter().enumerate() {
            lanes[at] += query * whole(upper_rest[at], lower_rest[at]);
        }
        (lanes.iter().sum::<f32>() * (self.scales[row].step / 256.0)).clamp(-1.0, 1.0)
    }

    /// Assigns the new positions of chunks and drops rows without one; returns whether any are left.
    pub(super) fn renumber(&mut self, new_place: &[Option<u32>]) -> bool {
        let mut new = Self::new(self.dimensions);
        for (row, place) in self.places.iter().enumerate() {
            if let Some(place) = new_place[*place as usize] {
                let bytes = row * self.dimensions..(row + 1) * self.dimensions;
                new.upper.extend_from_slice(&self.upper[bytes.clone()]);
                new.lower.extend_from_slice(&self.lower[bytes]);
                new.nibbles.push_row(&self.nibbles, row);
                new.places.push(place);
                new.scales.push(self.scales[row]);
            }
        }
        *self = new;
        !self.scales.is_empty()
    }

    pub(super) fn bytes(&self) -> usize {
        self.upper.capacity()
            + self.lower.capacity()
            + self.nibbles.bytes()
            + self.places.capacity() * size_of::<u32>()
            + self.scales.capacity() * size_of::<Scale>()
    }
}

/// Adding a vector, as a value for [`pulp`]: up to a million vectors are loaded at each start.
struct NewRow<'a> {
    matrix: &'a mut VectorMatrix,
    unit: &'a [f32],
}

impl pulp::NullaryFnOnce for NewRow<'_> {
    type Output = ();

    #[expect(
        clippy::inline_always,
        reason = "only inlined code is compiled for the instruction set"
    )]
    #[inline(always)]
    fn call(self) {
        let Self { matrix, unit } = self;
        matrix.nibbles.push(unit);
        let largest = unit.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        let step = largest / LARGEST;
        #[expect(clippy::cast_possible_truncation, reason = "at most LARGEST")]
        let whole = |x: &f32| (x / step).round() as i32;
        let upper = |whole: i32| (whole + 128) >> 8;
        let lower = |whole: i32| whole - (upper(whole) << 8);
        #[expect(clippy::cast_possible_truncation, reason = "a byte each")]
        {
            matrix.upper.extend(unit.iter().map(|x| upper(whole(x)) as i8));
            matrix.lower.extend(unit.iter().map(|x| lower(whole(x)) as i8));
        }
        // Integers, so the order does not matter: at most 16,384 for each dimension.
        let residual: i64 = unit.iter().map(|x| i64::from(lower(whole(x)).pow(2))).sum();
        #[expect(clippy::cast_precision_loss, reason = "ROUNDING allows for it")]
        let residual = (residual as f32).sqrt() * step;
        matrix.scales.push(Scale { step: step * 256.0, residual });
    }
}

/// A normalised query, in all quantisations.
struct PreparedQuery {
    query: Vec<f32>,
    upper: UpperQuery,
    nibbles: NibbleQuery,
}

/// A scan of the upper bytes, as a value for [`pulp`], which runs it with the machine's instruction set. Only code that is
/// inlined into it is compiled for that instruction set.
struct UpperScan<'a, R> {
    matrix: &'a VectorMatrix,
    query: &'a UpperQuery,
    rows: R,
    count: usize,
}

impl<R: Iterator<Item = u32>> pulp::NullaryFnOnce for UpperScan<'_, R> {
    type Output = Candidates;

    #[expect(clippy::inline_always, reason = "see above")]
    #[inline(always)]
    fn call(self) -> Candidates {
        let Self { matrix, query, rows, count } = self;
        let mut candidates = Candidates::for_the_best(count);
        for row in rows {
            let start = row as usize * matrix.dimensions;
            let product = product(&query.units, &matrix.upper[start..start + matrix.dimensions]);
            let (cosine, error) = query.scale.cosine(product, matrix.scales[row as usize]);
            candidates.offer(row, cosine - error, cosine + error);
        }
        candidates
    }
}

/// Integer sums do not depend on the order, so the compiler may vectorise them.
#[expect(clippy::inline_always, reason = "see [`UpperScan`]")]
#[inline(always)]
fn product(query: &[i16], row: &[i8]) -> i32 {
    query.iter().zip(row).map(|(q, r)| i32::from(*q) * i32::from(i16::from(*r))).sum()
}

/// A query, quantised for the upper bytes.
struct UpperQuery {
    units: Vec<i16>,
    scale: Scale,
}

impl UpperQuery {
    fn of(query: &[f32]) -> Self {
        let largest = query.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        // Limited so that the sum of all products fits in 32 bits.
        let dimensions = i32::try_from(query.len().max(1)).unwrap_or(i32::MAX);
        let units = (i32::MAX / 128 / dimensions).clamp(1, 8191);
        #[expect(clippy::cast_precision_loss, reason = "at most 8191")]
        let step = largest / units as f32;
        let mut residual = 0.0_f32;
        let units = query.iter().map(|x| {
            let whole = (x / step).round();
            residual += (x - whole * step) * (x - whole * step);
            #[expect(clippy::cast_possible_truncation, reason = "at most 8191")]
            let whole = whole as i16;
            whole
        });
        let units = units.collect();
        Self { units, scale: Scale { step, residual: residual.sqrt() } }
    }
}

pub(super) fn normalised(vector: &[f32]) -> Option<Vec<f32>> {
    let length = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
    #[expect(clippy::cast_possible_truncation, reason = "the precision of the vector itself")]
    let unit = |x: &f32| (f64::from(*x) / length) as f32;
    (length.is_finite() && length > 0.0).then(|| vector.iter().map(unit).collect())
}

/// Pseudo-random numbers, the same in every run.
#[cfg(test)]
pub(super) fn noise(seed: u32) -> impl FnMut() -> f32 {
    let mut state = u64::from(seed) + 1;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        f32::from(((state >> 48) as u16).cast_signed()) / 32768.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn the_nearest_are_the_same_as_by_full_comparison() {
        let dimensions = 20;
        let rows = 5_000;
        let mut next = noise(7);
        let mut matrix = VectorMatrix::new(dimensions);
        let mut chunks = Vec::new();
        for place in 0..rows {
            let vector: Vec<f32> = (0..dimensions).map(|_| next()).collect();
            matrix.push(small(place), &vector);
            let id = Uuid::from_u128(place as u128);
            chunks.push(Chunk { id, doc: 0, length: 1 });
        }
        let visibility: Vec<Visibility> = (0..rows)
            .map(|n| if n % 3 == 0 { Visibility::Visible } else { Visibility::Matching })
            .collect();
        for _ in 0..5 {
            let query: Vec<f32> = (0..dimensions).map(|_| next()).collect();
            let found = matrix.nearest(&query, 10, &visibility, &chunks);
            let unit = normalised(&query).unwrap();
            let mut all: Vec<Scored> = (0..rows)
                .filter(|row| row % 3 != 0)
                .map(|row| Scored {
                    score: matrix.cosine(&unit, row),
                    chunk_id: chunks[row].id,
                    place: small(row),
                })
                .collect();
            all.sort_by(Scored::best_first);
            let expected: Vec<u32> = all[..10].iter().map(|scored| scored.place).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn sixteen_bits_preserve_the_cosine() {
        let mut next = noise(1);
        let vectors: Vec<Vec<f32>> = (0..50).map(|_| (0..384).map(|_| next()).collect()).collect();
        let mut matrix = VectorMatrix::new(384);
        for (place, vector) in vectors.iter().enumerate() {
            matrix.push(small(place), vector);
        }
        let unit = normalised(&vectors[0]).unwrap();
        for (row, vector) in vectors.iter().enumerate() {
            let exact: f32 =
                normalised(vector).unwrap().iter().zip(&unit).map(|(a, b)| a * b).sum();
            assert!((matrix.cosine(&unit, row) - exact).abs() < 2e-5);
        }
    }

    #[test]
    fn the_similarity_of_a_chunk_is_that_of_its_nearest_part() {
        let mut matrix = VectorMatrix::new(2);
        for (place, vector) in [(0, [0.0, 1.0]), (0, [1.0, 0.0]), (1, [0.6, 0.8]), (2, [-1.0, 0.0])]
        {
            matrix.push(place, &vector);
        }
        let chunk = |number: u128| Chunk { id: Uuid::from_u128(number), doc: 0, length: 1 };
        let chunks: Vec<Chunk> = (0..3).map(chunk).collect();
        let visibility = [Visibility::Matching; 3];
        assert_eq!(matrix.nearest(&[1.0, 0.0], 1, &visibility, &chunks), [0]);
        assert_eq!(matrix.nearest(&[1.0, 0.0], 2, &visibility, &chunks), [0, 1]);
        assert_eq!(matrix.nearest(&[1.0, 0.0], 9, &visibility, &chunks), [0, 1, 2]);
        let near = matrix.similarities(&[1.0, 0.0], &[0, 2]);
        assert_eq!(near, [Some(1.0), Some(-1.0)]);
    }

    #[test]
    fn a_zero_vector_has_no_similarity() {
        let mut matrix = VectorMatrix::new(2);
        matrix.push(0, &[0.0, 0.0]);
        matrix.push(1, &[f32::NAN, 0.0]);
        matrix.push(2, &[0.0, 1.0]);
        assert_eq!(matrix.similarities(&[0.0, 2.0], &[0, 1, 2]), [None, None, Some(1.0)]);
    }
}
