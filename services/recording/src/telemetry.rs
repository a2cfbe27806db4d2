//! Answers clients' requests of telemetry (KIP-714) that were kept from the broker.

use kwitness_observation::Identity;
use kwitness_protocol::Fault;
use kwitness_protocol::telemetry::{Kept, Request, Subscription, get_response, push_response, refusal};
use kwitness_reporting::telemetry::{Error, InstanceId, Manager, Push, Pushed};

/// The outcome of a request.
#[derive(Debug)]
pub struct Answer {
    /// The response, with its length before it.
    pub response: Vec<u8>,
    /// The error that it has.
    pub error: Error,
    /// The push, if one was accepted.
    pub push: Option<Push>,
}

/// Answer a request.
///
/// Parameters
///
/// `client` is what is known of the connection; it is what a push carries, too. `now_ms` is a time in milliseconds
/// since 1970, `random` makes the id of an instance that has none.
///
/// # Errors
/// It is not what its definition says. A broker closes the connection then.
pub fn answer(
    manager: &mut Manager,
    kept: Kept<'_>,
    client: &Identity,
    now_ms: u64,
    random: impl FnOnce() -> [u8; 16],
) -> Result<Answer, Fault> {
    let (header, request) = kept.read()?;
    let correlation = header.opening.correlation;
    let answer = match request {
        Request::Get { id } => {
            let own = Some(InstanceId(id)).filter(|id| *id != InstanceId::ZERO);
            let id = own.unwrap_or_else(|| InstanceId::of_random(random()));
            match manager.get(id, header.client_id, client, now_ms) {
                Ok(matched) => {
                    let subscription = Subscription {
                        instance: id.0,
                        id: matched.requested.id(id),
                        interval_ms: matched.requested.interval_ms,
                        max_bytes: matched.max_bytes,
                        metrics: &matched.requested.metrics,
                    };
                    Answer { response: get_response(correlation, &subscription), error: Error::None, push: None }
                }
                Err(error) => Answer { response: refusal(correlation, error.code()), error, push: None },
            }
        }
        Request::Push(pushed) => {
            let pushed = Pushed {
                id: InstanceId(pushed.id),
                subscription_id: pushed.subscription_id,
                is_terminating: pushed.is_terminating,
                compression: pushed.compression,
                size: pushed.size,
                metrics: pushed.metrics,
                is_cut: kept.is_cut,
            };
            let outcome = manager.push(&pushed, header.client_id, client, now_ms);
            let error = outcome.as_ref().err().copied().unwrap_or_default();
            Answer { response: push_response(correlation, error.code()), error, push: outcome.ok().flatten() }
        }
    };
    Ok(answer)
}
