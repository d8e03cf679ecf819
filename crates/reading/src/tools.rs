//! Finds the tools that reading needs: a library, models and a program.
//!
//! Each tool is searched by its own environment variable first, then where the project's scripts install it
//! (`DOCKET_TOOLS`, else `~/.cache/docket/tools`), then in the system's folders. A missing tool affects only the documents
//! that need it.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::pdfium;

/// The models that `scripts/ocr-models` installs.
const MODELS: &str = "ocr/pp-ocrv6-small";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tools {
    /// `libpdfium.so`, for PDF.
    pub pdfium: Option<PathBuf>,
    /// The folder with the second OCR engine's models.
    pub models: Option<PathBuf>,
    pub tesseract: Option<InstalledTesseract>,
}

/// Tesseract, with what it may read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstalledTesseract {
    pub program: PathBuf,
    /// The folder with its language data, unless it is the default.
    pub data: Option<PathBuf>,
    pub readable: Vec<PathBuf>,
    /// For `LD_LIBRARY_PATH`, when the libraries are not in the system's folders.
    pub libraries: Option<OsString>,
}

impl Tools {
    pub fn find() -> Self {
        Self { pdfium: pdfium::find(), models: find_models(), tesseract: find_tesseract() }
    }

    /// The environment that lets a child find the same tools.
    pub fn environment(&self) -> Vec<(OsString, OsString)> {
        let known = [("DOCKET_PDFIUM", &self.pdfium), ("DOCKET_OCR_MODELS", &self.models)];
        let given = |(name, path): (&str, &Option<PathBuf>)| {
            path.as_ref().map(|path| (OsString::from(name), path.clone().into_os_string()))
        };
        known.into_iter().filter_map(given).collect()
    }
}

fn find_models() -> Option<PathBuf> {
    let has_models = |folder: &PathBuf| {
        ["detection.onnx", "recognition.onnx"].iter().all(|file| folder.join(file).is_file())
    };
    if let Some(named) = variable("DOCKET_OCR_MODELS") {
        return Some(PathBuf::from(named)).filter(has_models);
    }
    folder().map(|tools| tools.join(MODELS)).filter(has_models)
}

/// An empty `DOCKET_TESSERACT` disables tesseract.
fn find_tesseract() -> Option<InstalledTesseract> {
    match env::var_os("DOCKET_TESSERACT") {
        Some(named) if named.is_empty() => None,
        Some(named) => installed(PathBuf::from(named)),
        None => {
            let path = env::var_os("PATH").unwrap_or_default();
            env::split_paths(&path)
                .chain(["/usr/bin".into(), "/usr/local/bin".into()])
                .find_map(|folder| installed(folder.join("tesseract")))
        }
    }
}

/// The program itself, or the one that `scripts/need` unpacked: then a script on the path names the program, and its
/// libraries and data are beside it.
fn installed(program: PathBuf) -> Option<InstalledTesseract> {
    let program = program.canonicalize().ok().filter(|file| file.is_file())?;
    let content = std::fs::read(&program).ok()?;
    if content.starts_with(b"\x7fELF") {
        return Some(InstalledTesseract { program, ..InstalledTesseract::default() });
    }
    let script = String::from_utf8(content).ok()?;
    let named = script.split('"').find(|word| word.ends_with("/usr/bin/tesseract"))?;
    let program = PathBuf::from(named).canonicalize().ok()?;
    unpacked(program)
}

fn unpacked(program: PathBuf) -> Option<InstalledTesseract> {
    let root = program.ancestors().nth(3)?.to_owned();
    let folders_in = |folder: &str| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
    };
    let data =
        folders_in("usr/share/tesseract-ocr").into_iter().map(|version| version.join("tessdata"));
    let data = data.into_iter().find(|folder| folder.is_dir());
    let libraries = env::join_paths(
        folders_in("usr/lib").into_iter().chain(folders_in("lib")).chain([root.join("usr/lib")]),
    );
    Some(InstalledTesseract { program, data, readable: vec![root], libraries: libraries.ok() })
}

/// Where the project's scripts install tools.
pub fn folder() -> Option<PathBuf> {
    variable("DOCKET_TOOLS").map(PathBuf::from).or_else(|| {
        let cache = variable("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .or_else(|| Some(Path::new(&variable("HOME")?).join(".cache")))?;
        Some(cache.join("docket").join("tools"))
    })
}

fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}
