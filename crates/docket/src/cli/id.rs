//! Ids on the command line.

use uuid::Uuid;

/// A whole id, as Docket prints it. Names and shortened ids are something else, and are told so.
pub(super) fn id(text: &str) -> Result<Uuid, String> {
    Uuid::try_parse(text).map_err(|_| {
        "an id is needed as Docket prints it in full, such as 0199a2c4-7f3a-7cc1-8a52-5d1f0c3b9e21"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use crate::cli::Cli;

    #[test]
    fn what_is_no_id_is_refused_with_what_an_id_looks_like() {
        let cases: [&[&str]; 4] = [
            &["docket", "docs", "--batch", "b1"],
            &["docket", "show", "b1"],
            &["docket", "rerun", "b1"],
            &["docket", "search", "rent", "--doc", "b1"],
        ];
        for arguments in cases {
            let Err(error) = Cli::try_parse_from(arguments) else { panic!("{arguments:?}") };
            let told = error.to_string();
            assert!(told.contains("an id is needed as Docket prints it in full"), "{told}");
            assert!(!told.contains("invalid length"), "{told}");
        }
    }
}
