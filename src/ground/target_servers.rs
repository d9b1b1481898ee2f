//! Which of several servers sessions go to, as the settings say it for all and a policy for its
//! own.

use crate::words;

words! {
    /// Which servers sessions go to: libpq's `target_session_attrs`, as far as a session that can
    /// only read has a use for it.
    #[derive(Default)]
    TargetServers {
        /// Any that is there.
        Any => "any",
        /// The one that takes writes.
        Primary => "primary",
        /// Those that follow it, and no other.
        Standby => "standby",
        /// Those that follow it; where none is there, the one that takes writes.
        #[default]
        PreferStandby => "prefer-standby",
    }
}

words! {
    /// What a server is among those with the same contents.
    ServerKind {
        /// It takes writes.
        Primary => "primary",
        /// It follows another one.
        Standby => "standby",
    }
}

impl TargetServers {
    /// What both say together; none where no server could be meant by both.
    pub fn meet(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Primary, Self::Standby) | (Self::Standby, Self::Primary) => None,
            (Self::Any, narrower) | (narrower, Self::Any) => Some(narrower),
            (Self::PreferStandby, narrower) | (narrower, Self::PreferStandby) => Some(narrower),
            (Self::Primary, Self::Primary) | (Self::Standby, Self::Standby) => Some(self),
        }
    }

    /// The only kind of server that may be meant; none where either may.
    pub fn only(self) -> Option<ServerKind> {
        match self {
            Self::Primary => Some(ServerKind::Primary),
            Self::Standby => Some(ServerKind::Standby),
            Self::Any | Self::PreferStandby => None,
        }
    }

    /// Whether sessions may be at a server of that kind. Where only one kind may be meant, what
    /// does not say its own is not.
    pub fn permit(self, kind: Option<ServerKind>) -> bool {
        self.only().is_none_or(|only| kind == Some(only))
    }
}

impl ServerKind {
    /// The kind of a server that reports `in_hot_standby` so.
    pub fn reported(in_hot_standby: &str) -> Option<Self> {
        match in_hot_standby {
            "on" => Some(Self::Standby),
            "off" => Some(Self::Primary),
            _ => None,
        }
    }
}

/// The parameter that says so.
pub const IN_HOT_STANDBY: &str = "in_hot_standby";

#[cfg(test)]
mod tests {
    use super::{ServerKind, TargetServers};

    #[test]
    fn together_they_are_the_stricter_of_both() {
        use TargetServers::{Any, PreferStandby, Primary, Standby};
        for (one, other, together) in [
            (Any, Any, Some(Any)),
            (Any, PreferStandby, Some(PreferStandby)),
            (Any, Primary, Some(Primary)),
            (Any, Standby, Some(Standby)),
            (PreferStandby, PreferStandby, Some(PreferStandby)),
            (PreferStandby, Primary, Some(Primary)),
            (PreferStandby, Standby, Some(Standby)),
            (Primary, Primary, Some(Primary)),
            (Standby, Standby, Some(Standby)),
            (Primary, Standby, None),
        ] {
            assert_eq!(one.meet(other), together, "{one:?} {other:?}");
            assert_eq!(other.meet(one), together, "{other:?} {one:?}");
        }
        // What both permit is what they permit together.
        for one in TargetServers::ALL {
            for other in TargetServers::ALL {
                for kind in ServerKind::ALL {
                    let both = one.permit(Some(*kind)) && other.permit(Some(*kind));
                    let together = one.meet(*other).is_some_and(|it| it.permit(Some(*kind)));
                    assert_eq!(both, together, "{one:?} {other:?} {kind:?}");
                }
            }
        }
    }

    #[test]
    fn what_does_not_say_its_kind_is_of_no_kind() {
        for (targets, permitted) in [
            (TargetServers::Any, true),
            (TargetServers::PreferStandby, true),
            (TargetServers::Primary, false),
            (TargetServers::Standby, false),
        ] {
            assert_eq!(targets.permit(ServerKind::reported("")), permitted);
            assert_eq!(targets.permit(None), permitted);
        }
        assert_eq!(ServerKind::reported("on"), Some(ServerKind::Standby));
        assert_eq!(ServerKind::reported("off"), Some(ServerKind::Primary));
    }
}
