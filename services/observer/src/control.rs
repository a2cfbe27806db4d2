//! What all connections of a process obey at once.

use std::time::Duration;

use tokio::time::Instant;

/// The state of the process that a live connection has to know.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Control {
    /// Pass bytes on and observe nothing.
    pub(crate) is_suspended: bool,
    /// The process ends: each connection closes when nothing is outstanding, and at this time anyway.
    pub(crate) drain_until: Option<Instant>,
}

/// What the collector says before the settings file does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Directive {
    /// The hash of the settings that say so; once these are in force they alone count.
    pub(crate) settings: String,
    pub(crate) is_suspended: bool,
}

impl Directive {
    /// Whether nothing is to be observed, by this directive or else by the settings in force.
    pub(crate) fn or_settings(directive: Option<&Self>, hash: &str, is_suspended: bool) -> bool {
        directive
            .filter(|directive| directive.settings != hash)
            .map_or(is_suspended, |directive| directive.is_suspended)
    }
}

/// A moment so much later; the same one where the clock has no such moment.
pub(crate) fn later(moment: Instant, by: Duration) -> Instant {
    moment.checked_add(by).unwrap_or(moment)
}

#[cfg(test)]
mod tests {
    use super::Directive;

    #[test]
    fn a_directive_counts_until_its_settings_are_in_force() {
        let directive = Directive { settings: "new".to_owned(), is_suspended: true };

        assert!(Directive::or_settings(Some(&directive), "old", false));
        assert!(!Directive::or_settings(Some(&directive), "new", false));
        assert!(Directive::or_settings(None, "old", true));
    }
}
