//! How many prepared statements a connection keeps, and what becomes of those that make room.

use super::client;
use super::named::{batch, pins, prepare, prepared, run};
use super::sizes::stack_with;
use crate::support::frames;
use crate::support::raw::rows;

/// As many as the setting says; who is prepared again runs as before, however few there may be.
#[test]
fn a_connection_keeps_as_many_as_the_setting_says() {
    for most in ["1", "3"] {
        let stack = stack_with(1, &[("PGSIEVE_POOL_MAX_PREPARED_STATEMENTS", most)]);
        let (mut one, mut other) = (client(&stack), client(&stack));
        let count: usize = most.parse().unwrap();
        for number in 0..count {
            prepare(&mut one, &format!("s{number}"), &format!("SELECT {number}"));
        }
        let evictions = || stack.metric("pgsieve_pool_evictions_total");
        assert_eq!(evictions(), 0.0);
        assert_eq!(prepared(&mut other).len(), count);
        prepare(&mut other, "s0", "SELECT 'other'");
        assert_eq!(evictions(), 1.0);
        let left = prepared(&mut other);
        assert_eq!(left.len(), count);
        assert!(!left.contains(&"SELECT 0".to_owned()), "{left:?}");
        for _ in 0..2 {
            for number in 0..count {
                let answer = run(&mut one, &format!("s{number}"));
                assert_eq!(rows(&answer), [number.to_string()]);
            }
            assert_eq!(rows(&run(&mut other, "s0")), ["other"]);
        }
        // What a batch has prepared is there for it, however much that is; then it makes room.
        let parts: Vec<Vec<u8>> = (0..4)
            .map(|number| frames::parse(&format!("b{number}"), &format!("SELECT {number} + 10")))
            .chain((0..4).flat_map(|number| {
                let name = format!("b{number}");
                [frames::bind("", &name, &[], false), frames::execute("", 0)]
            }))
            .collect();
        assert_eq!(rows(&batch(&mut one, &parts)), ["10", "11", "12", "13"]);
        prepare(&mut one, "last", "SELECT 99");
        let left = prepared(&mut other);
        assert!(left.len() <= count, "{left:?}");
        assert!(evictions() > 4.0);
        assert_eq!(pins(&stack), 0.0);
    }
}
