//! Enums whose variants have one string form: in columns, in events and in the API.

use thiserror::Error;

/// A string that is not a value of an enum.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("'{text}' is not a valid {what}")]
pub struct UnknownValue {
    pub what: &'static str,
    pub text: String,
}

/// Declares such an enum. `what` names its values in errors.
macro_rules! string_enum {
    (
        $what:literal
        $(#[$of_enum:meta])*
        pub enum $name:ident {
            $($(#[$of_variant:meta])* $variant:ident = $string:tt),+ $(,)?
        }
    ) => {
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
        )]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        $(#[$of_enum])*
        pub enum $name {
            $($(#[$of_variant])* #[serde(rename = $string)] $variant),+
        }

        impl $name {
            pub const ALL: [Self; [$($string),+].len()] = [$(Self::$variant),+];

            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $string),+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownValue;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let found = Self::ALL.into_iter().find(|value| value.as_str() == text);
                found.ok_or_else(|| $crate::UnknownValue { what: $what, text: text.to_owned() })
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::UnknownValue;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }
    };
}

pub(crate) use string_enum;
