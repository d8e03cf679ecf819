//! Key-values: a label and what it names.
use crate::model::Page;

pub(crate) fn find(_page: &mut Page) {}
