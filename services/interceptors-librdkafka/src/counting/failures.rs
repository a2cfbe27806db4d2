//! Why a record was given up, or an offset not committed.

use std::borrow::Cow;

/// In the place of librdkafka's code where a broker refused one record of a batch: librdkafka then says no error.
pub(crate) const RECORD_REFUSED: i32 = 87;

/// Codes that librdkafka names otherwise than Kafka, or that are its own.
const NAMES: [(i32, &str); 27] = [
    (-197, "closed"),
    (-195, "NETWORK_EXCEPTION"),
    (-192, "timed_out"),
    (-190, "UNKNOWN_TOPIC_OR_PARTITION"),
    (-188, "UNKNOWN_TOPIC_OR_PARTITION"),
    (-185, "timed_out"),
    (-184, "queue_full"),
    (-162, "serialization"),
    (-161, "serialization"),
    (-152, "purged"),
    (-151, "purged"),
    (-150, "fatal"),
    (-144, "PRODUCER_FENCED"),
    // Of the same batch as one that is: brokers take all of one or none.
    (-138, "INVALID_RECORD"),
    (2, "CORRUPT_MESSAGE"),
    (3, "UNKNOWN_TOPIC_OR_PARTITION"),
    (4, "INVALID_FETCH_SIZE"),
    (6, "NOT_LEADER_OR_FOLLOWER"),
    (10, "MESSAGE_TOO_LARGE"),
    (11, "STALE_CONTROLLER_EPOCH"),
    (14, "COORDINATOR_LOAD_IN_PROGRESS"),
    (15, "COORDINATOR_NOT_AVAILABLE"),
    (16, "NOT_COORDINATOR"),
    (17, "INVALID_TOPIC_EXCEPTION"),
    (20, "NOT_ENOUGH_REPLICAS_AFTER_APPEND"),
    (28, "INVALID_COMMIT_OFFSET_SIZE"),
    (RECORD_REFUSED, "INVALID_RECORD"),
];

/// The reason of a code, as rows have it: Kafka's name, or a word for what librdkafka gave up by itself.
pub(crate) fn reason(code: i32, name: Option<Cow<'static, str>>) -> Cow<'static, str> {
    if let Some((_, name)) = NAMES.iter().find(|(known, _)| *known == code) {
        return Cow::Borrowed(name);
    }
    // What else is librdkafka's own is nobody's to act upon by name.
    name.filter(|_| code > 0).unwrap_or(Cow::Borrowed("other"))
}

#[cfg(test)]
mod tests {
    use super::{NAMES, reason};

    #[test]
    fn a_code_has_kafkas_name_and_librdkafkas_own_a_word() {
        assert_eq!(reason(10, Some("MSG_SIZE_TOO_LARGE".into())), "MESSAGE_TOO_LARGE");
        assert_eq!(reason(29, Some("TOPIC_AUTHORIZATION_FAILED".into())), "TOPIC_AUTHORIZATION_FAILED");
        assert_eq!(reason(-192, Some("_MSG_TIMED_OUT".into())), "timed_out");
        assert_eq!(reason(-166, Some("_NEW".into())), "other");
        assert_eq!(reason(4_711, None), "other");
    }

    #[test]
    fn each_code_has_one_name() {
        assert!(NAMES.is_sorted_by(|one, next| one.0 < next.0));
    }
}
