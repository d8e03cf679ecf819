//! The wire format of pgvector's `vector`: its length, two zero bytes, then its numbers.

use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{
    PgArgumentBuffer, PgHasArrayType, PgTypeInfo, PgValueFormat, PgValueRef, Postgres,
};
use sqlx::{Decode, Encode, Type};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Vector(pub(crate) Vec<f32>);

impl Type<Postgres> for Vector {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_name("vector")
    }
}

impl PgHasArrayType for Vector {
    fn array_type_info() -> PgTypeInfo {
        PgTypeInfo::with_name("_vector")
    }
}

impl Encode<'_, Postgres> for Vector {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        buffer.extend_from_slice(&u16::try_from(self.0.len())?.to_be_bytes());
        buffer.extend_from_slice(&[0, 0]);
        for number in &self.0 {
            buffer.extend_from_slice(&number.to_be_bytes());
        }
        Ok(IsNull::No)
    }
}

impl Decode<'_, Postgres> for Vector {
    fn decode(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
        if value.format() != PgValueFormat::Binary {
            return Err("a vector must be in binary format".into());
        }
        let bytes = value.as_bytes()?;
        let (length, numbers) = match bytes {
            [high, low, 0, 0, numbers @ ..] => (u16::from_be_bytes([*high, *low]), numbers),
            _ => return Err("a vector must begin with its length".into()),
        };
        let (numbers, rest) = numbers.as_chunks::<4>();
        if numbers.len() != usize::from(length) || !rest.is_empty() {
            return Err("a vector must have as many numbers as its length says".into());
        }
        Ok(Self(numbers.iter().map(|bytes| f32::from_be_bytes(*bytes)).collect()))
    }
}
