//! Syslog receivers, real ones: sockets that a test binds. Every place gets the same lines.

use std::fs;
use std::io::{BufReader, Read};
use std::net::Shutdown;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::net::UnixDatagram;
use std::time::Duration;

use pgsieve::telemetry::Telemetry;
use pgsieve::telemetry::audit::AuditTarget;
use pgsieve::telemetry::labels::StatementOutcome;
use pgsieve::telemetry::log::EventLog;

use crate::telemetry::support::{Place, sample, session, statement, writing_to};

/// The JSON line in a message, whose head is that of RFC 5424.
fn line_of(message: &[u8]) -> String {
    let message = str::from_utf8(message).unwrap();
    let (head, line) = message.split_at(message.find('{').unwrap());
    let words: Vec<&str> = head.split(' ').collect();
    let [priority, time, host, program, pid, kind, data, ""] = words.as_slice() else {
        panic!("{head}");
    };
    assert_eq!(
        (*priority, *program, *kind, *data),
        ("<110>1", "pgsieve", "audit", "-")
    );
    assert_eq!(pid.parse::<u32>().unwrap(), std::process::id());
    assert!(time.parse::<jiff::Timestamp>().is_ok() && !host.is_empty());
    assert!(line.contains(&format!("\"time\":\"{time}\"")));
    line.to_owned()
}

/// A message with its length in front.
fn framed(stream: &mut impl Read) -> Vec<u8> {
    let mut length = String::new();
    loop {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        match byte[0] {
            b' ' => break,
            digit => length.push(char::from(digit)),
        }
    }
    let mut message = vec![0; length.parse().unwrap()];
    stream.read_exact(&mut message).unwrap();
    message
}

#[test]
fn the_file_and_every_receiver_get_the_same_lines() {
    let place = Place::new();
    let (file, socket) = (place.file("audit"), place.file("log"));
    let local = UnixDatagram::bind(&socket).unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut settings = writing_to(&file);
    for target in [
        format!("syslog://{}", socket.display()),
        format!("syslog+udp://{}", udp.local_addr().unwrap()),
        format!("syslog+tcp://{}", tcp.local_addr().unwrap()),
    ] {
        let target = AuditTarget::parse(&target).unwrap();
        settings.audit.targets.push(target);
    }
    let telemetry = Telemetry::start(&settings, EventLog::off()).unwrap();
    let long = "ü".repeat(64);
    let somebody = session().named(&long, &long, &long);
    for _ in 0..5 {
        telemetry.emit(&statement(&somebody, StatementOutcome::Refused));
    }
    assert!(telemetry.flush(Duration::from_secs(5)));
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.lines().count(), 6);
    let mut stream = BufReader::new(tcp.accept().unwrap().0);
    let patience = Some(Duration::from_secs(5));
    local.set_read_timeout(patience).unwrap();
    udp.set_read_timeout(patience).unwrap();
    for line in text.lines() {
        let mut buffer = [0; 65_536];
        let length = local.recv(&mut buffer).unwrap();
        assert_eq!(line_of(&buffer[..length]), line);
        let length = udp.recv(&mut buffer).unwrap();
        assert_eq!(line_of(&buffer[..length]), line);
        assert_eq!(line_of(&framed(&mut stream)), line);
    }
}

#[test]
fn a_receiver_that_comes_back_gets_what_it_has_missed() {
    let place = Place::new();
    let (file, socket) = (place.file("audit"), place.file("log"));
    let mut settings = writing_to(&file);
    let target = AuditTarget::parse(&format!("syslog://{}", socket.display()));
    settings.audit.targets.push(target.unwrap());
    // Nobody is there yet.
    let telemetry = Telemetry::start(&settings, EventLog::off()).unwrap();
    telemetry.emit(&statement(&session(), StatementOutcome::Refused));
    assert!(!telemetry.flush(Duration::from_millis(300)));
    assert!(sample(&telemetry.scrape(), "pgsieve_audit_write_errors_total") > 0.0);
    for round in 0..2 {
        let local = UnixDatagram::bind(&socket).unwrap();
        local
            .set_read_timeout(Some(Duration::from_secs(5)))
            .unwrap();
        assert!(telemetry.flush(Duration::from_secs(10)));
        let mut buffer = [0; 65_536];
        if round == 0 {
            let length = local.recv(&mut buffer).unwrap();
            assert!(line_of(&buffer[..length]).contains("chain_began"));
        }
        let length = local.recv(&mut buffer).unwrap();
        assert!(line_of(&buffer[..length]).contains("\"verdict\":\"refused\""));
        // It goes away and misses a line. A process that another test is just starting may have
        // the socket for a moment longer.
        local.shutdown(Shutdown::Both).unwrap();
        drop(local);
        fs::remove_file(&socket).unwrap();
        telemetry.emit(&statement(&session(), StatementOutcome::Refused));
        assert!(!telemetry.flush(Duration::from_millis(300)));
    }
    // Whoever ends pgsieve now does not wait for ever.
    let start = std::time::Instant::now();
    drop(telemetry);
    assert!(start.elapsed() < Duration::from_secs(8));
}
