//! Whose cancel is sent next: a bounded number is under way at once, those of one client fewer, and
//! the clients that wait take turns, so that one client's hundred leave the next place to another's
//! only one.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use blake3::Hash;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::limits;

/// The places of cancels that are under way.
#[derive(Default)]
pub(in crate::upstream) struct CancelSlots {
    state: Mutex<CancelSlotsState>,
}

/// A place. It goes on to whoever is next.
pub(in crate::upstream) struct CancelSlot {
    turns: Arc<CancelSlots>,
    client: Hash,
}

/// There is no place, and was none for too long or too many wait for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::upstream) struct CancelQueueFull;

#[derive(Default)]
struct CancelSlotsState {
    running: usize,
    waiting: usize,
    clients: HashMap<Hash, CancelClient>,
    /// Clients that have somebody waiting, the next one first.
    order: VecDeque<Hash>,
}

#[derive(Default)]
struct CancelClient {
    running: usize,
    waiting: VecDeque<oneshot::Sender<()>>,
}

/// Somebody who waits for a place.
struct WaitingCancel {
    handed: oneshot::Receiver<()>,
    turns: Arc<CancelSlots>,
    client: Hash,
}

impl CancelSlots {
    /// A place for a cancel of this client, when it is its turn. May be cancelled.
    pub(in crate::upstream) async fn take(
        self: &Arc<Self>,
        client: &Hash,
    ) -> Result<CancelSlot, CancelQueueFull> {
        let handed = {
            let mut state = self.state();
            if state.may_begin(client) {
                state.begins(client);
                return Ok(self.turn(client));
            }
            state.waits(client)?
        };
        let mut waiting = WaitingCancel {
            handed,
            turns: Arc::clone(self),
            client: *client,
        };
        match timeout(limits::CANCEL_TURN_TIME_MAX, &mut waiting.handed).await {
            Ok(Ok(())) => Ok(self.turn(client)),
            Ok(Err(_)) | Err(_) => Err(CancelQueueFull),
        }
    }

    fn turn(self: &Arc<Self>, client: &Hash) -> CancelSlot {
        CancelSlot {
            turns: Arc::clone(self),
            client: *client,
        }
    }

    fn release(&self, client: &Hash) {
        let mut state = self.state();
        state.ends(client);
        state.hand_on();
    }

    /// The counts are whole after every step, so a panic elsewhere does not spoil them.
    fn state(&self) -> MutexGuard<'_, CancelSlotsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CancelSlotsState {
    fn may_begin(&self, client: &Hash) -> bool {
        let own = self.clients.get(client);
        self.running < limits::CANCELS_MAX
            && own.is_none_or(|own| {
                own.running < limits::CANCELS_OF_CLIENT_MAX && own.waiting.is_empty()
            })
    }

    fn begins(&mut self, client: &Hash) {
        self.running += 1;
        self.clients.entry(*client).or_default().running += 1;
    }

    fn ends(&mut self, client: &Hash) {
        self.running = self.running.saturating_sub(1);
        if let Some(own) = self.clients.get_mut(client) {
            own.running = own.running.saturating_sub(1);
            if own.running == 0 && own.waiting.is_empty() {
                self.clients.remove(client);
            }
        }
    }

    fn waits(&mut self, client: &Hash) -> Result<oneshot::Receiver<()>, CancelQueueFull> {
        let own = self.clients.entry(*client).or_default();
        if self.waiting >= limits::CANCELS_WAITING_MAX
            || own.waiting.len() >= limits::CANCELS_WAITING_OF_CLIENT_MAX
        {
            return Err(CancelQueueFull);
        }
        if own.waiting.is_empty() {
            self.order.push_back(*client);
        }
        let (sender, handed) = oneshot::channel();
        own.waiting.push_back(sender);
        self.waiting += 1;
        Ok(handed)
    }

    /// Gives free places to those who wait, to each client one in turn.
    fn hand_on(&mut self) {
        let mut passed_over = 0;
        // Each round takes one out of the queues, or passes one client over; when all have been
        // passed over in a row, nobody can be given anything.
        while self.running < limits::CANCELS_MAX && passed_over < self.order.len() {
            let Some(client) = self.order.pop_front() else {
                return;
            };
            let own = self.clients.entry(client).or_default();
            if own.running >= limits::CANCELS_OF_CLIENT_MAX {
                self.order.push_back(client);
                passed_over += 1;
                continue;
            }
            passed_over = 0;
            let next = own.waiting.pop_front();
            self.waiting = self.waiting.saturating_sub(1);
            if !own.waiting.is_empty() {
                self.order.push_back(client);
            }
            // Whoever gave up waiting is not there any more.
            if next.is_some_and(|next| next.send(()).is_ok()) {
                self.begins(&client);
            } else if own.running == 0 && own.waiting.is_empty() {
                self.clients.remove(&client);
            }
        }
    }
}

impl Drop for CancelSlot {
    fn drop(&mut self) {
        self.turns.release(&self.client);
    }
}

impl Drop for WaitingCancel {
    /// A place that was handed over and never taken goes on to the next.
    fn drop(&mut self) {
        self.handed.close();
        if self.handed.try_recv().is_ok() {
            self.turns.release(&self.client);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::Poll;

    use super::*;

    fn name(client: &str) -> Hash {
        blake3::hash(client.as_bytes())
    }

    /// All places that a client gets without waiting.
    async fn fill(turns: &Arc<CancelSlots>, client: &Hash) -> Vec<CancelSlot> {
        let mut held = Vec::new();
        while turns.state().may_begin(client) {
            held.push(turns.take(client).await.unwrap());
        }
        held
    }

    #[tokio::test(start_paused = true)]
    async fn one_client_s_flood_leaves_places_for_others() {
        let turns = Arc::<CancelSlots>::default();
        let held = fill(&turns, &name("flood")).await;
        assert_eq!(held.len(), limits::CANCELS_OF_CLIENT_MAX);
        assert!(held.len() < limits::CANCELS_MAX);
        assert!(turns.take(&name("other")).await.is_ok());
        assert!(matches!(
            turns.take(&name("flood")).await,
            Err(CancelQueueFull)
        ));
        drop(held);
        assert_eq!(turns.state().running, 0);
        assert!(turns.state().clients.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn who_asks_once_is_next_however_many_wait_of_another() {
        let turns = Arc::<CancelSlots>::default();
        let (flood, second, third) = (name("flood"), name("second"), name("third"));
        let mut held = fill(&turns, &flood).await;
        held.extend(fill(&turns, &second).await);
        assert_eq!(held.len(), limits::CANCELS_MAX);
        let order = Arc::<Mutex<Vec<&str>>>::default();
        let mut tasks = Vec::new();
        let flooding = std::iter::repeat_n(("flood", &flood), 200);
        for (label, client) in flooding.chain([("third", &third)]) {
            let (turns, client, order) = (turns.clone(), *client, order.clone());
            tasks.push(tokio::spawn(async move {
                let turn = turns.take(&client).await.unwrap();
                order.lock().unwrap().push(label);
                tokio::task::yield_now().await;
                drop(turn);
            }));
            tokio::task::yield_now().await;
        }
        assert_eq!(turns.state().waiting, 201);
        drop(held);
        for task in tasks {
            task.await.unwrap();
        }
        let order = order.lock().unwrap();
        assert_eq!(order.len(), 201);
        let place = order.iter().position(|label| *label == "third").unwrap();
        assert!(place <= limits::CANCELS_MAX, "came as number {place}");
        assert!(turns.state().clients.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn who_gives_up_leaves_nothing_behind() {
        let turns = Arc::<CancelSlots>::default();
        let client = name("one");
        let mut held = fill(&turns, &client).await;
        // One that was handed a place and is dropped before it looks.
        let mut handed = Box::pin(turns.take(&client));
        assert!(
            std::future::poll_fn(|context| Poll::Ready(handed.as_mut().poll(context)))
                .await
                .is_pending()
        );
        let mut gone = Box::pin(turns.take(&client));
        assert!(
            std::future::poll_fn(|context| Poll::Ready(gone.as_mut().poll(context)))
                .await
                .is_pending()
        );
        drop(gone);
        held.pop();
        drop(handed);
        assert_eq!(turns.state().running, held.len());
        drop(held);
        let state = turns.state();
        assert_eq!((state.running, state.waiting), (0, 0));
        assert!(state.clients.is_empty() && state.order.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn the_queue_has_an_end_for_one_and_for_all() {
        let turns = Arc::<CancelSlots>::default();
        let client = name("one");
        let _held = fill(&turns, &client).await;
        let mut waiting = Vec::new();
        for _ in 0..limits::CANCELS_WAITING_OF_CLIENT_MAX {
            waiting.push(turns.state().waits(&client).unwrap());
        }
        assert!(turns.state().waits(&client).is_err());
        assert!(turns.state().waits(&name("two")).is_ok());
        turns.state().waiting = limits::CANCELS_WAITING_MAX;
        assert!(turns.state().waits(&name("three")).is_err());
    }
}
