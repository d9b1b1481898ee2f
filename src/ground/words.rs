//! Closed sets of words: each member stands once, with its name, and everything that lists, shows
//! or reads them follows from that.

/// A member of a closed set. Every one is known when the program is built: nothing that a peer
/// sends can make a new one, so metrics and lines of the audit may carry its name as a label.
pub trait Word: Copy + 'static {
    /// Every member, in the order of [`Word::index`].
    const ALL: &'static [Self];

    /// The word that settings, policies, metrics and the audit show. Stable: dashboards are built
    /// on it.
    fn name(self) -> &'static str;

    /// The place of this member in [`Word::ALL`]: counting needs no lookup by name.
    fn index(self) -> usize;
}

/// Declares an enum of unit variants together with the word of each.
#[macro_export]
macro_rules! words {
    ($(#[$about:meta])* $set:ident { $($(#[$doc:meta])* $member:ident => $word:expr,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $set { $($(#[$doc])* $member,)+ }

        impl $set {
            /// Every one of them, in order.
            pub const ALL: &'static [Self] = &[$(Self::$member,)+];

            /// The word that settings, policies, metrics and the audit show.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$member => $word,)+ }
            }

            /// The one of this name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == name)
            }
        }

        impl $crate::words::Word for $set {
            const ALL: &'static [Self] = Self::ALL;

            fn name(self) -> &'static str {
                self.name()
            }

            #[expect(clippy::as_conversions, reason = "a unit variant's own number, in order")]
            fn index(self) -> usize {
                self as usize
            }
        }
    };
}

pub use words;

#[cfg(test)]
mod tests {
    use super::Word;

    words! {
        /// What comes after each other.
        Order {
            /// The one before.
            First => "first",
            /// The one behind it.
            Second => "second",
        }
    }

    #[test]
    fn a_word_stands_once() {
        assert_eq!(Order::ALL, [Order::First, Order::Second]);
        assert_eq!(Order::named("second"), Some(Order::Second));
        assert_eq!(Order::named("Second"), None);
        for (place, word) in Order::ALL.iter().enumerate() {
            assert_eq!(word.index(), place);
            assert_eq!(Word::name(*word), word.name());
        }
    }
}
