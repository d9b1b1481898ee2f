//! pgwire writes what we read, and reads valid messages as we do.

use bytes::{Bytes, BytesMut};
use pgsieve::wire::backend;
use pgsieve::wire::frontend::{FrontendMessage, StatementOrPortal, password};
use pgsieve::wire::startup::{FirstPacket, ProtocolVersion, cut_first};
use pgwire::messages::startup::{Authentication, SecretKey};
use pgwire::messages::{
    DecodeContext, Message, PgWireFrontendMessage, cancel, extendedquery, response, simplequery,
    startup,
};
use proptest::prelude::*;

use crate::wire::samples::{body, message, read, text, values, wrote};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn valid_messages_mean_the_same(bytes in message()) {
        // pgwire does not know FunctionCall.
        prop_assume!(bytes[0] != b'F');
        let theirs = theirs(&bytes).expect("pgwire reads it");
        match (read(&bytes).expect("we read it"), theirs) {
            (FrontendMessage::Query(ours), PgWireFrontendMessage::Query(theirs)) => {
                prop_assert_eq!(ours.text, theirs.query);
            }
            (FrontendMessage::Parse(ours), PgWireFrontendMessage::Parse(theirs)) => {
                prop_assert_eq!(ours.name, theirs.name.unwrap_or_default());
                prop_assert_eq!(ours.text, theirs.query);
                let types: Vec<u32> = ours.parameter_types.iter().collect();
                prop_assert_eq!(types, theirs.type_oids);
            }
            (FrontendMessage::Bind(ours), PgWireFrontendMessage::Bind(theirs)) => {
                prop_assert_eq!(ours.portal, theirs.portal_name.unwrap_or_default());
                prop_assert_eq!(ours.statement, theirs.statement_name.unwrap_or_default());
                prop_assert_eq!(usize::from(ours.parameters), theirs.parameters.len());
            }
            (FrontendMessage::Execute(ours), PgWireFrontendMessage::Execute(theirs)) => {
                prop_assert_eq!(ours.portal, theirs.name.unwrap_or_default());
                prop_assert_eq!(ours.rows_max, theirs.max_rows);
            }
            (FrontendMessage::Describe(ours), PgWireFrontendMessage::Describe(theirs)) => {
                check_target(ours, theirs.target_type, theirs.name);
            }
            (FrontendMessage::Close(ours), PgWireFrontendMessage::Close(theirs)) => {
                check_target(ours, theirs.target_type, theirs.name);
            }
            (FrontendMessage::Flush, PgWireFrontendMessage::Flush(_))
            | (FrontendMessage::Sync, PgWireFrontendMessage::Sync(_))
            | (FrontendMessage::Terminate, PgWireFrontendMessage::Terminate(_))
            | (FrontendMessage::CopyData, PgWireFrontendMessage::CopyData(_))
            | (FrontendMessage::CopyDone, PgWireFrontendMessage::CopyDone(_))
            | (FrontendMessage::CopyFail, PgWireFrontendMessage::CopyFail(_)) => (),
            (ours, _) => panic!("{ours:?} is something else to pgwire"),
        }
    }

    #[test]
    fn what_pgwire_writes_is_read(name in text(), sql in text(), values in values()) {
        let some = (!name.is_empty()).then(|| name.clone());
        let bytes = encoded(&simplequery::Query::new(sql.clone()));
        let Ok(FrontendMessage::Query(query)) = read(&bytes) else { panic!("a Query") };
        prop_assert_eq!(query.text, &sql);
        let bytes = encoded(&extendedquery::Parse::new(some.clone(), sql.clone(), vec![23]));
        let Ok(FrontendMessage::Parse(parse)) = read(&bytes) else { panic!("a Parse") };
        prop_assert_eq!((parse.name, parse.text), (&name[..], &sql[..]));
        let count = values.len();
        let values = values.into_iter().map(|value| value.map(Bytes::from)).collect();
        let bind = extendedquery::Bind::new(some.clone(), some, vec![1], values, vec![0, 1]);
        let bytes = encoded(&bind);
        let Ok(FrontendMessage::Bind(bind)) = read(&bytes) else { panic!("a Bind") };
        prop_assert_eq!((bind.statement, usize::from(bind.parameters)), (&name[..], count));
    }

    #[test]
    fn cancel_requests_of_both_protocols(
        pid in any::<i32>(),
        secret in prop::collection::vec(any::<u8>(), 4..=256),
    ) {
        let key = SecretKey::Bytes(Bytes::from(secret.clone()));
        let bytes = encoded(&cancel::CancelRequest::new(pid, key));
        let cancel = FirstPacket::Cancel { pid, secret: &secret };
        prop_assert_eq!(cut_first(&bytes), Ok(Some((cancel, bytes.len()))));
    }

    #[test]
    fn errors_are_read(fields in prop::collection::vec((1_u8..=127, text()), 0..8)) {
        let bytes = encoded(&response::ErrorResponse::new(fields.clone()));
        let read = backend::error_fields(body(&bytes)).expect("sound");
        let read: Vec<(u8, String)> = read
            .iter()
            .map(|(kind, value)| (kind, String::from_utf8(value.to_vec()).unwrap()))
            .collect();
        prop_assert_eq!(read, fields);
    }
}

#[test]
fn first_packets() {
    let ssl = encoded(&startup::SslRequest::new());
    assert_eq!(cut_first(&ssl), Ok(Some((FirstPacket::Ssl, 8))));
    let gss = encoded(&startup::GssEncRequest::new());
    assert_eq!(cut_first(&gss), Ok(Some((FirstPacket::GssEnc, 8))));
    let mut theirs = startup::Startup::new();
    theirs.protocol_number_minor = 2;
    theirs.parameters.insert("user".to_owned(), "me".to_owned());
    let bytes = encoded(&theirs);
    let Ok(Some((FirstPacket::Startup(ours), _))) = cut_first(&bytes) else {
        panic!("a StartupMessage")
    };
    assert_eq!(
        (ours.version, ours.parameters),
        (ProtocolVersion::V3_2, vec![("user", "me")])
    );
}

#[test]
fn login_messages() {
    let bytes = encoded(&startup::Password::new("pw".to_owned()));
    assert_eq!(password::password(body(&bytes)), Ok("pw"));
    for data in [None, Some(&b"n,,"[..])] {
        let theirs = data.map(Bytes::copy_from_slice);
        let bytes = encoded(&startup::SASLInitialResponse::new("M".to_owned(), theirs));
        assert_eq!(password::sasl_initial(body(&bytes)), Ok(("M", data)));
    }
    for (theirs, ours) in [
        (Authentication::Ok, backend::Authentication::Ok),
        (
            Authentication::CleartextPassword,
            backend::Authentication::CleartextPassword,
        ),
        (
            Authentication::KerberosV5,
            backend::Authentication::Unsupported { code: 2 },
        ),
        (
            Authentication::MD5Password(b"salt".to_vec()),
            backend::Authentication::Md5Password { salt: *b"salt" },
        ),
        (
            Authentication::SASL(vec!["A".to_owned()]),
            backend::Authentication::Sasl(vec!["A"]),
        ),
        (
            Authentication::SASLContinue(Bytes::from_static(b"x")),
            backend::Authentication::SaslContinue(b"x"),
        ),
        (
            Authentication::SASLFinal(Bytes::from_static(b"x")),
            backend::Authentication::SaslFinal(b"x"),
        ),
    ] {
        assert_eq!(backend::authentication(body(&encoded(&theirs))), Ok(ours));
    }
}

#[test]
fn answers() {
    let bytes = encoded(&startup::ParameterStatus::new(
        "a".to_owned(),
        "b".to_owned(),
    ));
    assert_eq!(backend::parameter_status(body(&bytes)), Ok(("a", "b")));
    let bytes = encoded(&startup::BackendKeyData::new(7, SecretKey::I32(9)));
    assert_eq!(
        backend::backend_key_data(body(&bytes)),
        Ok((7, &[0, 0, 0, 9][..]))
    );
    let bytes = encoded(&response::CommandComplete::new("SELECT 1".to_owned()));
    assert_eq!(backend::command_tag(body(&bytes)), Ok("SELECT 1"));
    let options = vec!["_pq_.a".to_owned()];
    let bytes = encoded(&startup::NegotiateProtocolVersion::new(196_610, options));
    let read = backend::negotiate_protocol_version(body(&bytes)).unwrap();
    assert_eq!(
        (read.newest, read.unrecognised),
        (ProtocolVersion::V3_2, vec!["_pq_.a"])
    );
}

fn check_target(ours: StatementOrPortal<'_>, kind: u8, name: Option<String>) {
    let name = name.unwrap_or_default();
    let expected = if kind == b'S' {
        StatementOrPortal::Statement(&name)
    } else {
        StatementOrPortal::Portal(&name)
    };
    assert_eq!(ours, expected);
}

fn encoded(message: &impl Message) -> Vec<u8> {
    wrote(|out| message.encode(out).unwrap())
}

/// The message as pgwire reads it; nothing may be left of it.
fn theirs(bytes: &[u8]) -> Option<PgWireFrontendMessage> {
    let mut context = DecodeContext::default();
    context.awaiting_frontend_ssl = false;
    context.awaiting_frontend_startup = false;
    let mut buffer = BytesMut::from(bytes);
    let message = PgWireFrontendMessage::decode(&mut buffer, &context).ok()?;
    assert!(buffer.is_empty(), "pgwire leaves bytes of a valid message");
    message
}
