//! Whether a text is JSON (RFC 8259).

use serde::de::IgnoredAny;

/// How deep arrays and objects may be within each other.
const DEEPEST: usize = 64;

/// Whether it is one value of JSON, nested no deeper than is read; blanks may stand around it. Memory does not grow with
/// it, and nothing of it recurses.
pub(super) fn is_json(text: &str) -> bool {
    is_shallow(text.as_bytes()) && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Of text that is no JSON this may be wrong: it is judged by others.
fn is_shallow(text: &[u8]) -> bool {
    let (mut depth, mut is_string, mut is_escaped) = (0_usize, false, false);
    text.iter().all(|byte| {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            b'[' | b'{' if !is_string => depth = depth.saturating_add(1),
            b']' | b'}' if !is_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth <= DEEPEST
    })
}

#[cfg(test)]
mod tests {
    use super::is_json;

    #[test]
    fn it_is_one_value_and_nothing_else() {
        for text in ["1", " null\r\n\t", r#""\ud800""#, r#"{"a":[1.5e-3,true,{"a":"\"]"}]}"#, "-0", "1e999"] {
            assert!(is_json(text), "{text}");
        }
        for text in [
            "",
            " ",
            "NaN",
            "[1,]",
            "{\"a\":1,}",
            "01",
            "1.",
            "'a'",
            "1 2",
            "\u{feff}1",
            "\"\t\"",
            "[",
            "\"\\x\"",
            "\u{a0}1",
        ] {
            assert!(!is_json(text), "{text}");
        }
    }

    #[test]
    fn it_is_nested_64_deep_at_most() {
        let nested = |deep: usize| format!("{}\"[[\"{}", "[".repeat(deep), "]".repeat(deep));

        assert!(is_json(&nested(64)));
        assert!(!is_json(&nested(65)));
        assert!(!is_json(&"[".repeat(1_000_000)));
        assert!(is_json(&format!("[{}[]]", "[],".repeat(1_000))), "beside each other");
    }
}
