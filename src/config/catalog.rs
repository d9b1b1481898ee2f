//! The settings of the catalogs: whether they are kept, who loads them, how fresh they are.

use crate::auth::login_secret::LoginSecret;
use crate::config::quantities::duration;
use crate::config::value_reader::{KeyReader, ReadValue};
use crate::limits::{
    CATALOG_AGE_MAX, CATALOG_AGE_MAX_BOUNDS, CATALOG_POLL_INTERVAL, CATALOG_POLL_INTERVAL_BOUNDS,
    CATALOG_REFRESH_INTERVAL, CATALOG_REFRESH_INTERVAL_BOUNDS,
};
use crate::upstream::address::UpstreamSettings;
use crate::upstream::catalog_cache::catalog_account::AccountSetting;
use crate::upstream::catalog_cache::settings::{CatalogCacheSettings, CatalogMode};
use crate::upstream::snapshot::UpstreamAccount;

/// `catalog`.
pub fn catalog(
    reader: &mut KeyReader,
    upstream: Option<&UpstreamSettings>,
) -> Option<CatalogCacheSettings> {
    let mode = reader
        .choice(
            "catalog.mode",
            &[("on", CatalogMode::On), ("off", CatalogMode::Off)],
        )
        .or(CatalogMode::On);
    let account = account(reader, upstream);
    let poll_interval = duration(
        reader,
        "catalog.poll_interval",
        CATALOG_POLL_INTERVAL_BOUNDS,
        CATALOG_POLL_INTERVAL,
    );
    let refresh_interval = duration(
        reader,
        "catalog.refresh_interval",
        CATALOG_REFRESH_INTERVAL_BOUNDS,
        CATALOG_REFRESH_INTERVAL,
    );
    let age_max = duration(
        reader,
        "catalog.age_max",
        CATALOG_AGE_MAX_BOUNDS,
        CATALOG_AGE_MAX,
    );
    if let (Some(poll), Some(age)) = (poll_interval, age_max)
        && age < 2 * poll
    {
        let place = reader.place_of("catalog.age_max");
        reader.note(&place, "must be at least twice catalog.poll_interval");
    }
    Some(CatalogCacheSettings {
        mode: mode?,
        account: account?,
        poll_interval: poll_interval?,
        refresh_interval: refresh_interval?,
        age_max: age_max?,
    })
}

/// `catalog.user` and `catalog.password_file`; without them the account of the URL, if it has one.
fn account(reader: &mut KeyReader, upstream: Option<&UpstreamSettings>) -> Option<AccountSetting> {
    let user = reader.word("catalog.user").optional()?;
    let password = match reader.word("catalog.password_file") {
        ReadValue::Absent => None,
        ReadValue::Wrong => return None,
        ReadValue::Given(word) => Some(reader.secret_in(&word)?),
    };
    match (user, password) {
        (Some(user), password) => Some(AccountSetting::Configured(UpstreamAccount {
            user: user.text,
            secret: password.map(LoginSecret::from),
        })),
        (None, Some(_)) => {
            let place = reader.place_of("catalog.password_file");
            reader.note(
                &place,
                "is the password of catalog.user, which is not given",
            );
            None
        }
        (None, None) => {
            let of_url = upstream.and_then(|upstream| {
                let user = upstream.user.clone()?;
                let secret = upstream.password.clone().map(LoginSecret::from);
                Some(AccountSetting::OfUrl(UpstreamAccount { user, secret }))
            });
            Some(of_url.unwrap_or(AccountSetting::Nobody))
        }
    }
}
