//! Sends what clients pushed to the collector, as the broker plugin does, and asks it for the cluster's subscriptions.

use std::io;
use std::sync::Arc;

use hyper::StatusCode;
use hyper::body::Bytes;
use kwitness_reporting::owner_of;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::sync::watch;
use tokio::time::Instant;

use super::client::{Client, Tcp};
use super::{EVERYTHING, LONGEST_WAIT, Reporter, SHORTEST_WAIT};
use crate::control::later;
use crate::log::log;
use crate::settings::{Collector, Settings};
use crate::telemetry::{FINISH_WITHIN, Telemetry, Wanted};

/// What the collector answers to pushes.
#[derive(Debug, Deserialize)]
struct Answer {
    #[serde(default)]
    rejected: Vec<Rejection>,
}

#[derive(Debug, Deserialize)]
struct Rejection {
    seq: u64,
    reason: String,
}

/// What it answers to the question for subscriptions.
#[derive(Debug, Deserialize)]
struct Subscriptions {
    hash: String,
    subscriptions: Box<RawValue>,
}

/// Who sends, one request at a time.
struct Pusher {
    telemetry: Arc<Telemetry>,
    settings: watch::Receiver<Arc<Settings>>,
    /// `<namespace>/<pod>`.
    source: String,
    epoch_ms: u64,
    client: Client<Tcp>,
    /// Pushes of the next request at most.
    most: usize,
    failures: u32,
    not_before: Instant,
}

/// Send pushes as they come and follow the subscriptions, until the end; then what is left.
pub(super) fn push(reporter: &Reporter) -> impl Future<Output = ()> + Send + use<> {
    let pusher = Pusher {
        telemetry: Arc::clone(&reporter.telemetry),
        settings: reporter.settings.clone(),
        source: reporter.source.clone(),
        epoch_ms: reporter.epoch_ms,
        client: Client::new(Tcp::default()),
        most: EVERYTHING,
        failures: 0,
        not_before: Instant::now(),
    };
    push_all(pusher)
}

async fn push_all(mut pusher: Pusher) {
    let mut wanted = pusher.telemetry.wanted();
    loop {
        let now = wanted.borrow_and_update().clone();
        if now == Wanted::End {
            break;
        }
        let is_idle = !pusher.has_work(&now);
        tokio::select! {
            biased;
            // Whoever tells lives as long as this.
            Ok(()) = wanted.changed() => {}
            () = pusher.telemetry.pushed(), if is_idle => {}
            () = tokio::time::sleep_until(pusher.not_before), if !is_idle => pusher.work(&now).await,
        }
    }
    let finish = async {
        while !pusher.telemetry.queue(|queue| queue.is_empty()) {
            tokio::time::sleep_until(pusher.not_before).await;
            pusher.work(&Wanted::End).await;
        }
    };
    // What is left then is lost with the process: a push is a client's to repeat, which none does.
    let _ = tokio::time::timeout(FINISH_WITHIN, finish).await;
}

impl Pusher {
    fn has_work(&self, wanted: &Wanted) -> bool {
        let settings = self.settings.borrow();
        settings.collector.is_some()
            && (!self.telemetry.queue(|queue| queue.is_empty())
                || settings.telemetry.is_some() && self.unknown(wanted).is_some())
    }

    /// The hash of subscriptions that are to be asked for.
    fn unknown<'a>(&self, wanted: &'a Wanted) -> Option<&'a str> {
        match wanted {
            Wanted::Subscriptions(hash) if !self.telemetry.knows(hash) => Some(hash),
            _ => None,
        }
    }

    async fn work(&mut self, wanted: &Wanted) {
        let settings = Arc::clone(&self.settings.borrow());
        let Some(collector) = &settings.collector else { return };
        let mut outcome = Ok(());
        if settings.telemetry.is_some() && self.unknown(wanted).is_some() {
            outcome = self.ask(&settings, collector).await;
        }
        if !self.telemetry.queue(|queue| queue.is_empty()) {
            outcome = self.send(&settings, collector).await.and(outcome);
        }
        match outcome {
            Ok(()) => {
                if self.failures > 0 {
                    log!(Info, "The collector takes pushes again");
                }
                (self.failures, self.not_before) = (0, Instant::now());
            }
            Err(reason) => {
                if self.failures == 0 {
                    log!(Warning, "The collector takes no pushes; it is tried again", reason = reason);
                }
                self.failures = self.failures.saturating_add(1);
                let wait = SHORTEST_WAIT.saturating_mul(2_u32.saturating_pow(self.failures.min(16))).min(LONGEST_WAIT);
                self.not_before = later(Instant::now(), wait);
            }
        }
    }

    async fn ask(&self, settings: &Settings, collector: &Collector) -> Result<(), String> {
        let path = format!("/v1/observers/{}/{}/subscriptions", settings.namespace, settings.name);
        let content = answered(self.client.send(collector, self.ordinal(collector), &path, None).await)?;
        let Subscriptions { hash, subscriptions } =
            serde_json::from_slice(&content).map_err(|error| format!("its subscriptions cannot be read: {error}"))?;
        self.telemetry
            .subscribe(hash.clone(), subscriptions.get().to_owned())
            .map_err(|error| format!("its subscriptions cannot be read: {error}"))?;
        // They may have changed since the hash was told.
        self.telemetry.tell(&hash);
        Ok(())
    }

    async fn send(&mut self, settings: &Settings, collector: &Collector) -> Result<(), String> {
        let sent = self.telemetry.next(self.most);
        let body = json!({
            "schema": "kwitness.pushes/1",
            "source": format!("{}/{}", settings.cluster_id, self.source),
            "epoch": self.epoch_ms,
            "cluster_id": settings.cluster_id,
            "reported_by": settings.reported_by.name(),
            "pushes": sent.pushes,
        });
        let body = serde_json::to_vec(&body).map_err(|error| error.to_string())?;
        let posted = ("application/json", body.as_slice());
        let answer = self.client.send(collector, self.ordinal(collector), "/v1/pushes", Some(posted)).await;
        if let Ok((status, _)) = &answer
            && matches!(
                *status,
                StatusCode::BAD_REQUEST
                    | StatusCode::PAYLOAD_TOO_LARGE
                    | StatusCode::UNSUPPORTED_MEDIA_TYPE
                    | StatusCode::UNPROCESSABLE_ENTITY
            )
        {
            if sent.count <= 1 {
                self.telemetry.queue(|queue| queue.give_up("refused"));
            } else {
                self.most = sent.count.div_euclid(2);
            }
            return Err(format!("answered {status}"));
        }
        let content = answered(answer)?;
        let answer: Answer = serde_json::from_slice(&content)
            .map_err(|error| format!("somebody else answers at the collector's address: {error}"))?;
        let rejected: Vec<_> = answer.rejected.into_iter().map(|one| (one.seq, one.reason)).collect();
        self.telemetry.queue(|queue| queue.settle(&rejected));
        self.most = self.most.saturating_mul(2);
        Ok(())
    }

    /// Any replica gives each push to its owner; each observer keeps to one of them.
    fn ordinal(&self, collector: &Collector) -> u32 {
        owner_of(&self.source, collector.replicas)
    }
}

fn answered(answer: io::Result<(StatusCode, Bytes)>) -> Result<Bytes, String> {
    match answer {
        Ok((StatusCode::OK, content)) => Ok(content),
        Ok((status, _)) => Err(format!("answered {status}")),
        Err(error) => Err(error.to_string()),
    }
}
