//! What the engine takes from the machine.

use std::sync::Arc;

use domain::{Clock, IdGen, Jitter, Random};

#[derive(Clone, Debug)]
pub struct Environment {
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn IdGen>,
    pub random: Arc<dyn Random>,
}

impl Environment {
    pub(crate) fn jitter(&self) -> Jitter {
        let mut bits = [0; 4];
        self.random.fill(&mut bits);
        Jitter::from_bits(u32::from_le_bytes(bits))
    }
}
