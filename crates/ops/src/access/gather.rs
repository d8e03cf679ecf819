//! Writes of many callers in few transactions.
//!
//! A transaction has a price of its own, whatever it carries: trips to the database, a commit, a wait
//! for the disk. Writes of one kind that one tenant's callers ask for at the same time share it. Nobody
//! waits for company: the first begins at once, and who comes while it is under way goes with the next.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::{Scope, TenantId};
use store::StoreError;
use tokio::sync::oneshot;
use tokio_util::task::TaskTracker;

/// A write that can share a transaction with others of its kind.
pub(crate) trait SharedWrite: Clone + Send + Sync + 'static {
    /// Where it is written.
    type Place: Send + Sync + 'static;
    type Done: Send + 'static;

    /// Does all of them in one transaction, each with its audit row: one answer for each write.
    fn apply(
        place: &Self::Place,
        writes: Vec<(Scope, Self)>,
    ) -> impl Future<Output = Result<Vec<Self::Done>, StoreError>> + Send;
}

/// Where callers hand in their writes.
#[derive(Debug)]
pub(crate) struct Gather<W: SharedWrite> {
    shared: Arc<Shared<W>>,
    background: TaskTracker,
}

struct Shared<W: SharedWrite> {
    place: W::Place,
    /// A tenant is here exactly while somebody commits for it.
    waiting: Mutex<HashMap<TenantId, Vec<Waiting<W>>>>,
}

struct Waiting<W: SharedWrite> {
    scope: Scope,
    write: W,
    answer: oneshot::Sender<Result<W::Done, StoreError>>,
}

impl<W: SharedWrite> Gather<W> {
    pub(crate) fn new(place: W::Place, background: TaskTracker) -> Self {
        Self { shared: Arc::new(Shared { place, waiting: Mutex::default() }), background }
    }

    /// Returns when the write lasts. Once handed in it happens, whether or not the caller stays.
    pub(crate) async fn write(&self, scope: Scope, write: W) -> Result<W::Done, StoreError> {
        let (answer, answered) = oneshot::channel();
        let tenant_id = scope.tenant_id();
        if let Some(committing) = self.shared.join(tenant_id, Waiting { scope, write, answer }) {
            self.background.spawn(committing.until_nobody_waits());
        }
        answered.await.unwrap_or_else(|_| Err(StoreError::abandoned()))
    }
}

impl<W: SharedWrite> Shared<W> {
    /// Nothing that can panic happens under the lock.
    fn waiting(&self) -> MutexGuard<'_, HashMap<TenantId, Vec<Waiting<W>>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `Some` when nobody commits for this tenant: then whoever asks must.
    fn join(self: &Arc<Self>, tenant_id: TenantId, new: Waiting<W>) -> Option<Committing<W>> {
        match self.waiting().entry(tenant_id) {
            Entry::Occupied(mut others) => {
                others.get_mut().push(new);
                None
            }
            Entry::Vacant(nobody) => {
                nobody.insert(vec![new]);
                Some(Committing { shared: Arc::clone(self), tenant_id, over: false })
            }
        }
    }
}

/// The duty to commit what one tenant's callers wait for.
struct Committing<W: SharedWrite> {
    shared: Arc<Shared<W>>,
    tenant_id: TenantId,
    over: bool,
}

impl<W: SharedWrite> Committing<W> {
    /// The most writes in one transaction.
    const MOST: usize = 256;

    async fn until_nobody_waits(mut self) {
        while let Some(batch) = self.next_batch() {
            self.shared.commit(batch).await;
        }
    }

    /// Seeing that nobody waits and giving up the duty are one step: who comes next takes it up.
    fn next_batch(&mut self) -> Option<Vec<Waiting<W>>> {
        let mut tenants = self.shared.waiting();
        let waiting = tenants.get_mut(&self.tenant_id)?;
        if waiting.is_empty() {
            tenants.remove(&self.tenant_id);
            self.over = true;
            return None;
        }
        let batch = waiting.len().min(Self::MOST);
        Some(waiting.drain(..batch).collect())
    }
}

impl<W: SharedWrite> Drop for Committing<W> {
    /// After a panic, callers must not be left waiting for a commit that never comes.
    fn drop(&mut self) {
        if !self.over {
            self.shared.waiting().remove(&self.tenant_id);
        }
    }
}

impl<W: SharedWrite> Shared<W> {
    async fn commit(&self, batch: Vec<Waiting<W>>) {
        let writes = batch.iter().map(|one| (one.scope.clone(), one.write.clone())).collect();
        match W::apply(&self.place, writes).await {
            Ok(done) => {
                for (one, done) in batch.into_iter().zip(done) {
                    one.tell(Ok(done));
                }
            }
            // One of them is not acceptable: it must not take the others down.
            Err(error) if !error.is_unavailable() && batch.len() > 1 => {
                for one in batch {
                    let alone = vec![(one.scope.clone(), one.write.clone())];
                    let done = W::apply(&self.place, alone).await;
                    one.tell(done.and_then(|done| {
                        done.into_iter().next().ok_or_else(StoreError::abandoned)
                    }));
                }
            }
            Err(error) => {
                for one in batch {
                    one.tell(Err(error.clone()));
                }
            }
        }
    }
}

impl<W: SharedWrite> Waiting<W> {
    /// A caller that went away waits for no answer.
    fn tell(self, done: Result<W::Done, StoreError>) {
        self.answer.send(done).ok();
    }
}

impl<W: SharedWrite> fmt::Debug for Shared<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("tenants", &self.waiting().len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use domain::{Action, Caller};
    use tokio::sync::Semaphore;

    use super::*;

    /// A database that refuses or panics on demand, and opens one transaction for each permit.
    #[derive(Debug)]
    struct Ledger {
        permits: Semaphore,
        transactions: AtomicUsize,
    }

    #[derive(Clone, Debug, PartialEq)]
    enum Number {
        Good(u32),
        Refused,
        Panics,
    }

    impl SharedWrite for Number {
        type Place = Arc<Ledger>;
        type Done = u32;

        async fn apply(
            ledger: &Arc<Ledger>,
            numbers: Vec<(Scope, Self)>,
        ) -> Result<Vec<u32>, StoreError> {
            ledger.permits.acquire().await.unwrap().forget();
            ledger.transactions.fetch_add(1, Ordering::Relaxed);
            let refused =
                || StoreError::NotUnderstood { what: "number", value: "refused".to_owned() };
            numbers
                .into_iter()
                .map(|(_, number)| match number {
                    Self::Good(number) => Ok(number),
                    Self::Refused => Err(refused()),
                    Self::Panics => panic!("as the test wants it"),
                })
                .collect()
        }
    }

    struct Table {
        gather: Arc<Gather<Number>>,
        ledger: Arc<Ledger>,
    }

    type Answer = tokio::task::JoinHandle<Result<u32, StoreError>>;

    impl Table {
        fn new() -> Self {
            let ledger =
                Arc::new(Ledger { permits: Semaphore::new(0), transactions: AtomicUsize::new(0) });
            let gather = Arc::new(Gather::new(Arc::clone(&ledger), TaskTracker::new()));
            Self { gather, ledger }
        }

        /// Hands writes in, one after the other, while no transaction gets through.
        async fn hand_in(
            &self,
            tenant: u128,
            numbers: impl IntoIterator<Item = Number>,
        ) -> Vec<Answer> {
            let tenant_id: TenantId = format!("{tenant:032x}").parse().unwrap();
            let mut answers = Vec::new();
            for number in numbers {
                let scope = Caller::system(tenant_id).permit(Action::ManageApiKeys).unwrap();
                let gather = Arc::clone(&self.gather);
                answers.push(tokio::spawn(async move { gather.write(scope, number).await }));
                // On this one thread, everybody gets as far as they can.
                tokio::task::yield_now().await;
                tokio::task::yield_now().await;
            }
            answers
        }

        fn transactions(&self) -> usize {
            self.ledger.transactions.load(Ordering::Relaxed)
        }
    }

    #[tokio::test]
    async fn who_comes_while_a_transaction_is_under_way_shares_the_next() {
        let table = Table::new();
        let answers = table.hand_in(1, (0..10).map(Number::Good)).await;
        table.ledger.permits.add_permits(10);
        for (number, answer) in (0..).zip(answers) {
            assert_eq!(answer.await.unwrap().unwrap(), number);
        }
        assert_eq!(table.transactions(), 2, "the first alone, the others together");
        assert!(table.gather.shared.waiting().is_empty());
    }

    #[tokio::test]
    async fn tenants_do_not_wait_for_each_other() {
        let table = Table::new();
        let one = table.hand_in(1, [Number::Good(1)]).await;
        let two = table.hand_in(2, [Number::Good(2)]).await;
        table.ledger.permits.add_permits(2);
        for answer in one.into_iter().chain(two) {
            answer.await.unwrap().unwrap();
        }
        assert_eq!(table.transactions(), 2);
    }

    #[tokio::test]
    async fn one_that_is_refused_takes_nobody_down() {
        let table = Table::new();
        let writes = [Number::Good(0), Number::Good(1), Number::Refused, Number::Good(3)];
        let answers = table.hand_in(1, writes).await;
        table.ledger.permits.add_permits(10);
        let mut good = Vec::new();
        for answer in answers {
            good.push(answer.await.unwrap().ok());
        }
        assert_eq!(good, [Some(0), Some(1), None, Some(3)]);
    }

    #[tokio::test]
    async fn a_panic_leaves_nobody_waiting_and_the_next_is_served() {
        let table = Table::new();
        let answers = table.hand_in(1, [Number::Panics, Number::Good(1)]).await;
        table.ledger.permits.add_permits(10);
        for answer in answers {
            assert!(answer.await.unwrap().unwrap_err().is_unavailable());
        }
        let after = table.hand_in(1, [Number::Good(2)]).await;
        for answer in after {
            assert_eq!(answer.await.unwrap().unwrap(), 2);
        }
    }
}
