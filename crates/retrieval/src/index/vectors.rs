//! Exactly the nearest vectors, found without reading most of their bytes.
//!
//! A vector is brought to length 1 and kept in 16 bits per dimension, as multiples of its own step, the upper and lower
//! bytes apart; and once more in four bits ([`super::nibbles`]). A scan of the four bits gives each cosine up to an error
//! that is known, since by Cauchy and Schwarz it is at most the length of what was left out (kept with the vector) plus
//! what was rounded off the query. What cannot be among the nearest even with its error in its favour is dropped; of the
//! others the upper bytes are read, with an error that is much smaller; and the few that are left are compared in full. So
//! the result is that of comparing everything in full.
//!
//! Measured at 384 dimensions (`bench-retrieval latency`): 0.6 of the memory of `f32`, an eighth of the bytes read.

use std::collections::HashSet;

use super::best::{Best, Scored};
use super::candidates::Candidates;
use super::lexical::Sight;
use super::nibbles::{NibbleQuery, Nibbles};
use super::{Chunk, small};

/// The vectors of one number of dimensions.
#[derive(Debug)]
pub(super) struct Plane {
    dimensions: usize,
    /// The chunk of each row, ascending; a chunk may have several.
    places: Vec<u32>,
    nibbles: Nibbles,
    upper: Vec<i8>,
    lower: Vec<i8>,
    /// Of the upper bytes.
    scales: Vec<Scale>,
}

/// How whole numbers stand for a vector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// What one unit is worth.
    pub(super) step: f32,
    /// The length of what the whole numbers do not say.
    pub(super) left_out: f32,
}

impl Scale {
    /// The cosine of a query of this scale with a row, by the product of their whole numbers, and by how much it may
    /// be wrong.
    #[expect(
        clippy::inline_always,
        reason = "called from loops that are compiled for the machine's registers"
    )]
    #[inline(always)]
    pub(super) fn cosine(self, product: i32, row: Self) -> (f32, f32) {
        #[expect(clippy::cast_precision_loss, reason = "ROUNDING allows for it")]
        let cosine = product as f32 * self.step * row.step;
        (cosine, row.left_out + self.left_out * (1.0 + row.left_out) + ROUNDING)
    }
}

/// The largest of 16 bits whose upper byte, rounded, still fits into eight.
const LARGEST: f32 = 32_512.0;
/// Rounding of the sums themselves, well above what `f32` loses.
const ROUNDING: f32 = 1e-5;
impl Plane {
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

    /// Adds a vector of a chunk that comes after all others, or of the last one. One without a direction is left out.
    pub(super) fn push(&mut self, place: u32, vector: &[f32]) {
        let Some(unit) = of_length_one(vector) else { return };
        self.places.push(place);
        pulp::Arch::new().dispatch(NewRow { plane: self, unit: &unit });
    }

    /// The places of the nearest `count` chunks that are wanted; some more may be among them only when
    /// they are as near as the last.
    pub(super) fn nearest(
        &self,
        vector: &[f32],
        count: usize,
        sight: &[Sight],
        chunks: &[Chunk],
    ) -> Vec<u32> {
        let Some(query) = of_length_one(vector) else { return Vec::new() };
        let query =
            Asked { nibbles: NibbleQuery::of(&query), upper: UpperQuery::of(&query), query };
        // The best rows may be of few chunks: then more rows are looked at.
        let mut rows = count;
        loop {
            let best = self.nearest_rows(&query, rows, sight, chunks);
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
        asked: &Asked,
        count: usize,
        sight: &[Sight],
        chunks: &[Chunk],
    ) -> Vec<Scored> {
        // One thread: a second one would save little, and waiting for it takes long when others need the cores too.
        let mut roughly = Candidates::for_the_best(count);
        let wanted = |row: &usize| sight[self.places[*row] as usize] == Sight::Wanted;
        let rows = (0..self.scales.len()).filter(wanted);
        self.nibbles.look(&asked.nibbles, rows, |row, cosine, error| {
            roughly.offer(small(row), cosine - error, cosine + error);
        });
        let finer = Finer { plane: self, query: &asked.upper, rows: roughly.rows(), count };
        let candidates = pulp::Arch::new().dispatch(finer);
        let mut best = Best::of(count);
        for row in candidates.rows() {
            let row = row as usize;
            let place = self.places[row];
            let score = self.cosine(&asked.query, row);
            best.offer(Scored { score, chunk_id: chunks[place as usize].id, place });
        }
        best.in_order()
    }

    /// The cosines of chunks with the query, by their nearest parts; `None` for a chunk without a vector.
    pub(super) fn similarities(&self, vector: &[f32], places: &[u32]) -> Vec<Option<f32>> {
        let query = of_length_one(vector);
        let of_place = |place: &u32| {
            let query = query.as_ref()?;
            let first = self.places.partition_point(|other| other < place);
            let rows = (first..self.places.len()).take_while(|row| self.places[*row] == *place);
            rows.map(|row| self.cosine(query, row)).max_by(f32::total_cmp)
        };
        places.iter().map(of_place).collect()
    }

    /// Sums in eight lanes whose order is fixed: the same on every machine.
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

    /// Gives rows the new places of their chunks and drops those without one; says whether any is left.
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

/// A vector to be added, as a value for [`pulp`]: a million of them are read again after each start.
struct NewRow<'a> {
    plane: &'a mut Plane,
    unit: &'a [f32],
}

impl pulp::NullaryFnOnce for NewRow<'_> {
    type Output = ();

    #[expect(
        clippy::inline_always,
        reason = "what is not inlined is not compiled for the registers"
    )]
    #[inline(always)]
    fn call(self) {
        let Self { plane, unit } = self;
        plane.nibbles.push(unit);
        let largest = unit.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        let step = largest / LARGEST;
        #[expect(clippy::cast_possible_truncation, reason = "at most LARGEST")]
        let whole = |x: &f32| (x / step).round() as i32;
        let upper = |whole: i32| (whole + 128) >> 8;
        let lower = |whole: i32| whole - (upper(whole) << 8);
        #[expect(clippy::cast_possible_truncation, reason = "a byte each")]
        {
            plane.upper.extend(unit.iter().map(|x| upper(whole(x)) as i8));
            plane.lower.extend(unit.iter().map(|x| lower(whole(x)) as i8));
        }
        // Whole numbers, so the order does not matter: at most 16,384 for each dimension.
        let left_out: i64 = unit.iter().map(|x| i64::from(lower(whole(x)).pow(2))).sum();
        #[expect(clippy::cast_precision_loss, reason = "ROUNDING allows for it")]
        let left_out = (left_out as f32).sqrt() * step;
        plane.scales.push(Scale { step: step * 256.0, left_out });
    }
}

/// A query of length 1, in all the forms in which it is compared.
struct Asked {
    query: Vec<f32>,
    upper: UpperQuery,
    nibbles: NibbleQuery,
}

/// A look at the upper bytes, as a value for [`pulp`] to run with the widest registers of the machine. What is not
/// inlined into it is not compiled for them.
struct Finer<'a, R> {
    plane: &'a Plane,
    query: &'a UpperQuery,
    rows: R,
    count: usize,
}

impl<R: Iterator<Item = u32>> pulp::NullaryFnOnce for Finer<'_, R> {
    type Output = Candidates;

    #[expect(clippy::inline_always, reason = "see above")]
    #[inline(always)]
    fn call(self) -> Candidates {
        let Self { plane, query, rows, count } = self;
        let mut candidates = Candidates::for_the_best(count);
        for row in rows {
            let start = row as usize * plane.dimensions;
            let product = product(&query.units, &plane.upper[start..start + plane.dimensions]);
            let (cosine, error) = query.scale.cosine(product, plane.scales[row as usize]);
            candidates.offer(row, cosine - error, cosine + error);
        }
        candidates
    }
}

/// Whole numbers add up to the same in any order, so the compiler may add many at once.
#[expect(clippy::inline_always, reason = "see [`Finer`]")]
#[inline(always)]
fn product(query: &[i16], row: &[i8]) -> i32 {
    query.iter().zip(row).map(|(q, r)| i32::from(*q) * i32::from(i16::from(*r))).sum()
}

/// A query as whole numbers of a step, for the upper bytes.
struct UpperQuery {
    units: Vec<i16>,
    scale: Scale,
}

impl UpperQuery {
    fn of(query: &[f32]) -> Self {
        let largest = query.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        // So many units that the sum of all products stays within 32 bits.
        let dimensions = i32::try_from(query.len().max(1)).unwrap_or(i32::MAX);
        let units = (i32::MAX / 128 / dimensions).clamp(1, 8191);
        #[expect(clippy::cast_precision_loss, reason = "at most 8191")]
        let step = largest / units as f32;
        let mut left_out = 0.0_f32;
        let units = query.iter().map(|x| {
            let whole = (x / step).round();
            left_out += (x - whole * step) * (x - whole * step);
            #[expect(clippy::cast_possible_truncation, reason = "at most 8191")]
            let whole = whole as i16;
            whole
        });
        let units = units.collect();
        Self { units, scale: Scale { step, left_out: left_out.sqrt() } }
    }
}

pub(super) fn of_length_one(vector: &[f32]) -> Option<Vec<f32>> {
    let length = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
    #[expect(clippy::cast_possible_truncation, reason = "the precision of the vector itself")]
    let unit = |x: &f32| (f64::from(*x) / length) as f32;
    (length.is_finite() && length > 0.0).then(|| vector.iter().map(unit).collect())
}

/// Numbers that look random and are the same in every run.
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
    fn the_nearest_are_those_of_comparing_everything_in_full() {
        let dimensions = 20;
        let rows = 5_000;
        let mut next = noise(7);
        let mut plane = Plane::new(dimensions);
        let mut chunks = Vec::new();
        for place in 0..rows {
            let vector: Vec<f32> = (0..dimensions).map(|_| next()).collect();
            plane.push(small(place), &vector);
            let id = Uuid::from_u128(place as u128);
            chunks.push(Chunk { id, doc: 0, length: 1 });
        }
        let sight: Vec<Sight> =
            (0..rows).map(|n| if n % 3 == 0 { Sight::Visible } else { Sight::Wanted }).collect();
        for _ in 0..5 {
            let query: Vec<f32> = (0..dimensions).map(|_| next()).collect();
            let found = plane.nearest(&query, 10, &sight, &chunks);
            let unit = of_length_one(&query).unwrap();
            let mut all: Vec<Scored> = (0..rows)
                .filter(|row| row % 3 != 0)
                .map(|row| Scored {
                    score: plane.cosine(&unit, row),
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
    fn sixteen_bits_keep_the_cosine() {
        let mut next = noise(1);
        let vectors: Vec<Vec<f32>> = (0..50).map(|_| (0..384).map(|_| next()).collect()).collect();
        let mut plane = Plane::new(384);
        for (place, vector) in vectors.iter().enumerate() {
            plane.push(small(place), vector);
        }
        let unit = of_length_one(&vectors[0]).unwrap();
        for (row, vector) in vectors.iter().enumerate() {
            let exact: f32 =
                of_length_one(vector).unwrap().iter().zip(&unit).map(|(a, b)| a * b).sum();
            assert!((plane.cosine(&unit, row) - exact).abs() < 2e-5);
        }
    }

    #[test]
    fn a_chunk_is_as_near_as_its_nearest_part() {
        let mut plane = Plane::new(2);
        for (place, vector) in [(0, [0.0, 1.0]), (0, [1.0, 0.0]), (1, [0.6, 0.8]), (2, [-1.0, 0.0])]
        {
            plane.push(place, &vector);
        }
        let chunk = |number: u128| Chunk { id: Uuid::from_u128(number), doc: 0, length: 1 };
        let chunks: Vec<Chunk> = (0..3).map(chunk).collect();
        let sight = [Sight::Wanted; 3];
        assert_eq!(plane.nearest(&[1.0, 0.0], 1, &sight, &chunks), [0]);
        assert_eq!(plane.nearest(&[1.0, 0.0], 2, &sight, &chunks), [0, 1]);
        assert_eq!(plane.nearest(&[1.0, 0.0], 9, &sight, &chunks), [0, 1, 2]);
        let near = plane.similarities(&[1.0, 0.0], &[0, 2]);
        assert_eq!(near, [Some(1.0), Some(-1.0)]);
    }

    #[test]
    fn a_vector_without_direction_is_near_nothing() {
        let mut plane = Plane::new(2);
        plane.push(0, &[0.0, 0.0]);
        plane.push(1, &[f32::NAN, 0.0]);
        plane.push(2, &[0.0, 1.0]);
        assert_eq!(plane.similarities(&[0.0, 2.0], &[0, 1, 2]), [None, None, Some(1.0)]);
    }
}
