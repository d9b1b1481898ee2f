//! Why a TLS handshake failed, as one of few words that can be shown: without addresses, the names
//! in certificates and the peer's own bytes, all of which the library's words may hold.

use std::io;

use rustls::{AlertDescription, CertificateError, Error, InvalidMessage, PeerIncompatible};

use crate::telemetry::labels::TlsFailure;

/// The cause in what a handshake ended with.
pub fn cause(error: &io::Error) -> TlsFailure {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    inner.map_or(TlsFailure::PeerGone, of_library)
}

/// The cause for a person.
pub fn words(failure: TlsFailure) -> &'static str {
    match failure {
        TlsFailure::PeerGone => "the peer went away in the middle of it",
        TlsFailure::NotOffered => "the peer does not offer TLS",
        TlsFailure::NotTls => "what the peer sends is no TLS",
        TlsFailure::NoSharedVersion => "no version of TLS is known to both",
        TlsFailure::NoSharedCipher => "no cipher is known to both",
        TlsFailure::NoSharedProtocol => "the peer does not name postgresql as its protocol",
        TlsFailure::CertificateAbsent => "the peer shows no certificate",
        TlsFailure::CertificateUnknownAuthority => {
            "no known authority vouches for the peer's certificate"
        }
        TlsFailure::CertificateOutOfTime => "the peer's certificate is over or does not hold yet",
        TlsFailure::CertificateOtherHost => "the peer's certificate is for another host",
        TlsFailure::CertificateBad => "the peer's certificate is not good",
        TlsFailure::RefusedUnknownAuthority => {
            "the peer does not know the authority of our certificate"
        }
        TlsFailure::RefusedCertificate => "the peer does not accept our certificate, or wants one",
        TlsFailure::RefusedName => "the peer does not know the name that it was asked for",
        TlsFailure::Refused => "the peer ended it with an alert",
        TlsFailure::Misbehaved => "the peer breaks the rules of TLS",
    }
}

/// The library may learn new errors: what is not known here is a breach of the rules.
fn of_library(error: &Error) -> TlsFailure {
    match error {
        Error::InvalidMessage(
            InvalidMessage::InvalidContentType | InvalidMessage::UnknownProtocolVersion,
        ) => TlsFailure::NotTls,
        Error::PeerIncompatible(incompatible) => of_offer(incompatible),
        Error::NoApplicationProtocol => TlsFailure::NoSharedProtocol,
        Error::NoCertificatesPresented => TlsFailure::CertificateAbsent,
        Error::InvalidCertificate(error) => of_certificate(error),
        Error::AlertReceived(alert) => of_alert(*alert),
        _ => TlsFailure::Misbehaved,
    }
}

fn of_offer(incompatible: &PeerIncompatible) -> TlsFailure {
    match incompatible {
        PeerIncompatible::Tls12NotOffered
        | PeerIncompatible::Tls12NotOfferedOrEnabled
        | PeerIncompatible::Tls13RequiredForQuic
        | PeerIncompatible::SupportedVersionsExtensionRequired
        | PeerIncompatible::ServerDoesNotSupportTls12Or13
        | PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig => TlsFailure::NoSharedVersion,
        _ => TlsFailure::NoSharedCipher,
    }
}

fn of_certificate(error: &CertificateError) -> TlsFailure {
    match error {
        // An authority that was made anew has the old one's name and another key.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            TlsFailure::CertificateUnknownAuthority
        }
        CertificateError::Expired
        | CertificateError::ExpiredContext { .. }
        | CertificateError::NotValidYet
        | CertificateError::NotValidYetContext { .. } => TlsFailure::CertificateOutOfTime,
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            TlsFailure::CertificateOtherHost
        }
        _ => TlsFailure::CertificateBad,
    }
}

fn of_alert(alert: AlertDescription) -> TlsFailure {
    match alert {
        AlertDescription::UnknownCA => TlsFailure::RefusedUnknownAuthority,
        AlertDescription::NoCertificate
        | AlertDescription::BadCertificate
        | AlertDescription::UnsupportedCertificate
        | AlertDescription::CertificateRevoked
        | AlertDescription::CertificateExpired
        | AlertDescription::CertificateUnknown
        | AlertDescription::CertificateRequired
        | AlertDescription::AccessDenied => TlsFailure::RefusedCertificate,
        AlertDescription::ProtocolVersion => TlsFailure::NoSharedVersion,
        AlertDescription::HandshakeFailure | AlertDescription::InsufficientSecurity => {
            TlsFailure::NoSharedCipher
        }
        AlertDescription::NoApplicationProtocol => TlsFailure::NoSharedProtocol,
        AlertDescription::UnrecognisedName => TlsFailure::RefusedName,
        AlertDescription::CloseNotify | AlertDescription::UserCanceled => TlsFailure::PeerGone,
        _ => TlsFailure::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(error: Error, expected: TlsFailure) {
        assert_eq!(cause(&io::Error::other(error)), expected);
    }

    #[test]
    fn each_cause_is_told_from_the_others() {
        use TlsFailure as F;
        check(InvalidMessage::InvalidContentType.into(), F::NotTls);
        check(
            InvalidMessage::HandshakePayloadTooLarge.into(),
            F::Misbehaved,
        );
        check(PeerIncompatible::Tls12NotOffered.into(), F::NoSharedVersion);
        check(
            PeerIncompatible::NoCipherSuitesInCommon.into(),
            F::NoSharedCipher,
        );
        check(Error::NoApplicationProtocol, F::NoSharedProtocol);
        check(Error::NoCertificatesPresented, F::CertificateAbsent);
        check(
            CertificateError::UnknownIssuer.into(),
            F::CertificateUnknownAuthority,
        );
        check(CertificateError::Expired.into(), F::CertificateOutOfTime);
        check(
            CertificateError::NotValidYet.into(),
            F::CertificateOutOfTime,
        );
        check(
            CertificateError::NotValidForName.into(),
            F::CertificateOtherHost,
        );
        check(CertificateError::Revoked.into(), F::CertificateBad);
        for (alert, expected) in [
            (AlertDescription::UnknownCA, F::RefusedUnknownAuthority),
            (AlertDescription::CertificateExpired, F::RefusedCertificate),
            (AlertDescription::CertificateRequired, F::RefusedCertificate),
            (AlertDescription::ProtocolVersion, F::NoSharedVersion),
            (AlertDescription::HandshakeFailure, F::NoSharedCipher),
            (AlertDescription::UnrecognisedName, F::RefusedName),
            (AlertDescription::UserCanceled, F::PeerGone),
            (AlertDescription::InternalError, F::Refused),
        ] {
            check(Error::AlertReceived(alert), expected);
        }
        check(Error::DecryptError, F::Misbehaved);
        let reset = io::Error::from(io::ErrorKind::ConnectionReset);
        assert_eq!(cause(&reset), F::PeerGone);
    }
}
