//! Ids on the command line: in full, or their last digits.

use std::str::FromStr;

use uuid::Uuid;

/// A document, run, batch or job as a user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum IdArg {
    Full(Uuid),
    /// The last hexadecimal digits, in lower case.
    Short(String),
}

impl IdArg {
    /// Fewer digits would rarely name one thing; the server refuses them.
    pub(crate) const FEWEST_DIGITS: usize = 4;
}

impl FromStr for IdArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(id) = Uuid::try_parse(text) {
            return Ok(Self::Full(id));
        }
        let digits: String = text.chars().filter(|c| *c != '-').collect();
        let is_short_id = (Self::FEWEST_DIGITS..32).contains(&digits.len())
            && digits.chars().all(|c| c.is_ascii_hexdigit());
        if is_short_id {
            return Ok(Self::Short(digits.to_ascii_lowercase()));
        }
        Err("give an id as Docket prints it (5921a8f5, or in full with --full-ids), or at least its last 4 digits"
            .to_owned())
    }
}

/// A batch as a user names it: by its name or by its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BatchArg(pub(crate) String);

impl FromStr for BatchArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "" => Err("give the name or the id of a batch".to_owned()),
            name => Ok(Self(name.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn an_id_is_given_in_full_or_by_its_last_digits() {
        let full = "01a1e13b-ba5d-77ed-b170-2bb85921a8f5";
        assert_eq!(full.parse(), Ok(IdArg::Full(Uuid::try_parse(full).unwrap())));
        assert_eq!("5921A8F5".parse(), Ok(IdArg::Short("5921a8f5".to_owned())));
        assert_eq!("b170-2bb85921a8f5".parse(), Ok(IdArg::Short("b1702bb85921a8f5".to_owned())));
    }

    #[test]
    fn what_is_no_id_is_refused_with_what_an_id_looks_like() {
        let cases: [&[&str]; 4] = [
            &["docket", "show", "b1"],
            &["docket", "rerun", "rent.pdf"],
            &["docket", "search", "rent", "--doc", "b1"],
            &["docket", "dlq", "discard", "b1"],
        ];
        for arguments in cases {
            let Err(error) = Cli::try_parse_from(arguments) else { panic!("{arguments:?}") };
            let message = error.to_string();
            assert!(message.contains("give an id as Docket prints it"), "{message}");
        }
    }
}
