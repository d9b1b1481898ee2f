//! postgres-protocol, which every Rust client of Postgres stands on, writes what we read and reads
//! what we write.

use bytes::BytesMut;
use pgsieve::sqlstate;
use pgsieve::wire::backend::TransactionStatus;
use pgsieve::wire::encode::{self, ErrorFields, ErrorSeverity};
use pgsieve::wire::frontend::{FrontendMessage, ParameterOids, StatementOrPortal, password};
use pgsieve::wire::startup::{FirstPacket, ProtocolVersion, cut_first};
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;
use proptest::prelude::*;
use tokio_postgres::fallible_iterator::FallibleIterator;

use crate::wire::samples::{bind, body, read, text, values, wrote};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn query(sql in text()) {
        let theirs = wrote(|out| frontend::query(&sql, out).unwrap());
        let Ok(FrontendMessage::Query(query)) = read(&theirs) else { panic!("a Query") };
        prop_assert_eq!(query.text, &sql);
        prop_assert_eq!(wrote(|out| encode::query(out, &sql).unwrap()), theirs);
    }

    #[test]
    fn parse(name in text(), sql in text(), types in prop::collection::vec(any::<u32>(), 0..5)) {
        let theirs = wrote(|out| frontend::parse(&name, &sql, types.clone(), out).unwrap());
        let Ok(FrontendMessage::Parse(parse)) = read(&theirs) else { panic!("a Parse") };
        prop_assert_eq!((parse.name, parse.text), (&name[..], &sql[..]));
        prop_assert_eq!(parse.parameter_types.iter().collect::<Vec<_>>(), types);
        let ours = wrote(|out| encode::parse(out, &name, &sql, parse.parameter_types).unwrap());
        prop_assert_eq!(ours, theirs);
    }

    #[test]
    fn bound(portal in text(), name in text(), all in any::<bool>(), values in values()) {
        let theirs = bind(&portal, &name, all, &values);
        let Ok(FrontendMessage::Bind(bind)) = read(&theirs) else { panic!("a Bind") };
        prop_assert_eq!((bind.portal, bind.statement), (&portal[..], &name[..]));
        prop_assert_eq!(usize::from(bind.parameters), values.len());
    }

    #[test]
    fn named(name in text(), rows in any::<i32>()) {
        let theirs = wrote(|out| frontend::execute(&name, rows, out).unwrap());
        let Ok(FrontendMessage::Execute(execute)) = read(&theirs) else { panic!("an Execute") };
        prop_assert_eq!((execute.portal, execute.rows_max), (&name[..], rows));
        let theirs = wrote(|out| frontend::describe(b'S', &name, out).unwrap());
        let statement = StatementOrPortal::Statement(&name);
        prop_assert_eq!(read(&theirs), Ok(FrontendMessage::Describe(statement)));
        let theirs = wrote(|out| frontend::close(b'P', &name, out).unwrap());
        let portal = StatementOrPortal::Portal(&name);
        prop_assert_eq!(read(&theirs), Ok(FrontendMessage::Close(portal)));
    }

    #[test]
    fn login(word in text(), data in prop::collection::vec(any::<u8>(), 0..40)) {
        let theirs = wrote(|out| frontend::password_message(word.as_bytes(), out).unwrap());
        prop_assert_eq!(password::password(body(&theirs)), Ok(&word[..]));
        prop_assert_eq!(wrote(|out| encode::password(out, word.as_bytes()).unwrap()), theirs);
        let theirs = wrote(|out| frontend::sasl_response(&data, out).unwrap());
        prop_assert_eq!(password::sasl_response(body(&theirs)), &data[..]);
        prop_assert_eq!(wrote(|out| encode::sasl_response(out, &data).unwrap()), theirs);
        let theirs = wrote(|out| frontend::sasl_initial_response("M", &data, out).unwrap());
        prop_assert_eq!(password::sasl_initial(body(&theirs)), Ok(("M", Some(&data[..]))));
        let ours = wrote(|out| encode::sasl_initial_response(out, "M", Some(&data)).unwrap());
        prop_assert_eq!(ours, theirs);
    }

    #[test]
    fn first_packets(
        user in "[^\0]{1,20}",
        value in text(),
        pid in any::<i32>(),
        key in any::<i32>(),
    ) {
        let pairs = [("user", &user[..]), ("options", &value[..])];
        let theirs = wrote(|out| frontend::startup_message(pairs, out).unwrap());
        let Ok(Some((FirstPacket::Startup(startup), _))) = cut_first(&theirs) else {
            panic!("a StartupMessage")
        };
        prop_assert_eq!(startup.version, ProtocolVersion::V3_0);
        prop_assert_eq!(&startup.parameters[..], &pairs[..]);
        let ours = wrote(|out| encode::startup(out, ProtocolVersion::V3_0, pairs).unwrap());
        prop_assert_eq!(ours, theirs);
        let theirs = wrote(|out| frontend::cancel_request(pid, key, out));
        let secret = &key.to_be_bytes()[..];
        let cancel = FirstPacket::Cancel { pid, secret };
        prop_assert_eq!(cut_first(&theirs), Ok(Some((cancel, 16))));
        prop_assert_eq!(wrote(|out| encode::cancel_request(out, pid, secret).unwrap()), theirs);
    }

    #[test]
    fn errors(
        message in text(),
        hint in prop::option::of(text()),
        position in any::<Option<u32>>(),
    ) {
        let fields = ErrorFields {
            hint: hint.as_deref(),
            position,
            ..ErrorFields::new(ErrorSeverity::Error, sqlstate::READ_ONLY_SQL_TRANSACTION, &message)
        };
        let mut out = BytesMut::new();
        encode::error(&mut out, &fields);
        let Ok(Some(Message::ErrorResponse(theirs))) = Message::parse(&mut out) else {
            panic!("an ErrorResponse")
        };
        let mut expected = vec![(b'S', "ERROR"), (b'V', "ERROR"), (b'C', "25006")];
        expected.push((b'M', &message));
        expected.extend(hint.as_deref().map(|hint| (b'H', hint)));
        let position = position.map(|position| position.to_string());
        expected.extend(position.as_deref().map(|position| (b'P', position)));
        let read = theirs.fields().map(|field| Ok((field.type_(), field.value_bytes().to_vec())));
        let expected: Vec<_> =
            expected.into_iter().map(|(kind, value)| (kind, value.as_bytes().to_vec())).collect();
        prop_assert_eq!(read.collect::<Vec<_>>().unwrap(), expected);
    }
}

#[test]
fn messages_without_fields() {
    assert_eq!(wrote(encode::sync), wrote(frontend::sync));
    assert_eq!(wrote(encode::flush), wrote(frontend::flush));
    assert_eq!(wrote(encode::terminate), wrote(frontend::terminate));
    assert_eq!(wrote(encode::ssl_request), wrote(frontend::ssl_request));
    let none = wrote(|out| frontend::parse("", "", [], out).unwrap());
    assert_eq!(
        wrote(|out| encode::parse(out, "", "", ParameterOids::default()).unwrap()),
        none
    );
}

#[test]
fn answers_are_read() {
    let mut out = BytesMut::new();
    encode::authentication_ok(&mut out);
    encode::parameter_status(&mut out, "a", "b").unwrap();
    encode::backend_key_data(&mut out, 7, &9_i32.to_be_bytes()).unwrap();
    encode::command_complete(&mut out, "SELECT 1").unwrap();
    encode::ready_for_query(&mut out, TransactionStatus::Failed);
    assert!(matches!(next(&mut out), Message::AuthenticationOk));
    let Message::ParameterStatus(status) = next(&mut out) else {
        panic!("a ParameterStatus")
    };
    assert_eq!(
        (status.name().unwrap(), status.value().unwrap()),
        ("a", "b")
    );
    let Message::BackendKeyData(key) = next(&mut out) else {
        panic!("a BackendKeyData")
    };
    assert_eq!((key.process_id(), key.secret_key()), (7, 9));
    let Message::CommandComplete(done) = next(&mut out) else {
        panic!("a CommandComplete")
    };
    assert_eq!(done.tag().unwrap(), "SELECT 1");
    let Message::ReadyForQuery(ready) = next(&mut out) else {
        panic!("a ReadyForQuery")
    };
    assert_eq!(ready.status(), b'E');
    assert!(out.is_empty());
}

fn next(out: &mut BytesMut) -> Message {
    Message::parse(out).unwrap().expect("a message")
}
