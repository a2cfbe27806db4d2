//! A connection is followed from one of its requests on, and the answers before it are left out.

use kwitness_protocol::{Connection, Limits, Opaque, Side};
use proptest::prelude::*;

use crate::division::cut;
use crate::transcript::{Conversation, Told, frame, produce, request, response};

const PRODUCE: i16 = 0;
const LIST_GROUPS: i16 = 16;
const HEARTBEAT: i16 = 12;

fn resumed() -> Conversation {
    Conversation { connection: Connection::resumed(Limits::default()), told: Vec::new() }
}

fn requests(conversation: &Conversation) -> Vec<i16> {
    let key = |event: &Told| match event {
        Told::Request { key, .. } => Some(*key),
        _ => None,
    };
    conversation.told.iter().filter_map(key).collect()
}

fn list_groups(correlation: i32) -> Vec<u8> {
    request(LIST_GROUPS, 0, correlation, false, &[])
}

proptest! {
    #[test]
    fn answers_are_left_out_up_to_the_one_of_the_first_request_however_they_are_divided(
        sent_at: Vec<prop::sample::Index>,
        answered_at: Vec<prop::sample::Index>,
    ) {
        let sent = [request(HEARTBEAT, 0, 7, false, &[0; 8]), list_groups(8)].concat();
        let before = [response(5, &[0; 9]), frame(&[]), frame(&[&[0, 0, 0]]), response(6, &[0; 300])].concat();
        let answered = [before, response(7, &[0, 0]), response(8, &[0; 6])].concat();
        let mut conversation = resumed();
        conversation.broker(&response(4, &[0; 20]));
        for piece in cut(&sent, &sent_at) {
            conversation.client(piece);
        }
        for piece in cut(&answered, &answered_at) {
            conversation.broker(piece);
        }

        prop_assert_eq!(requests(&conversation), [HEARTBEAT, LIST_GROUPS]);
        prop_assert_eq!(conversation.exchanges(), [HEARTBEAT, LIST_GROUPS]);
        prop_assert_eq!(conversation.told.len(), 4);
    }
}

#[test]
fn tokens_and_versions_that_are_not_known_are_no_requests_to_begin_with() {
    let mut conversation = resumed();
    conversation.client(&frame(&[b"\x00123456\x00secret"]));
    conversation.client(&frame(&[]));
    conversation.client(&frame(&[&[0, 16]]));
    conversation.client(&request(LIST_GROUPS, 99, 3, false, &[]));
    conversation.broker(&response(3, &[0, 0]));
    assert_eq!(conversation.told, []);

    conversation.client(&list_groups(4));
    conversation.broker(&response(4, &[0; 6]));

    assert_eq!((requests(&conversation), conversation.exchanges()), (vec![LIST_GROUPS], vec![LIST_GROUPS]));
}

#[test]
fn a_produce_that_is_never_answered_comes_before_the_first_answer() {
    let mut conversation = resumed();
    conversation.client(&produce(7, 0));
    conversation.broker(&response(6, &[0; 6]));
    conversation.client(&list_groups(8));
    conversation.broker(&response(8, &[0; 6]));

    assert_eq!((requests(&conversation), conversation.exchanges()), (vec![PRODUCE, LIST_GROUPS], vec![LIST_GROUPS]));
}

#[test]
fn after_the_first_answer_each_must_belong_to_a_request() {
    let mut conversation = resumed();
    conversation.client(&[list_groups(7), list_groups(8)].concat());
    conversation.broker(&response(6, &[0; 6]));
    conversation.broker(&response(7, &[0; 6]));
    assert!(!conversation.connection.is_opaque());

    conversation.feed(Side::Broker, &response(9, &[0; 6]), 0);

    assert_eq!(conversation.last(), Some(&Told::Opaque(Opaque::Correlation)));
}
