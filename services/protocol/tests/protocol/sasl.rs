//! Who a client is by SASL, and that its secrets stay nowhere.

use kwitness_protocol::schema::Api;
use kwitness_protocol::{Limits, Mechanism, Opaque, PrincipalSource, Rewriter, Side};

use crate::transcript::{Conversation, Told, frame, request, response};

const METADATA: i16 = 3;
const SECRET: &[u8] = b"canary-bird";

/// A conversation in which each request waits for the answer to the one before.
struct Login {
    conversation: Conversation,
    correlation: i32,
}

impl Login {
    fn new(mechanism: &str) -> Self {
        let mut login = Self { conversation: Conversation::new(), correlation: 0 };
        login.handshake(mechanism, 0);
        login
    }

    fn exchange(&mut self, key: i16, version: i16, is_flexible: bool, asked: &[u8], answered: &[u8]) {
        self.correlation += 1;
        self.conversation.client(&request(key, version, self.correlation, is_flexible, asked));
        self.conversation.broker(&response(self.correlation, answered));
    }

    fn handshake(&mut self, mechanism: &str, error: i16) {
        let length = i16::try_from(mechanism.len()).unwrap().to_be_bytes();
        let asked = [&length[..], mechanism.as_bytes()].concat();
        self.exchange(Api::SASL_HANDSHAKE, 1, false, &asked, &[&error.to_be_bytes()[..], &[0; 4]].concat());
    }

    /// A token of the client's, and the broker's answer in version 1.
    fn token(&mut self, token: &[u8], error: i16, answer: &[u8]) {
        let answered = [&error.to_be_bytes()[..], &[0xff, 0xff], &bytes(answer), &[0; 8]].concat();
        self.exchange(Api::SASL_AUTHENTICATE, 1, false, &bytes(token), &answered);
    }

    fn metadata(&mut self) {
        self.exchange(METADATA, 0, false, &[0; 4], &[0; 8]);
    }

    fn told(&self) -> Vec<&Told> {
        authenticated(&self.conversation)
    }
}

fn bytes(content: &[u8]) -> Vec<u8> {
    [&i32::try_from(content.len()).unwrap().to_be_bytes()[..], content].concat()
}

fn authenticated(conversation: &Conversation) -> Vec<&Told> {
    conversation.told.iter().filter(|told| matches!(told, Told::Authenticated(..))).collect()
}

fn named(mechanism: Mechanism, name: &str, succeeded: bool) -> Told {
    Told::Authenticated(mechanism, Some(format!("User:{name}")), PrincipalSource::Sasl, succeeded)
}

fn unnamed(mechanism: Mechanism, succeeded: bool) -> Told {
    Told::Authenticated(mechanism, None, PrincipalSource::Sasl, succeeded)
}

#[test]
fn a_name_is_told_when_the_broker_believes_it() {
    let mut login = Login::new("PLAIN");
    assert!(login.told().is_empty());

    login.token(b"\0alice\0canary-bird", 0, b"");

    assert_eq!(login.told(), [&named(Mechanism::Plain, "alice", true)]);
}

#[test]
fn a_name_is_told_when_the_broker_does_not_believe_it() {
    let mut login = Login::new("PLAIN");

    login.token(b"\0alice\0wrong", 58, b"");

    assert_eq!(login.told(), [&named(Mechanism::Plain, "alice", false)]);
}

#[test]
fn scram_ends_with_its_second_answer() {
    for (name, mechanism) in [("SCRAM-SHA-256", Mechanism::ScramSha256), ("SCRAM-SHA-512", Mechanism::ScramSha512)] {
        let mut login = Login::new(name);

        login.token(b"n,,n=a=2Cb,r=abc", 0, b"r=abcdef,s=c2FsdA==,i=4096");
        assert!(login.told().is_empty());
        login.token(b"c=biws,r=abcdef,p=cHJvb2Y=", 0, b"v=c2lnbmF0dXJl");

        assert_eq!(login.told(), [&named(mechanism, "a,b", true)]);
    }
}

#[test]
fn the_owner_of_a_delegation_token_is_not_told() {
    let mut login = Login::new("SCRAM-SHA-256");

    login.token(b"n,,n=dG9rZW4,r=abc,tokenauth=true", 0, b"r=abcdef,s=c2FsdA==,i=4096");
    login.token(b"c=biws,r=abcdef,p=cHJvb2Y=", 0, b"v=c2lnbmF0dXJl");

    let token = Told::Authenticated(Mechanism::ScramSha256, None, PrincipalSource::Token, true);
    assert_eq!(login.told(), [&token]);
}

#[test]
fn a_bearer_token_that_is_refused_with_words_is_not_believed() {
    let token = b"n,,\x01auth=Bearer e30.eyJzdWIiOiJhbGljZSJ9.c2ln\x01\x01"; // {"sub":"alice"}
    let mut believed = Login::new("OAUTHBEARER");
    let mut refused = Login::new("OAUTHBEARER");

    believed.token(token, 0, b"");
    refused.token(token, 0, br#"{"status":"invalid_token"}"#);
    refused.token(b"\x01", 58, b"");

    assert_eq!(believed.told(), [&named(Mechanism::OauthBearer, "alice", true)]);
    assert_eq!(refused.told(), [&named(Mechanism::OauthBearer, "alice", false)]);
}

/// What OAUTHBEARER's client sends for the token of this subject, which nobody has signed.
fn bearer(payload: &[u8], extension: &[u8]) -> Vec<u8> {
    [b"n,,\x01auth=Bearer e30.", payload, b".\x01", extension, b"\x01"].concat()
}

const ALICE: &[u8] = b"eyJzdWIiOiJhbGljZSJ9"; // {"sub":"alice"}
const BOB: &[u8] = b"eyJzdWIiOiJib2IifQ"; // {"sub":"bob"}

#[test]
fn a_name_that_was_refused_is_not_told_of_the_token_that_is_believed_instead() {
    let mut login = Login::new("OAUTHBEARER");

    login.token(&bearer(ALICE, b""), 0, br#"{"status":"invalid_token"}"#);
    login.token(&bearer(BOB, b""), 0, b"");

    assert_eq!(login.told(), [&named(Mechanism::OauthBearer, "bob", true)]);
}

#[test]
fn a_token_that_cannot_be_read_has_no_name_and_not_that_of_the_one_before() {
    let long = bearer(BOB, &[&b"pad="[..], &vec![b'x'; 70_000], b"\x01"].concat());
    let mut too_long = Login::new("OAUTHBEARER");
    let mut unknown_version = Login::new("OAUTHBEARER");
    for login in [&mut too_long, &mut unknown_version] {
        login.token(&bearer(ALICE, b""), 0, br#"{"status":"invalid_token"}"#);
    }

    too_long.token(&long, 0, b"");
    unknown_version.exchange(Api::SASL_AUTHENTICATE, 9, true, &[0xff; 9], &[0; 9]);
    unknown_version.metadata();

    for login in [too_long, unknown_version] {
        assert_eq!(login.told(), [&unnamed(Mechanism::OauthBearer, true)]);
    }
}

#[test]
fn a_token_without_a_header_of_which_only_the_beginning_is_kept_has_no_name() {
    let two = [&b"n,,\x01auth=Bearer e30."[..], ALICE, b".\x01pad=", &vec![b'x'; 70_000], b"\x01"].concat();
    let two = [&two[..], b"auth=Bearer e30.", BOB, b".\x01\x01"].concat();

    let mut conversation = without_headers("OAUTHBEARER", &[&two, b""]);
    conversation.client(&request(METADATA, 0, 2, false, &[0; 4]));

    assert_eq!(authenticated(&conversation), [&unnamed(Mechanism::OauthBearer, true)]);
}

#[test]
fn a_token_for_which_no_mechanism_was_chosen_names_nobody() {
    let mut login = Login { conversation: Conversation::new(), correlation: 0 };

    login.token(b"\0alice\0canary-bird", 0, b"");
    login.metadata();

    assert!(login.told().is_empty());
}

#[test]
fn mechanisms_that_are_not_read_are_recognised() {
    let mechanisms =
        [("GSSAPI", Mechanism::Gssapi), ("AWS_MSK_IAM", Mechanism::AwsMskIam), ("X-OWN", Mechanism::Other)];
    for (name, mechanism) in mechanisms {
        let mut login = Login::new(name);

        login.token(b"\0alice\0canary-bird", 0, b"more");
        login.token(b"second", 0, b"");
        login.metadata();
        login.metadata();

        assert_eq!(login.told(), [&unnamed(mechanism, true)]);
    }
}

#[test]
fn a_mechanism_that_the_broker_does_not_have_fails() {
    let mut login = Login { conversation: Conversation::new(), correlation: 0 };

    login.handshake("GSSAPI", 33);

    assert_eq!(login.told(), [&unnamed(Mechanism::Gssapi, false)]);
}

#[test]
fn a_client_may_authenticate_again() {
    let mut login = Login::new("PLAIN");
    login.token(b"\0alice\0canary-bird", 0, b"");
    login.metadata();

    login.handshake("PLAIN", 0);
    login.token(b"\0alice\0canary-bird", 58, b"");

    let alice = |succeeded| named(Mechanism::Plain, "alice", succeeded);
    assert_eq!(login.told(), [&alice(true), &alice(false)]);
}

#[test]
fn a_client_that_authenticates_again_while_answers_are_outstanding_is_named_by_its_own() {
    let mut login = Login::new("PLAIN");
    login.token(b"\0alice\0canary-bird", 0, b"");

    // The broker answers in order; what was asked before has no say in what follows.
    let handshake = request(Api::SASL_HANDSHAKE, 1, 12, false, b"\0\x05PLAIN");
    let conversation = &mut login.conversation;
    conversation.client(&request(METADATA, 0, 10, false, &[0; 4]));
    conversation.client(&[request(METADATA, 0, 11, false, &[0; 4]), handshake].concat());
    conversation.broker(&[response(10, &[0; 8]), response(11, &[0; 8]), response(12, &[0; 6])].concat());
    login.token(b"\0alice\0canary-bird", 58, b"");
    login.metadata();

    let alice = |succeeded| named(Mechanism::Plain, "alice", succeeded);
    assert_eq!(login.told(), [&alice(true), &alice(false)]);
    assert!(!login.conversation.connection.is_opaque());
}

#[test]
fn what_was_asked_before_a_token_does_not_say_that_it_was_believed() {
    let mut login = Login::new("SCRAM-SHA-256");
    login.token(b"n,,n=alice,r=abc", 0, b"r=abcdef,s=c2FsdA==,i=4096");

    let conversation = &mut login.conversation;
    conversation.client(&request(METADATA, 0, 20, false, &[0; 4]));
    let proof = request(Api::SASL_AUTHENTICATE, 1, 21, false, &bytes(b"c=biws,r=abcdef,p=d3Jvbmc="));
    conversation.client(&proof);
    conversation.broker(&response(20, &[0; 8]));
    assert!(authenticated(conversation).is_empty());
    conversation.broker(&response(21, &[&[0, 58, 0xff, 0xff][..], &[0; 12]].concat()));

    assert_eq!(login.told(), [&named(Mechanism::ScramSha256, "alice", false)]);
}

#[test]
fn versions_may_be_asked_for_at_any_time_and_decide_nothing() {
    let mut login = Login::new("GSSAPI");
    login.token(b"\x60\x82 ticket", 0, b"\x60\x81 reply");

    login.exchange(Api::API_VERSIONS, 0, false, &[], &[0; 6]);
    assert!(login.told().is_empty());
    login.metadata();

    assert_eq!(login.told(), [&unnamed(Mechanism::Gssapi, true)]);
}

#[test]
fn a_client_that_does_not_wait_gets_no_name_by_anothers_success() {
    let handshake = |correlation| request(Api::SASL_HANDSHAKE, 1, correlation, false, b"\0\x05PLAIN");
    let token = |correlation, token: &[u8]| request(Api::SASL_AUTHENTICATE, 0, correlation, false, &bytes(token));
    let authenticated_response = |correlation| response(correlation, &[0, 0, 0xff, 0xff, 0, 0, 0, 0]);
    let metadata = |correlation| request(METADATA, 0, correlation, false, &[0; 4]);
    let conversations = [
        (
            [token(2, b"\0bob\0his"), handshake(3), token(4, b"\0alice\0wrong")],
            [authenticated_response(2), response(3, &[0; 6])],
        ),
        ([metadata(2), handshake(3), token(4, b"\0alice\0wrong")], [response(2, &[0; 8]), response(3, &[0; 6])]),
    ];
    for (asked, answered) in conversations {
        let mut conversation = Conversation::new();
        conversation.client(&handshake(1));
        conversation.broker(&response(1, &[0; 6]));

        conversation.client(&asked.concat());
        conversation.broker(&answered.concat());

        let names = authenticated(&conversation).into_iter().filter(|told| **told != unnamed(Mechanism::Plain, true));
        assert_eq!(names.count(), 0);
    }
}

/// Frames of both sides in turn, after `SaslHandshake` version 0 for a mechanism.
fn without_headers(mechanism: &str, frames: &[&[u8]]) -> Conversation {
    let mut conversation = Conversation::new();
    let name = [&[0, u8::try_from(mechanism.len()).unwrap()], mechanism.as_bytes()].concat();
    conversation.client(&request(Api::SASL_HANDSHAKE, 0, 1, false, &name));
    conversation.broker(&response(1, &[0; 6]));
    for (turn, token) in frames.iter().enumerate() {
        let side = if turn % 2 == 0 { Side::Client } else { Side::Broker };
        frame(&[token]).chunks(1).for_each(|byte| conversation.feed(side, byte, 0));
    }
    conversation
}

#[test]
fn tokens_without_headers_are_read_and_the_connection_is_followed_on() {
    let bearer = b"n,,\x01auth=Bearer e30.eyJzdWIiOiJhbGljZSJ9.c2ln\x01\x01";
    let cases: [(&str, &[&[u8]], Told); 3] = [
        ("PLAIN", &[b"\0alice\0canary-bird", b""], named(Mechanism::Plain, "alice", true)),
        ("OAUTHBEARER", &[bearer, b""], named(Mechanism::OauthBearer, "alice", true)),
        (
            "SCRAM-SHA-256",
            &[b"n,,n=alice,r=abc", b"r=abcdef,s=c2FsdA==,i=4096", b"c=biws,r=abcdef,p=cHJvb2Y=", b"v=c2lnbmF0dXJl"],
            named(Mechanism::ScramSha256, "alice", true),
        ),
    ];
    for (mechanism, frames, expected) in cases {
        let mut conversation = without_headers(mechanism, frames);

        conversation.client(&request(METADATA, 0, 2, false, &[0; 4]));
        conversation.broker(&response(2, &[0; 8]));

        assert_eq!(authenticated(&conversation), [&expected]);
        assert_eq!(conversation.exchanges(), [Api::SASL_HANDSHAKE, METADATA]);
    }
}

#[test]
fn a_broker_need_not_answer_the_last_token_without_a_header() {
    let mut conversation = without_headers("GSSAPI", &[b"\x60\x82 ticket", b"\x60\x81 reply", b"\x05\x04 layer"]);

    conversation.client(&request(METADATA, 0, 2, false, &[0; 4]));
    conversation.broker(&response(2, &[0; 8]));

    assert_eq!(conversation.exchanges(), [Api::SASL_HANDSHAKE, METADATA]);
}

#[test]
fn an_answer_to_no_token_is_no_response_either() {
    let mut conversation = without_headers("PLAIN", &[b"\0alice\0canary-bird", b"", b"\0bob\0his", b""]);

    conversation.broker(&frame(&[b""]));

    assert_eq!(conversation.last(), Some(&Told::Opaque(Opaque::ShortResponse)));
}

/// Whether the secret is in this text, as itself or as numbers.
fn shows(text: &str, secret: &[u8]) -> bool {
    let numbers = format!("{secret:?}");
    text.contains(std::str::from_utf8(secret).unwrap()) || text.contains(numbers.trim_matches(['[', ']']))
}

#[test]
fn a_secret_is_in_no_event_and_in_nothing_that_can_be_shown() {
    let scram = b"c=biws,r=abcdef,p=canary-bird";
    let bearer = b"n,,\x01auth=Bearer e30.eyJzdWIiOiJhbGljZSJ9.canary-bird\x01\x01";
    let cases: [(&[u8], &[u8]); 4] = [
        (b"PLAIN", b"\0alice\0canary-bird"),
        (b"SCRAM-SHA-256", scram),
        (b"OAUTHBEARER", bearer),
        (b"AWS_MSK_IAM", b"{\"signature\":\"canary-bird\"}"),
    ];
    for (mechanism, token) in cases {
        let mut login = Login::new(std::str::from_utf8(mechanism).unwrap());
        let asked = request(Api::SASL_AUTHENTICATE, 1, 7, false, &bytes(token));
        assert!(asked.windows(SECRET.len()).any(|part| part == SECRET));

        let mut rewriter = Rewriter::new(Limits::default());

        for byte in asked.chunks(1) {
            login.conversation.feed(Side::Client, byte, 0);
            rewriter.asked(byte).unwrap();
            assert!(!shows(&format!("{:?}{rewriter:?}", login.conversation.connection), SECRET));
        }
        login.conversation.broker(&response(7, &[0, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));

        assert!(!shows(&format!("{:?}{:?}", login.conversation.connection, login.conversation.told), SECRET));
    }
    assert!(shows(&format!("{SECRET:?}"), SECRET), "the test can fail");
}
