//! The cursors WITH HOLD of a session: how many there are, and how far each has come.
//!
//! The server has one row more of each than its client may get. Where the end of a cursor is seen
//! before that row, the client has all that there is and may go wherever it wants. What counts from
//! an end that nobody has seen, or goes behind that row, waits until the server has said whether
//! the row is there ([`CursorMeasure`]). What would lead to it ends in an error: a client never
//! takes the bound for the end.
//!
//! Names are known by what the server has answered. One that is kept too long costs an error of
//! the server's own, and counts among those that the session has: so it is never forgotten too
//! early.
//! <https://www.postgresql.org/docs/current/sql-fetch.html>

use std::collections::HashMap;
use std::fmt;

use crate::gate::CursorMovement;
use crate::wire::backend::TransactionStatus;

/// The cursors WITH HOLD that the upstream has.
#[derive(Default)]
pub struct HoldableCursors {
    known: HashMap<Box<str>, HoldableCursor>,
}

struct HoldableCursor {
    /// The rows that a client may get; none where nobody counts them.
    rows_max: Option<u64>,
    place: CursorPosition,
    life: CursorLifetime,
}

/// Where a cursor is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum CursorPosition {
    /// On the row of this number, before the first one at 0.
    At(u64),
    /// Its end was seen within the bound: all of it is the client's.
    Ended,
    /// A FETCH that ran from here waits in a portal, which has given some of its rows.
    Paused {
        portal: Box<str>,
        from: u64,
        given: u64,
    },
    /// Somewhere.
    Lost,
}

/// Which run of a portal a FETCH is: one that is done does nothing when it is executed again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchRun<'p> {
    /// The first since its Bind, or that of a Query.
    First(&'p str),
    /// Another.
    Again(&'p str),
}

/// Whether a cursor is there to stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CursorLifetime {
    /// Its transaction is open.
    Open,
    /// Its transaction has failed or was rolled back, or a part of it was.
    Doomed,
    /// Its transaction was committed.
    Kept,
}

/// What is to be asked of a cursor before it goes on: whether it has the row that is no client's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CursorMeasure {
    /// The cursor's name.
    pub name: Box<str>,
    /// The number of that row.
    pub beyond: u64,
    /// The row that it stands on and goes back to; none where what is asked for says where it goes.
    pub back: Option<u64>,
}

/// When a cursor is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeasureMoment {
    /// What moves it is sent next.
    BeforeRun,
    /// What moves it is bound, and anything may be run before it.
    Bound,
}

/// What becomes of a FETCH or MOVE that the upstream has answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchReach {
    /// It stayed within the bound.
    Within,
    /// It came to a row that is not the client's, or to where nobody knows which row it is.
    Beyond {
        /// The rows that are.
        rows_max: u64,
    },
}

impl HoldableCursors {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.known.len()
    }

    /// Whether there is one of this name.
    pub fn has(&self, name: &str) -> bool {
        self.known.contains_key(name)
    }

    /// A DECLARE has succeeded; one without HOLD has its name from then on.
    pub fn declared(&mut self, name: &str, held: Option<Option<u64>>) {
        let Some(rows_max) = held else {
            self.known.remove(name);
            return;
        };
        let cursor = HoldableCursor {
            rows_max,
            place: CursorPosition::At(0),
            life: CursorLifetime::Open,
        };
        self.known.insert(name.into(), cursor);
    }

    /// A cursor was closed.
    pub fn closed(&mut self, name: &str) {
        self.known.remove(name);
    }

    /// All were.
    pub fn closed_all(&mut self) {
        self.known.clear();
    }

    /// A COMMIT has succeeded.
    pub fn committed(&mut self) {
        for cursor in self.known.values_mut() {
            cursor.life = CursorLifetime::Kept;
        }
    }

    /// A ROLLBACK has, or a statement has failed.
    pub fn rolled_back(&mut self) {
        for cursor in self.known.values_mut() {
            if cursor.life == CursorLifetime::Open {
                cursor.life = CursorLifetime::Doomed;
            }
        }
    }

    /// The upstream is ready.
    pub fn ready(&mut self, status: TransactionStatus) {
        if status == TransactionStatus::Idle {
            self.known
                .retain(|_, cursor| cursor.life != CursorLifetime::Doomed);
            self.committed();
        }
    }

    /// The rows that a client may get of a cursor, and how many of them a FETCH may bring; none
    /// where they are not counted, or none of them could be beyond.
    pub fn rows_left(
        &self,
        name: &str,
        way: CursorMovement,
        run: FetchRun<'_>,
    ) -> Option<(u64, u64)> {
        let cursor = self.known.get(name)?;
        let rows_max = cursor.rows_max?;
        let paused = cursor.place.paused(run);
        if matches!((run, paused), (FetchRun::Again(_), None)) {
            return None;
        }
        let left = match (&cursor.place, way) {
            (CursorPosition::Ended, _) | (_, CursorMovement::To(0)) => return None,
            (_, CursorMovement::To(row)) if row > 0 && row.unsigned_abs() <= rows_max => {
                return None;
            }
            (_, CursorMovement::To(_)) => 0,
            // The row that it stands on, once more.
            (CursorPosition::At(_), CursorMovement::Forward(0)) => return None,
            (CursorPosition::At(at), CursorMovement::Forward(_)) => rows_max.saturating_sub(*at),
            (CursorPosition::At(_), CursorMovement::Backward(_)) => return None,
            (CursorPosition::At(at), CursorMovement::By(rows)) => {
                let row = place_by(*at, rows);
                if row <= rows_max { return None } else { 0 }
            }
            (CursorPosition::Paused { .. }, _) if let Some((from, given)) = paused => match way {
                CursorMovement::Forward(_) => rows_max.saturating_sub(from.saturating_add(given)),
                _ => return None,
            },
            (CursorPosition::Paused { .. } | CursorPosition::Lost, _) => 0,
        };
        Some((rows_max, left))
    }

    /// What is to be asked before a cursor goes these ways; nothing where that is known, would
    /// say nothing, or where nobody knows which row it would go back to.
    pub fn measure(
        &self,
        name: &str,
        ways: &[CursorMovement],
        moment: MeasureMoment,
    ) -> Option<CursorMeasure> {
        let cursor = self.known.get(name)?;
        let beyond = cursor.rows_max?.saturating_add(1);
        let at = match cursor.place {
            CursorPosition::At(at) => Some(at),
            CursorPosition::Lost => None,
            CursorPosition::Ended | CursorPosition::Paused { .. } => return None,
        };
        let back = match (moment, ways.first()?) {
            (MeasureMoment::BeforeRun, CursorMovement::To(_)) => None,
            _ => Some(at?),
        };
        let is_behind = |way: &CursorMovement| match *way {
            CursorMovement::To(row) => row < 0 || row.unsigned_abs() > beyond,
            CursorMovement::By(rows) => at.is_some_and(|at| place_by(at, rows) > beyond),
            CursorMovement::Forward(_) | CursorMovement::Backward(_) => false,
        };
        let name = name.into();
        ways.iter()
            .any(is_behind)
            .then_some(CursorMeasure { name, beyond, back })
    }

    /// The server has said of how many rows a cursor is: more than the client may get, or not.
    pub fn measured(&mut self, measure: &CursorMeasure, is_more: bool) {
        if let Some(cursor) = self.known.get_mut(&measure.name) {
            cursor.place = match (is_more, measure.back) {
                (false, _) => CursorPosition::Ended,
                (true, Some(back)) => CursorPosition::At(back),
                (true, None) => CursorPosition::Lost,
            };
        }
    }

    /// A portal has stopped in the middle of what a FETCH brought, behind so many rows.
    pub fn paused(&mut self, name: &str, run: FetchRun<'_>, rows: u64) {
        let Some(cursor) = self.known.get_mut(name) else {
            return;
        };
        let (FetchRun::First(portal) | FetchRun::Again(portal)) = run;
        let paused = |from, given| CursorPosition::Paused {
            portal: portal.into(),
            from,
            given,
        };
        cursor.place = match (&cursor.place, cursor.place.paused(run), run) {
            (CursorPosition::Ended, ..) | (_, None, FetchRun::Again(_)) => return,
            (_, Some((from, given)), _) => paused(from, given.saturating_add(rows)),
            (CursorPosition::At(from), None, FetchRun::First(_)) => paused(*from, rows),
            (CursorPosition::Paused { .. } | CursorPosition::Lost, None, FetchRun::First(_)) => {
                CursorPosition::Lost
            }
        };
    }

    /// Nobody knows how far a cursor has come.
    pub fn lost(&mut self, name: &str) {
        if let Some(cursor) = self.known.get_mut(name)
            && cursor.place != CursorPosition::Ended
        {
            cursor.place = CursorPosition::Lost;
        }
    }

    /// A FETCH or MOVE is done, and its command tag names so many rows.
    pub fn moved(
        &mut self,
        name: &str,
        way: CursorMovement,
        rows: u64,
        run: FetchRun<'_>,
    ) -> FetchReach {
        let Some(cursor) = self.known.get_mut(name) else {
            return FetchReach::Within;
        };
        let Some(rows_max) = cursor.rows_max else {
            return FetchReach::Within;
        };
        // The tag of the last slice has the rows of that slice.
        let (from, rows) = match (&cursor.place, cursor.place.paused(run), run) {
            (CursorPosition::Ended, ..) | (_, None, FetchRun::Again(_)) => {
                return FetchReach::Within;
            }
            (_, Some((from, given)), _) => (Some(from), given.saturating_add(rows)),
            (CursorPosition::At(at), None, FetchRun::First(_)) => (Some(*at), rows),
            (CursorPosition::Paused { .. } | CursorPosition::Lost, None, FetchRun::First(_)) => {
                (None, rows)
            }
        };
        let place = place_after(way, rows, from, rows_max);
        let reach = match place {
            CursorPosition::Lost => FetchReach::Beyond { rows_max },
            CursorPosition::At(_) | CursorPosition::Ended | CursorPosition::Paused { .. } => {
                FetchReach::Within
            }
        };
        cursor.place = place;
        reach
    }
}

impl CursorPosition {
    /// Where a FETCH began that this run goes on with, and how many rows it has given.
    fn paused(&self, run: FetchRun<'_>) -> Option<(u64, u64)> {
        match (self, run) {
            (
                Self::Paused {
                    portal,
                    from,
                    given,
                },
                FetchRun::Again(again),
            ) if **portal == *again => Some((*from, *given)),
            _ => None,
        }
    }
}

/// Where a cursor is that has gone somewhere and found so many rows; lost where a row may have been
/// met that is not the client's.
fn place_after(way: CursorMovement, rows: u64, from: Option<u64>, rows_max: u64) -> CursorPosition {
    match (way, from) {
        (CursorMovement::To(0), _) => CursorPosition::At(0),
        (CursorMovement::To(row), _) if row > 0 => place_on(row.unsigned_abs(), rows, rows_max),
        // From the end: where that many rows are not there, the end is within.
        (CursorMovement::To(row), _)
            if rows == 0 && row.unsigned_abs() <= rows_max.saturating_add(1) =>
        {
            CursorPosition::Ended
        }
        (CursorMovement::To(_), _) | (_, None) => CursorPosition::Lost,
        (
            CursorMovement::Forward(0) | CursorMovement::Backward(0) | CursorMovement::By(0),
            Some(at),
        ) => CursorPosition::At(at),
        (CursorMovement::Forward(wanted), Some(at)) => match at.saturating_add(rows) {
            beyond if beyond > rows_max => CursorPosition::Lost,
            _ if rows < wanted => CursorPosition::Ended,
            reached => CursorPosition::At(reached),
        },
        (CursorMovement::Backward(wanted), Some(_)) if rows < wanted => CursorPosition::At(0),
        (CursorMovement::Backward(_), Some(at)) => CursorPosition::At(at.saturating_sub(rows)),
        (CursorMovement::By(wanted), Some(at)) if wanted > 0 => {
            place_on(place_by(at, wanted), rows, rows_max)
        }
        (CursorMovement::By(_), Some(_)) if rows == 0 => CursorPosition::At(0),
        (CursorMovement::By(wanted), Some(at)) => CursorPosition::At(place_by(at, wanted)),
    }
}

/// Where a cursor is that went for one row and found it or not.
fn place_on(row: u64, found: u64, rows_max: u64) -> CursorPosition {
    match (row <= rows_max, found > 0) {
        (true, true) => CursorPosition::At(row),
        (true, false) => CursorPosition::Ended,
        // The server has that one row more.
        (false, false) if row == rows_max.saturating_add(1) => CursorPosition::Ended,
        (false, _) => CursorPosition::Lost,
    }
}

fn place_by(at: u64, rows: i64) -> u64 {
    at.saturating_add_signed(rows)
}

impl fmt::Debug for HoldableCursors {
    /// Without the names that clients choose.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "HoldableCursors({})", self.known.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cursor as the server has it: so many rows, and where it stands, behind the last one at
    /// one more.
    #[derive(Clone, Copy, Debug)]
    struct ServerCursor {
        rows: u64,
        at: u64,
    }

    impl ServerCursor {
        /// Goes somewhere, and says which rows it met.
        fn go(&mut self, way: CursorMovement) -> Vec<u64> {
            match way {
                CursorMovement::Forward(0)
                | CursorMovement::Backward(0)
                | CursorMovement::By(0) => self.here(),
                CursorMovement::Forward(rows) => {
                    let to = self.at.saturating_add(rows).min(self.rows + 1);
                    let met = (self.at + 1..=to.min(self.rows)).collect();
                    self.at = to;
                    met
                }
                CursorMovement::Backward(rows) => {
                    let to = self.at.saturating_sub(rows);
                    let met = (to.max(1)..self.at).rev().collect();
                    self.at = to;
                    met
                }
                CursorMovement::To(row) if row < 0 => {
                    self.to((self.rows + 1).saturating_add_signed(row))
                }
                CursorMovement::To(row) => self.to(row.unsigned_abs()),
                CursorMovement::By(rows) => self.to(self.at.saturating_add_signed(rows)),
            }
        }

        fn to(&mut self, row: u64) -> Vec<u64> {
            self.at = row.min(self.rows + 1);
            self.here()
        }

        fn here(&self) -> Vec<u64> {
            let is_row = (1..=self.rows).contains(&self.at);
            is_row.then_some(self.at).into_iter().collect()
        }
    }

    const ROWS_MAX: u64 = 2;

    const WAYS: [CursorMovement; 19] = [
        CursorMovement::Forward(1),
        CursorMovement::Forward(2),
        CursorMovement::Forward(3),
        CursorMovement::Forward(0),
        CursorMovement::Forward(u64::MAX),
        CursorMovement::Backward(1),
        CursorMovement::Backward(2),
        CursorMovement::Backward(u64::MAX),
        CursorMovement::To(0),
        CursorMovement::To(1),
        CursorMovement::To(2),
        CursorMovement::To(3),
        CursorMovement::To(4),
        CursorMovement::To(-1),
        CursorMovement::To(-3),
        CursorMovement::To(-4),
        CursorMovement::By(1),
        CursorMovement::By(3),
        CursorMovement::By(-1),
    ];

    /// One FETCH or MOVE; none where it ends in an error.
    fn run(
        own: &mut HoldableCursors,
        server: &mut ServerCursor,
        way: CursorMovement,
        moves: bool,
    ) -> Option<Vec<u64>> {
        if let Some(measure) = own.measure("c", &[way], MeasureMoment::BeforeRun) {
            let is_more = !server
                .go(CursorMovement::To(i64::try_from(measure.beyond).unwrap()))
                .is_empty();
            if let Some(back) = measure.back {
                server.go(CursorMovement::To(i64::try_from(back).unwrap()));
            }
            own.measured(&measure, is_more);
        }
        let met = server.go(way);
        let count = u64::try_from(met.len()).unwrap();
        let left = own
            .rows_left("c", way, FetchRun::First(""))
            .map_or(u64::MAX, |(_, left)| left);
        if !moves && count > left {
            own.lost("c");
            return None;
        }
        match own.moved("c", way, count, FetchRun::First("")) {
            FetchReach::Within => Some(met),
            FetchReach::Beyond { .. } => None,
        }
    }

    /// Every way that three statements can go, over cursors of every size: what is no error is what
    /// the whole result gives, by FETCH and by MOVE.
    #[test]
    fn what_a_client_gets_is_what_the_whole_result_gives() {
        let mut given = 0;
        for rows in 0..6 {
            for number in 0..WAYS.len().pow(3) * 8 {
                let mut own = HoldableCursors::default();
                own.declared("c", Some(Some(ROWS_MAX)));
                let mut server = ServerCursor {
                    rows: rows.min(ROWS_MAX + 1),
                    at: 0,
                };
                let mut whole = ServerCursor { rows, at: 0 };
                let mut steps = number;
                for _ in 0..3 {
                    let (way, moves) = (WAYS[steps / 2 % WAYS.len()], steps % 2 == 1);
                    steps /= WAYS.len() * 2;
                    let truth = whole.go(way);
                    let Some(met) = run(&mut own, &mut server, way, moves) else {
                        assert!(rows > ROWS_MAX, "{rows} rows, case {number}: {way:?}");
                        continue;
                    };
                    assert_eq!(met, truth, "{rows} rows, case {number}: {way:?}");
                    assert!(met.iter().all(|row| *row <= ROWS_MAX), "{met:?}");
                    given += 1;
                }
            }
        }
        assert!(given > 100_000, "{given}");
    }

    /// Where the end was seen within the bound nothing is refused any more.
    #[test]
    fn a_cursor_whose_end_was_seen_is_free() {
        for rows in 0..=ROWS_MAX {
            for end in [
                CursorMovement::Forward(u64::MAX),
                CursorMovement::Forward(3),
                CursorMovement::To(3),
                CursorMovement::By(3),
            ] {
                let mut own = HoldableCursors::default();
                own.declared("c", Some(Some(ROWS_MAX)));
                let mut server = ServerCursor { rows, at: 0 };
                assert!(
                    run(&mut own, &mut server, end, true).is_some(),
                    "{rows} {end:?}"
                );
                for way in WAYS {
                    assert!(
                        run(&mut own, &mut server, way, false).is_some(),
                        "{rows} {way:?}"
                    );
                }
            }
        }
        for end in [
            CursorMovement::Forward(u64::MAX),
            CursorMovement::To(3),
            CursorMovement::By(3),
            CursorMovement::To(-1),
            CursorMovement::To(9),
        ] {
            let mut own = HoldableCursors::default();
            own.declared("c", Some(Some(ROWS_MAX)));
            let mut server = ServerCursor { rows: 3, at: 0 };
            assert!(run(&mut own, &mut server, end, true).is_none(), "{end:?}");
            assert!(run(&mut own, &mut server, CursorMovement::To(2), true).is_some());
        }
    }

    /// What is asked is as little as will do, and the cursor goes back where that is not known.
    #[test]
    fn a_cursor_is_measured_where_it_has_to_be() {
        let mut own = HoldableCursors::default();
        own.declared("c", Some(Some(5)));
        own.moved("c", CursorMovement::Forward(2), 2, FetchRun::First(""));
        let asked =
            |own: &HoldableCursors, ways: &[CursorMovement], moment| own.measure("c", ways, moment);
        let measure = |back| {
            Some(CursorMeasure {
                name: "c".into(),
                beyond: 6,
                back,
            })
        };
        let (now, bound) = (MeasureMoment::BeforeRun, MeasureMoment::Bound);
        for way in [
            CursorMovement::To(-1),
            CursorMovement::To(-9),
            CursorMovement::To(7),
        ] {
            assert_eq!(asked(&own, &[way], now), measure(None), "{way:?}");
            assert_eq!(asked(&own, &[way], bound), measure(Some(2)), "{way:?}");
            let later = [CursorMovement::Forward(1), way];
            assert_eq!(asked(&own, &later, now), measure(Some(2)), "{way:?}");
        }
        assert_eq!(asked(&own, &[CursorMovement::By(5)], now), measure(Some(2)));
        for way in [
            CursorMovement::To(6),
            CursorMovement::To(0),
            CursorMovement::By(4),
            CursorMovement::By(-4),
            CursorMovement::Forward(u64::MAX),
            CursorMovement::Backward(u64::MAX),
        ] {
            assert_eq!(asked(&own, &[way], now), None, "{way:?}");
        }
        let back = measure(Some(2)).unwrap();
        own.measured(&back, true);
        let first = FetchRun::First("");
        assert_eq!(
            own.rows_left("c", CursorMovement::Forward(9), first),
            Some((5, 3))
        );
        own.lost("c");
        assert_eq!(asked(&own, &[CursorMovement::To(-1)], now), measure(None));
        assert_eq!(asked(&own, &[CursorMovement::To(-1)], bound), None);
        assert_eq!(asked(&own, &[CursorMovement::By(9)], now), None);
        own.measured(&back, false);
        assert_eq!(asked(&own, &[CursorMovement::To(-1)], now), None);
        assert_eq!(own.rows_left("c", CursorMovement::To(-1), first), None);
    }

    #[test]
    fn a_portal_may_give_a_fetch_in_slices() {
        let mut own = HoldableCursors::default();
        own.declared("c", Some(Some(5)));
        let (way, first) = (CursorMovement::Forward(9), FetchRun::First("p"));
        own.moved("c", CursorMovement::Forward(1), 1, FetchRun::First(""));
        // What was done is not done again.
        own.moved("c", CursorMovement::Forward(1), 1, FetchRun::Again(""));
        assert_eq!(own.rows_left("c", way, first), Some((5, 4)));
        own.paused("c", first, 3);
        assert_eq!(own.rows_left("c", way, FetchRun::Again("p")), Some((5, 1)));
        assert_eq!(own.rows_left("c", way, FetchRun::Again("q")), None);
        assert_eq!(own.rows_left("c", way, first), Some((5, 0)), "another one");
        assert_eq!(
            own.moved("c", way, 1, FetchRun::Again("p")),
            FetchReach::Within
        );
        let last = CursorMovement::To(-1);
        assert_eq!(
            own.rows_left("c", last, FetchRun::First("")),
            None,
            "the end was seen"
        );
        own.declared("c", Some(Some(5)));
        own.paused("c", FetchRun::First(""), 3);
        assert_eq!(own.rows_left("c", way, FetchRun::First("")), Some((5, 0)));
        own.paused("c", FetchRun::First(""), 3);
        assert_eq!(
            own.moved("c", way, 4, FetchRun::Again("")),
            FetchReach::Within
        );
    }

    #[test]
    fn cursors_live_as_their_transactions_say() {
        let mut own = HoldableCursors::default();
        let declare = |own: &mut HoldableCursors, name: &str| own.declared(name, Some(None));
        declare(&mut own, "a");
        own.ready(TransactionStatus::InBlock);
        own.rolled_back();
        declare(&mut own, "b");
        assert_eq!(own.count(), 2);
        own.ready(TransactionStatus::Idle);
        assert_eq!(own.count(), 1, "what was declared behind a ROLLBACK stays");
        own.rolled_back();
        own.ready(TransactionStatus::Idle);
        assert_eq!(own.count(), 1, "so does what was there before");
        declare(&mut own, "c");
        own.rolled_back();
        own.committed();
        own.ready(TransactionStatus::Idle);
        assert_eq!(own.count(), 2, "a ROLLBACK TO ends nothing for certain");
        assert_eq!(
            own.rows_left("c", CursorMovement::Forward(1), FetchRun::First("")),
            None
        );
        own.declared("c", None);
        own.closed("b");
        assert_eq!(own.count(), 0);
    }
}
