//! However a stream is divided, the same is understood.

use kwitness_protocol::{Framer, Piece, Side};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::division::cut;
use crate::kafka::VECTORS;
use crate::transcript::{Conversation, frame, response};

/// Frames that the pieces of a framer make up.
fn frames<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> Vec<Vec<u8>> {
    let (mut framer, mut complete, mut current) = (Framer::new(1 << 20), Vec::new(), Vec::new());
    for mut chunk in chunks {
        while let Some(piece) = framer.next(&mut chunk).unwrap() {
            match piece {
                Piece::Head(length) => current = Vec::with_capacity(length),
                Piece::Body(body) => current.extend_from_slice(body),
                Piece::End => complete.push(std::mem::take(&mut current)),
            }
        }
    }
    complete
}

fn places() -> impl Strategy<Value = Vec<prop::sample::Index>> {
    vec(any::<prop::sample::Index>(), 0..40)
}

proptest! {
    #[test]
    fn frames_come_out_as_they_went_in(bodies in vec(vec(any::<u8>(), 0..50), 0..8), places in places()) {
        let stream: Vec<u8> = bodies.iter().flat_map(|body| frame(&[body])).collect();

        prop_assert_eq!(&frames(cut(&stream, &places).into_iter()), &bodies);
        prop_assert_eq!(&frames(stream.chunks(1)), &bodies);
    }

    #[test]
    fn a_connection_tells_the_same_however_its_bytes_are_divided(
        chosen in vec(any::<prop::sample::Index>(), 1..6),
        asked_in in places(),
        answered_in in places(),
    ) {
        let requests: Vec<_> = VECTORS[1].iter().filter(|one| one.is_request).collect();
        let chosen: Vec<_> = chosen.iter().map(|index| index.get(&requests)).collect();
        let asked: Vec<u8> = chosen.iter().flat_map(|one| frame(&[&one.frame])).collect();
        let answered: Vec<u8> = chosen
            .iter()
            .flat_map(|one| response(i32::from_be_bytes(one.frame[4..8].try_into().unwrap()), &one.frame))
            .collect();

        let told = |requests: Vec<&[u8]>, responses: Vec<&[u8]>| {
            let mut conversation = Conversation::new();
            for chunk in requests {
                conversation.feed(Side::Client, chunk, 1);
            }
            for chunk in responses {
                conversation.feed(Side::Broker, chunk, 2);
            }
            conversation.told
        };
        let whole = told(vec![&asked], vec![&answered]);

        prop_assert!(!whole.is_empty());
        prop_assert_eq!(&told(cut(&asked, &asked_in), cut(&answered, &answered_in)), &whole);
        prop_assert_eq!(&told(asked.chunks(1).collect(), answered.chunks(1).collect()), &whole);
    }
}
