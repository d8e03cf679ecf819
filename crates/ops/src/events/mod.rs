//! The events that followers of a tenant receive.

pub(crate) mod follow;
mod reader;

use std::sync::Arc;

use store::Store;

use crate::Access;
use reader::EventReader;

/// The events of a tenant.
pub struct Events {
    store: Store,
    access: Arc<Access>,
    reader: Arc<EventReader>,
}

impl Events {
    pub(crate) fn new(store: Store, access: Arc<Access>) -> Self {
        let reader = EventReader::new(store.clone(), Arc::clone(store.clock()));
        Self { store, access, reader }
    }
}
