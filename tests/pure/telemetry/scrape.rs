//! What a scrape shows, and what an event costs.

use std::time::{Duration, Instant};

use pgsieve::gate::{Rule, StatementKind};
use pgsieve::telemetry::Telemetry;
use pgsieve::telemetry::events::{ConnectionClosed, ConnectionOpened, LoginFinished};
use pgsieve::telemetry::labels::{
    ClientTransport, ClosedBecause, LoginMethod, LoginOutcome, StatementOutcome,
};

use crate::telemetry::support::{Place, audit_to, sample, session, statement};

#[test]
fn a_scrape_shows_what_was_emitted() {
    let telemetry = Telemetry::quiet().unwrap();
    let session = session();
    telemetry.emit(&ConnectionOpened {
        session: &session,
        transport: ClientTransport::Tcp,
    });
    telemetry.emit(&LoginFinished {
        session: &session,
        method: LoginMethod::Scram,
        outcome: LoginOutcome::Accepted,
        sqlstate: None,
        duration: Duration::from_millis(5),
    });
    telemetry.emit(&statement(&session, StatementOutcome::Permitted));
    telemetry.emit(&statement(&session, StatementOutcome::Refused));
    let scrape = telemetry.scrape();
    assert_eq!(sample(&scrape, "pgsieve_connections_open"), 1.0);
    assert_eq!(sample(&scrape, "pgsieve_rows_total"), 4.0);
    assert_eq!(sample(&scrape, "pgsieve_gate_seconds_count"), 2.0);
    let rule = Rule::ALL[0].name();
    let kind = StatementKind::ALL[0].name();
    for line in [
        "pgsieve_connections_total{transport=\"tcp\"} 1".to_string(),
        "pgsieve_logins_total{method=\"scram\",outcome=\"accepted\"} 1".to_string(),
        format!("pgsieve_refusals_total{{policy=\"other\",rule=\"{rule}\"}} 1"),
        format!(
            "pgsieve_statements_total{{kind=\"{kind}\",path=\"query\",policy=\"other\",verdict=\"refused\"}} 1"
        ),
        "pgsieve_errors_total{class=\"25\",origin=\"gate\"} 1".to_string(),
        "pgsieve_tripwires_total{wire=\"write_tag\"} 0".to_string(),
    ] {
        assert!(
            scrape.lines().any(|have| have == line),
            "{line} is missing in\n{scrape}"
        );
    }
    telemetry.emit(&ConnectionClosed {
        session: &session,
        reason: ClosedBecause::Terminate,
        duration: Duration::from_secs(1),
        bytes_in: 10,
        bytes_out: 20,
    });
    let scrape = telemetry.scrape();
    assert_eq!(sample(&scrape, "pgsieve_connections_open"), 0.0);
    assert!(scrape.contains("pgsieve_client_bytes_total{direction=\"out\"} 20"));
}

/// Not a benchmark, a fence: an accidental lookup or allocation storm is an order of magnitude.
#[test]
fn a_statement_event_stays_cheap() {
    let place = Place::new();
    let session = session();
    for telemetry in [Telemetry::quiet().unwrap(), audit_to(&place.file("audit"))] {
        let event = statement(&session, StatementOutcome::Permitted);
        let rounds = 5_000;
        for _ in 0..rounds {
            telemetry.emit(&event);
        }
        assert!(telemetry.flush(Duration::from_secs(5)));
        let start = Instant::now();
        for _ in 0..rounds {
            telemetry.emit(&event);
        }
        let each = start.elapsed() / rounds;
        println!("emit(StatementFinished): {each:?}");
        // Optimised it takes 3.
        let bound = Duration::from_micros(100);
        assert!(each < bound, "{each:?}");
    }
}
