//! What the collector wants of a source at once.

/// What the collector says before the settings file does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directive {
    /// The hash of the settings that say so; once these are in force they alone count.
    pub settings: String,
    /// Whether nothing is to be read or counted.
    pub is_suspended: bool,
}

impl Directive {
    /// Returns true if nothing is to be observed, by this directive or else by the settings in force.
    #[must_use]
    pub fn or_settings(directive: Option<&Self>, hash: &str, is_suspended: bool) -> bool {
        directive
            .filter(|directive| directive.settings != hash)
            .map_or(is_suspended, |directive| directive.is_suspended)
    }
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
