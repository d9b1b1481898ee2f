//! How the process ends and where copies of pgsieve count together, as they are compared.

use std::time::Duration;

use super::FixedSetting;
use crate::config::ProgramSettings;
use crate::session::policy_limits::limits_store::{LimitsStoreSettings, StoreLoss};

/// How the process ends and where copies count together. Of the address the user is not shown, and
/// of the password nothing.
pub(super) fn fixed(settings: &ProgramSettings) -> [FixedSetting; 8] {
    let own = settings.limits_store.as_ref();
    let text = |of: &dyn Fn(&LimitsStoreSettings) -> String| own.map_or_else(String::new, of);
    let login = own.map(|own| {
        let user = own.address.user.as_deref().unwrap_or_default();
        let password = own.password.as_ref().map_or("", |own| own.reveal());
        *blake3::hash(format!("{user}\n{password}").as_bytes()).as_bytes()
    });
    let milliseconds = |time: Duration| format!("{} ms", time.as_millis());
    [
        FixedSetting::open("limits.drain_timeout", milliseconds(settings.drain_timeout)),
        FixedSetting::open(
            "limits.wait_for_clients",
            milliseconds(settings.wait_for_clients),
        ),
        FixedSetting::open("limits.store", text(&|own| own.address.to_string())),
        FixedSetting::secret("limits.store_password_file", login.as_ref()),
        FixedSetting::open(
            "limits.store_ca",
            text(&|own| format!("{:?}", own.authority)),
        ),
        FixedSetting::open("limits.store_prefix", text(&|own| own.prefix.clone())),
        FixedSetting::open("limits.store_window", text(&|own| milliseconds(own.window))),
        FixedSetting::open(
            "limits.on_store_loss",
            text(&|own| {
                String::from(match own.on_loss {
                    StoreLoss::Local => "local",
                    StoreLoss::Refuse => "refuse",
                })
            }),
        ),
    ]
}
