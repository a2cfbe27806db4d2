//! Checks texts of a settings file.

/// Lower case and digits, with others of `between` within.
pub(super) fn is_label(text: &str, longest: usize, between: &[u8]) -> bool {
    let is_end = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let is_within = |byte: &u8| is_end(Some(byte)) || between.contains(byte);
    let bytes = text.as_bytes();
    bytes.len() <= longest && is_end(bytes.first()) && is_end(bytes.last()) && bytes.iter().all(is_within)
}

/// A topic's name, or what names begin with and a star.
pub(super) fn is_selection(text: &str) -> bool {
    let name = text.strip_suffix('*').unwrap_or(text);
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    !text.is_empty() && text.len() <= 249 && name.bytes().all(is_of_name)
}

/// An attribute's name and value.
pub(super) fn is_attribute(name: &str, value: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    (1..=63).contains(&name.len())
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(is_of_name)
        && value.chars().count() <= 63
}

/// A header's key.
pub(super) fn is_header(text: &str) -> bool {
    (1..=128).contains(&text.chars().count())
}

/// A Java class, or a Python module with a class after a colon.
pub(super) fn is_class(text: &str) -> bool {
    let begins = |text: &str| text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let is_within = |byte: u8| byte.is_ascii_alphanumeric() || b"_.$".contains(&byte);
    let (module, class) = text.split_once(':').unwrap_or((text, "_"));
    let has_class = begins(class) && class.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    begins(module) && module.bytes().all(is_within) && has_class
}
