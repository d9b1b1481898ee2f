//! The session's values that the policy's models read: who has logged in, and settings as they
//! stand for the statement that is judged next.
//!
//! A setting whose value is in doubt is not known: a statement that would read it is refused.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::tracked_setting::{
    EarlierStatements, StatementEnd, TrackedChange, TrackedSetting, TransactionPosition,
};
use crate::auth::certificate::CertificateSubject;
use crate::gate::{Certainty, CustomSettings, SessionEffect, SessionValues};
use crate::policy::set::matching::SessionTraits;
use crate::policy::{CertificateField, Policy, SessionValue};

/// What a login has brought to light of a session.
#[derive(Clone, Default)]
pub struct LoginFacts {
    /// Who has logged in, and to which database.
    pub traits: Arc<SessionTraits>,
    /// What it called itself in its startup packet, if it did.
    pub application_name: Option<String>,
    /// What the certificate says that it has shown, if it has.
    pub certificate: Option<Box<CertificateSubject>>,
    /// Settings as the session began with them; none in it where it has none. What is not here was
    /// not asked for.
    pub settings: BTreeMap<String, Option<String>>,
}

/// The values of a session, followed.
pub struct ModelValues {
    known: LoginFacts,
    /// The policy that says which are followed, by its version.
    policy: u64,
    /// Those that come from the login, and are asked for.
    fixed: SessionValues,
    followed: Vec<ModelSetting>,
}

/// The text of a setting; none where it has none.
type TextValue = Option<Box<str>>;

/// A setting that is followed.
struct ModelSetting {
    /// As the policy names it.
    name: String,
    value: TrackedSetting<TextValue>,
}

impl ModelValues {
    /// Those that a policy asks for, of a session that begins now.
    pub fn new(known: LoginFacts, policy: &Policy) -> Self {
        let mut values = Self {
            known,
            policy: policy.version_number(),
            fixed: SessionValues::default(),
            followed: Vec::new(),
        };
        for name in policy.session_values() {
            if let SessionValue::Setting(name) = name {
                let first = values.known.settings.get(&name.to_ascii_lowercase());
                let first = first.map(|value| value.as_deref().map(Box::from));
                values.followed.push(ModelSetting {
                    name: name.clone(),
                    value: TrackedSetting::new(first),
                });
            }
        }
        values.fix(policy);
        values
    }

    /// Follows what another policy asks for from now on. What was not followed until now may have
    /// been set meanwhile.
    pub fn follow(&mut self, policy: &Policy) -> ValuesChange {
        if self.policy == policy.version_number() {
            return ValuesChange::Nothing;
        }
        self.policy = policy.version_number();
        let asked = policy.session_values();
        let names = asked.iter().filter_map(|name| match name {
            SessionValue::Setting(name) => Some(name),
            _ => None,
        });
        let mut before = std::mem::take(&mut self.followed);
        for name in names {
            let known = before.iter().position(|setting| setting.name == *name);
            self.followed.push(match known {
                Some(place) => before.swap_remove(place),
                None => ModelSetting {
                    name: name.clone(),
                    value: TrackedSetting::new(None),
                },
            });
        }
        self.fix(policy);
        ValuesChange::Perhaps
    }

    fn fix(&mut self, policy: &Policy) {
        self.fixed = SessionValues::default();
        for name in policy.session_values() {
            let value = match name {
                SessionValue::User => Some(&*self.known.traits.user),
                SessionValue::Database => Some(&*self.known.traits.database),
                SessionValue::ApplicationName => self.known.application_name.as_deref(),
                SessionValue::Certificate(field) => {
                    let certificate = self.known.certificate.as_deref();
                    certificate.and_then(|certificate| field_of(certificate, *field))
                }
                // Who has none is not let in to what it filters: NULL could mean everything.
                SessionValue::Attribute(name) => match self.known.traits.attribute(name) {
                    Some(value) => Some(value),
                    None => continue,
                },
                SessionValue::Setting(_) => continue,
            };
            self.fixed.set(name.clone(), value);
        }
    }

    /// The values as they are when what is judged now begins to run.
    pub fn now(&self, before: EarlierStatements) -> Arc<SessionValues> {
        if self.fixed.is_empty() && self.followed.is_empty() {
            return SessionValues::none();
        }
        let mut values = self.fixed.clone();
        for setting in &self.followed {
            if let Some(value) = setting.value.possible(before).certain() {
                values.set(
                    SessionValue::Setting(setting.name.clone()),
                    value.as_deref(),
                );
            }
        }
        Arc::new(values)
    }

    /// Whether anything is to be settled when statements fail or transactions end.
    pub fn is_moving(&self) -> bool {
        self.followed
            .iter()
            .any(|setting| setting.value.is_moving())
    }

    /// A statement with this effect is on its way.
    pub fn sent(&mut self, effect: &SessionEffect) -> ValuesChange {
        self.each(effect, |value, change| value.sent(&change))
    }

    /// A statement with this effect has succeeded.
    pub fn applied(&mut self, effect: &SessionEffect, ran: Certainty) {
        self.each(effect, |value, change| match ran {
            Certainty::Certain => value.applied(&change),
            Certainty::Possible => value.applied(&change.possibly()),
        });
    }

    /// A statement has ended, and its effects are applied.
    pub fn ended(&mut self, ended: StatementEnd) {
        for setting in &mut self.followed {
            setting.value.ended(ended);
        }
    }

    /// Something has failed.
    pub fn doubted(&mut self) {
        for setting in &mut self.followed {
            setting.value.doubted();
        }
    }

    /// The upstream is ready for the next statement.
    pub fn ready(&mut self, place: TransactionPosition, under_way: EarlierStatements) {
        for setting in &mut self.followed {
            setting.value.ready(place, under_way);
        }
    }

    fn each(
        &mut self,
        effect: &SessionEffect,
        mut act: impl FnMut(&mut TrackedSetting<TextValue>, TrackedChange<'_, TextValue>),
    ) -> ValuesChange {
        let SessionEffect::SettingSet {
            settings,
            value,
            scope,
            surety,
        } = effect
        else {
            return ValuesChange::Nothing;
        };
        let mut changed = ValuesChange::Nothing;
        for setting in &mut self.followed {
            let is_meant = match settings {
                CustomSettings::One(name) => setting.name.eq_ignore_ascii_case(name),
                CustomSettings::All => true,
            };
            if is_meant {
                let change = TrackedChange {
                    to: value,
                    scope: *scope,
                    surety: *surety,
                };
                act(&mut setting.value, change);
                changed = ValuesChange::Perhaps;
            }
        }
        changed
    }
}

/// Whether values are others than before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValuesChange {
    /// None.
    Nothing,
    /// One may be.
    Perhaps,
}

impl fmt::Debug for LoginFacts {
    /// Without the values.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Known({} settings)", self.settings.len())
    }
}

impl fmt::Debug for ModelValues {
    /// Without the values.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ModelValues({} settings)", self.followed.len())
    }
}

/// A field of a certificate.
fn field_of(certificate: &CertificateSubject, field: CertificateField) -> Option<&str> {
    match field {
        CertificateField::CommonName => certificate.common_name.as_deref(),
        CertificateField::Organization => certificate.organization.as_deref(),
        CertificateField::OrganizationalUnit => certificate.organizational_unit.as_deref(),
        CertificateField::Email => certificate.email.as_deref(),
    }
}
