//! The end of sessions whose tokens expire: each has its own clock, which lives as long as it does.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::limits;
use crate::upstream::backend_signals::SessionSignals;

/// Ends a session at its time; forgets about it when dropped.
#[derive(Debug)]
pub struct Lapse(JoinHandle<()>);

impl Lapse {
    /// At so many seconds since 1970, whatever the session does then.
    pub fn at(ends: i64, signals: Arc<SessionSignals>) -> Self {
        Self(tokio::spawn(async move {
            // In pieces: the clock of the host may be set, and the host may sleep.
            while let Some(left) = left(ends) {
                sleep(left.min(limits::LAPSE_LOOK_INTERVAL)).await;
            }
            signals.lapse();
        }))
    }
}

impl Drop for Lapse {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// How long until then; none when it is over.
fn left(ends: i64) -> Option<Duration> {
    let ends = UNIX_EPOCH.checked_add(Duration::from_secs(u64::try_from(ends).ok()?))?;
    let left = ends.duration_since(SystemTime::now()).ok()?;
    (!left.is_zero()).then_some(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> i64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        i64::try_from(now.as_secs()).unwrap()
    }

    #[tokio::test]
    async fn a_session_ends_at_its_time_and_not_before() {
        let (over, later, gone) = (Arc::default(), Arc::default(), Arc::default());
        let ended: &Arc<SessionSignals> = &over;
        let _over = Lapse::at(now() - 1, Arc::clone(ended));
        let _later = Lapse::at(now() + 3600, Arc::clone(&later));
        drop(Lapse::at(now() + 1, Arc::clone(&gone)));
        while !ended.ends() {
            sleep(Duration::from_millis(5)).await;
        }
        assert!(ended.has_lapsed() && !later.ends());
        sleep(Duration::from_millis(2_100)).await;
        assert!(!gone.ends() && !later.ends());
        // Beyond any time that there is.
        assert_eq!(left(i64::MIN), None);
        assert!(left(i64::MAX).is_none_or(|time| time > Duration::from_secs(1_000_000)));
    }
}
