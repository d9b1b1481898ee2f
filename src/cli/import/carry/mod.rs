//! What of a configuration of PgBouncer becomes what of pgsieve's settings, one part after another;
//! what does not is noted by the part that would have it.

mod auth_query;
mod client_tls;
mod console;
mod entry_split;
mod listening;
mod login;
mod pool_mode;
mod pooling;
mod remainder;
pub mod secret_files;
mod server_address;
mod server_tls;
mod target;
mod upstream;

use std::path::Path;

use self::secret_files::SecretFiles;
use super::auth_file::{self, ListedSecret, ListedUsers};
use super::configuration::BouncerConfiguration;
use super::draft::SettingsDraft;
use super::known::KnownSetting;
use super::known::settings::SETTINGS;
use super::policy_draft::PolicyDraft;
use crate::config::SettingsProblem;
use crate::secret::Secret;

/// What was asked for.
pub struct ImportRequest<'f> {
    /// The database whose server is meant.
    pub database: Option<&'f str>,
    /// The file that is written as the policy, if one is.
    pub policy: Option<&'f Path>,
    /// The folder that secrets are written to, if they are.
    pub secrets: Option<&'f Path>,
    /// The folder of the configuration, which files may be seen from.
    pub folder: &'f Path,
}

/// What is written.
pub struct ImportedSettings {
    /// The settings, and the notes.
    pub draft: SettingsDraft,
    /// The policy, if one is wanted.
    pub policy: Option<PolicyDraft>,
    /// The secrets that go to files.
    pub secrets: SecretFiles,
}

/// A part's way to what it reads and writes.
struct ImportWork<'w> {
    configuration: &'w BouncerConfiguration,
    request: &'w ImportRequest<'w>,
    draft: SettingsDraft,
    policy: Option<PolicyDraft>,
    secrets: SecretFiles,
    /// What `auth_file` has, or why it cannot be read; nothing where none is named.
    listed: Option<Result<ListedUsers, String>>,
}

/// Carries over what can be.
///
/// # Errors
/// Which server is meant is not clear, or there is none; or there is nowhere to listen.
pub fn carry(
    configuration: &BouncerConfiguration,
    request: &ImportRequest<'_>,
) -> Result<ImportedSettings, Vec<SettingsProblem>> {
    let mut work = ImportWork {
        configuration,
        request,
        draft: SettingsDraft::default(),
        policy: request.policy.map(|_| PolicyDraft::default()),
        secrets: SecretFiles::new(request.secrets),
        listed: listed(configuration, request.folder),
    };
    let target = target::choose(&mut work)?;
    let listens = listening::carry(&mut work)?;
    upstream::carry(&mut work, &target)?;
    let mode = login::carry(&mut work, &target, listens);
    client_tls::carry(&mut work);
    pooling::carry(&mut work, &target, mode);
    console::carry(&mut work);
    remainder::carry(&mut work);
    Ok(ImportedSettings {
        draft: work.draft,
        policy: work.policy,
        secrets: work.secrets,
    })
}

/// The users of `auth_file`. PgBouncer's is seen from where it was started, which is not known
/// here, so one beside the configuration will do.
fn listed(
    configuration: &BouncerConfiguration,
    folder: &Path,
) -> Option<Result<ListedUsers, String>> {
    let named = configuration.text("auth_file");
    let named = (!named.is_empty()).then(|| Path::new(named))?;
    Some(match named.exists() {
        true => auth_file::read(named),
        false => auth_file::read(&folder.join(named)),
    })
}

impl ImportWork<'_> {
    /// Where a setting stands, for a note.
    fn place(&self, name: &str) -> String {
        let place = self.configuration.place(name);
        place.map(ToString::to_string).unwrap_or_default()
    }
    /// The password that `auth_file` has for a user as it is.
    fn listed_password(&self, name: &str) -> Option<Secret> {
        let listed = self.listed.as_ref()?.as_ref().ok()?;
        let user = listed.users.iter().find(|user| user.name == name)?;
        match &user.secret {
            ListedSecret::Password(password) => Some(password.clone()),
            ListedSecret::Empty | ListedSecret::Verifier(_) | ListedSecret::Md5 => None,
        }
    }

    /// Notes a setting that pgsieve has nothing for, where it says something of its own.
    fn left_out_if_changed(&mut self, name: &str) {
        let Some(known) = KnownSetting::named(SETTINGS, name) else {
            return;
        };
        if let Some((_, place)) = self.configuration.changed(known) {
            let words = format!("no counterpart: {}", known.doc);
            self.draft.left_out(name, &place.to_string(), words);
        }
    }
}
