//! Enums each variant of which is one word: in columns, in events and in the API.

use thiserror::Error;

/// A word that is none of an enum's.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("'{text}' is no {what}")]
pub struct UnknownWord {
    pub what: &'static str,
    pub text: String,
}

/// Declares such an enum. `what` is what a word of it is called in errors.
macro_rules! words {
    (
        $what:literal
        $(#[$of_enum:meta])*
        pub enum $name:ident {
            $($(#[$of_variant:meta])* $variant:ident = $word:tt),+ $(,)?
        }
    ) => {
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
        )]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        $(#[$of_enum])*
        pub enum $name {
            $($(#[$of_variant])* #[serde(rename = $word)] $variant),+
        }

        impl $name {
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownWord;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let found = Self::ALL.into_iter().find(|word| word.as_str() == text);
                found.ok_or_else(|| $crate::UnknownWord { what: $what, text: text.to_owned() })
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::UnknownWord;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }
    };
}

pub(crate) use words;
