//! How transactions end, by what Kafka's own classes encode.

use kwitness_protocol::schema::api;
use kwitness_protocol::{Limits, Reader, TransactionEnd, response_correlation};

use crate::kafka::{VECTORS, Vector};
use crate::transcript::{Conversation, Told, frame, request, response};

const END_TXN: i16 = 26;

fn vectors(is_request: bool) -> impl Iterator<Item = &'static Vector> {
    VECTORS.iter().flatten().filter(move |one| one.key == END_TXN && one.is_request == is_request)
}

fn ends(conversation: &Conversation) -> Vec<TransactionEnd> {
    let end = |told: &Told| if let Told::TransactionEnd(end) = told { Some(*end) } else { None };
    conversation.told.iter().filter_map(end).collect()
}

/// Where a response has its error code: behind the header, and for how long it was throttled.
fn error_place(answered: &Vector) -> usize {
    let mut reader = Reader::new(&answered.frame);
    response_correlation(api(END_TXN).unwrap().response_header(answered.version).unwrap(), &mut reader).unwrap();
    reader.int32().unwrap();
    answered.frame.len() - reader.left()
}

/// What is told of these frames.
fn told(asked: &[u8], answered: &[u8]) -> Vec<TransactionEnd> {
    let mut conversation = Conversation::new();
    conversation.client(asked);
    assert_eq!(ends(&conversation), []);
    conversation.broker(answered);
    ends(&conversation)
}

#[test]
fn the_end_of_a_transaction_is_told_when_the_broker_agreed_in_every_version() {
    let mut count = [0; 2];
    for asked in vectors(true) {
        for answered in vectors(false).filter(|one| one.version == asked.version) {
            let mut answer = answered.frame.clone();
            answer[..4].copy_from_slice(&asked.frame[4..8]);
            assert_ne!(answered.json()["errorCode"], 0);
            let refused = told(&frame(&[&asked.frame]), &frame(&[&answer]));
            let error = error_place(answered);
            answer[error..error + 2].fill(0);

            let agreed = told(&frame(&[&asked.frame]), &frame(&[&answer]));

            let (version, committed) = (asked.version, asked.json()["committed"].as_bool().unwrap());
            count[usize::from(committed)] += 1;
            assert_eq!((refused, agreed), (vec![], vec![TransactionEnd { version, committed }]), "{asked}");
        }
    }
    assert!(count.into_iter().all(|count| count > 20), "{count:?}");
}

/// `EndTxn` of version 0: the transactional id `t`, producer, epoch.
fn end_txn(correlation: i32, committed: u8) -> Vec<u8> {
    request(END_TXN, 0, correlation, false, &[&[0, 1, b't'][..], &[0; 8 + 2], &[committed]].concat())
}

#[test]
fn requests_that_are_answered_later_end_their_own_transactions() {
    let asked = [end_txn(1, 1), end_txn(2, 0), end_txn(3, 0), end_txn(4, 1)].concat();
    let error = |code: u8| [&[0; 4][..], &[0, code]].concat();

    let told = told(&asked, &[(1, 0), (2, 0), (3, 51), (4, 0)].map(|(id, code)| response(id, &error(code))).concat());

    assert_eq!(told.iter().map(|end| end.committed).collect::<Vec<_>>(), [true, false, true]);
}

#[test]
fn an_answer_that_cannot_be_read_ends_no_transaction() {
    for answer in [&[0; 3][..], &[0; 5], &[0; 7]] {
        assert_eq!(told(&end_txn(1, 1), &response(1, answer)), [], "{answer:?}");
    }
}

#[test]
fn a_request_of_which_only_the_beginning_is_kept_ends_no_transaction() {
    let mut conversation = Conversation::with(Limits { message: 20, ..Limits::default() });

    conversation.client(&end_txn(1, 1));
    conversation.broker(&response(1, &[0; 6]));

    assert_eq!((ends(&conversation), conversation.exchanges()), (vec![], vec![END_TXN]));
}
