//! A file that keeps the port and the address of each broker for the process that comes after this one.
//!
//! Clients beside a sidecar keep the ports that they were given. The next process opens the same ports, and a connection
//! to one of them goes to the same broker. The file has to lie where it outlives a container and not its pod.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::brokers_seen::BrokersSeen;
use crate::log::log;
use crate::ports::Ports;
use crate::settings::Address;

/// A larger file is neither read nor written: its volume has room for two.
const MOST_BYTES: u64 = 400 * 1024;

type Nodes = BTreeMap<i32, Node>;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Node {
    /// The port that clients have of it.
    port: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<Address>,
}

/// The brokers that were seen, with their ports, and the file that follows them.
#[derive(Debug)]
pub(crate) struct NodeTable {
    file: Option<PathBuf>,
    written: Nodes,
    pub(crate) seen: Arc<BrokersSeen>,
    pub(crate) ports: Option<Arc<Ports>>,
}

impl NodeTable {
    /// Open the ports that the file has, where there is one. What cannot be read or opened is logged and left out.
    pub(crate) fn restored(file: Option<PathBuf>, ports: Option<Arc<Ports>>) -> Self {
        let file = file.filter(|_| ports.is_some());
        let mut nodes = file.as_deref().map_or_else(Nodes::default, |file| {
            read(file).unwrap_or_else(|error| {
                let (file, reason) = (file.display().to_string(), error.to_string());
                log!(Warning, "Brokers get other ports than before", file = file, reason = reason);
                Nodes::default()
            })
        });
        let written = nodes.clone();
        if let Some(ports) = &ports {
            nodes.retain(|node, Node { port, .. }| {
                let reopened = ports.reopen(*node, *port);
                if let Err(error) = &reopened {
                    let (message, reason) = ("The former port of a broker cannot be had", error.to_string());
                    log!(Warning, message, broker = node, port = port, reason = reason);
                }
                reopened.is_ok()
            });
        }
        let former = nodes.into_iter().filter_map(|(node, Node { address, .. })| Some((node, address?)));
        Self { file, written, seen: Arc::new(BrokersSeen::with_former(former.collect())), ports }
    }

    /// Write the file where anything has changed.
    pub(crate) fn keep(&mut self) {
        let (Some(file), Some(ports)) = (&self.file, &self.ports) else { return };
        let node = |(node, port)| (node, Node { port, address: self.seen.of(node).or_else(|| self.seen.former(node)) });
        let nodes: Nodes = ports.given().into_iter().map(node).collect();
        if nodes == self.written {
            return;
        }
        if let Err(error) = write(file, &nodes) {
            let (file, reason) = (file.display().to_string(), error.to_string());
            log!(Warning, "The next process will give brokers other ports", file = file, reason = reason);
        }
        self.written = nodes;
    }
}

fn read(file: &Path) -> io::Result<Nodes> {
    let mut text = Vec::new();
    match File::open(file) {
        Ok(opened) => opened.take(MOST_BYTES).read_to_end(&mut text)?,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Nodes::default()),
        Err(error) => return Err(error),
    };
    Ok(serde_json::from_slice(&text)?)
}

/// In place of the former one at once: a process that is killed leaves one of the two.
fn write(file: &Path, nodes: &Nodes) -> io::Result<()> {
    let text = serde_json::to_vec(nodes)?;
    if text.len() as u64 > MOST_BYTES {
        return Err(io::Error::new(
            ErrorKind::FileTooLarge,
            format!("{} brokers need more than {MOST_BYTES} bytes", nodes.len()),
        ));
    }
    let unfinished = file.with_extension("unfinished");
    fs::write(&unfinished, text)?;
    fs::rename(unfinished, file)
}
