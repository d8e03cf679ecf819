//! `docket types`

use std::path::PathBuf;

use clap::Subcommand;

use super::{IdArg, ServerArgs};

#[derive(Debug, Subcommand)]
pub(crate) enum TypesCommand {
    /// List the document types: the built-in ones and those of your tenant.
    List {
        #[command(flatten)]
        server: ServerArgs,
        /// Print one JSON document instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// Print the definition of a document type as JSON.
    Show {
        /// The name of the type.
        name: String,
        /// A version; by default the current one. 0 is the built-in type.
        #[arg(long, value_name = "N")]
        version: Option<u32>,
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Create a document type, or a new version of one, from a file with its definition.
    ///
    /// The file names the type. A type with the name of a built-in one replaces that one for your tenant. Needs the
    /// role admin.
    Put {
        /// A JSON file with the definition.
        file: PathBuf,
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Stop using a document type of your tenant. A built-in type of the same name is used again.
    ///
    /// Its versions stay readable, because results name them. Needs the role admin.
    Withdraw {
        /// The name of the type.
        name: String,
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Try a document type on a document, and store nothing.
    ///
    /// Prints the fields that the type extracts from the pages of the document, its checks, and the values that its schema does
    /// not allow. Needs the role admin.
    Try {
        /// The name of the type, or auto to see which type Docket recognises.
        name: String,
        /// The id of a document.
        document: IdArg,
        /// A JSON file with a definition to try instead of the stored one.
        #[arg(long, value_name = "FILE")]
        definition: Option<PathBuf>,
        #[command(flatten)]
        server: ServerArgs,
        /// Print one JSON document instead of tables.
        #[arg(long)]
        json: bool,
    },
    /// Check a file with the definition of a document type; needs no server.
    ///
    /// Prints each problem with its place in the definition. Exits with 1 when there is one.
    Check {
        /// A JSON file with the definition.
        file: PathBuf,
    },
}
