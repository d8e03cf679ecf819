//! The embedder, with a memory: questions of one article share many sentences and words.

use std::cell::RefCell;
use std::collections::HashMap;
use std::thread;

use anyhow::{Result, anyhow};
use retrieval::embed::{Embedder, default_folder};

pub(crate) struct Vectors {
    embedder: Embedder,
    known: RefCell<HashMap<String, Vec<f32>>>,
}

impl Vectors {
    pub(crate) fn open() -> Result<Self> {
        let folder = default_folder().ok_or_else(|| {
            anyhow!("SKIPPED: there is no model; scripts/embedding-model gets one")
        })?;
        let threads = thread::available_parallelism().map_or(1, usize::from);
        Ok(Self { embedder: Embedder::open(&folder, threads)?, known: RefCell::default() })
    }

    pub(crate) fn of(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let mut known = self.known.borrow_mut();
        let mut new: Vec<&str> =
            texts.iter().copied().filter(|text| !known.contains_key(*text)).collect();
        new.sort_unstable();
        new.dedup();
        for (text, vector) in new.iter().zip(self.embedder.embed(&new)?) {
            known.insert((*text).to_owned(), vector);
        }
        Ok(texts.iter().map(|text| known[*text].clone()).collect())
    }
}
