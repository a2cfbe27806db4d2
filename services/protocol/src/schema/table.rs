//! The form of the tables: an API has layouts, a layout has fields.

/// Versions from the first to the last, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Versions {
    first: i16,
    last: i16,
}

impl Versions {
    /// No version at all.
    pub const NEVER: Self = Self::new(0, -1);

    /// From `first` to `last`.
    #[must_use]
    pub const fn new(first: i16, last: i16) -> Self {
        Self { first, last }
    }

    /// Returns true if `version` is among them.
    #[must_use]
    pub const fn contain(self, version: i16) -> bool {
        self.first <= version && version <= self.last
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = i16> {
        self.first..=self.last
    }
}

/// The type of a field.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names are the protocol's")]
pub enum Kind {
    Bool,
    Int8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Int64,
    Uuid,
    Float64,
    String,
    Bytes,
    Records,
    Array(&'static Kind),
    Struct(&'static [Field]),
}

/// A field of a message or of a structure in it.
#[derive(Debug)]
pub struct Field {
    /// As Kafka's definition spells it.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// The versions that have it.
    pub versions: Versions,
    /// The versions in which it may be null.
    pub nullable: Versions,
    /// Its number where it is a tagged field, which only flexible versions have.
    pub tag: Option<u32>,
}

/// A message in some of its versions.
#[derive(Debug)]
pub struct Layout {
    /// The versions it holds for.
    pub versions: Versions,
    /// Those of them that are flexible (KIP-482).
    pub flexible: Versions,
    /// In the order of the wire, but for tagged ones.
    pub fields: &'static [Field],
}

/// A request and its response, in every version that Kafka had or has.
#[derive(Debug)]
pub struct Api {
    /// The number that begins each request.
    pub key: i16,
    /// Kafka's name, such as `Produce`.
    pub name: &'static str,
    pub(super) requests: &'static [Layout],
    pub(super) responses: &'static [Layout],
}

impl Api {
    /// Its key for producing.
    pub const PRODUCE: i16 = 0;
    /// Its key for consuming.
    pub const FETCH: i16 = 1;
    /// Its key, by which a client learns which brokers and topics there are.
    pub const METADATA: i16 = 3;
    /// Its key, by which a client learns which broker a group or a transaction belongs to.
    pub const FIND_COORDINATOR: i16 = 10;
    /// Its key, by which a client chooses how it proves who it is.
    pub const SASL_HANDSHAKE: i16 = 17;
    /// Its key, which a client asks which versions a broker has by.
    pub const API_VERSIONS: i16 = 18;
    /// Its key, by which a client proves who it is.
    pub const SASL_AUTHENTICATE: i16 = 36;
    /// Its key, by which an administrator learns of the controllers.
    pub const DESCRIBE_QUORUM: i16 = 55;
    /// Its key, by which an administrator learns of the brokers.
    pub const DESCRIBE_CLUSTER: i16 = 60;
    /// Its key for consuming in a share group (KIP-932).
    pub const SHARE_FETCH: i16 = 78;
    /// Its key for acknowledging in a share group (KIP-932).
    pub const SHARE_ACKNOWLEDGE: i16 = 79;
    const CONTROLLED_SHUTDOWN: i16 = 7;

    /// How the request is laid out in this version; `None` if Kafka knows none.
    #[must_use]
    pub fn request(&self, version: i16) -> Option<&'static Layout> {
        self.requests.iter().find(|layout| layout.versions.contain(version))
    }

    /// How the response is laid out in this version; `None` if Kafka knows none.
    #[must_use]
    pub fn response(&self, version: i16) -> Option<&'static Layout> {
        self.responses.iter().find(|layout| layout.versions.contain(version))
    }

    /// The versions that requests can have, the oldest first.
    pub fn versions(&self) -> impl Iterator<Item = i16> {
        self.requests.iter().flat_map(|layout| layout.versions.iter())
    }

    /// The version of the header before a request of this version.
    #[must_use]
    pub fn request_header(&self, version: i16) -> Option<i16> {
        let layout = self.request(version)?;
        Some(match (self.key, version) {
            (Self::CONTROLLED_SHUTDOWN, 0) => 0, // the only one without a client id
            _ if layout.flexible.contain(version) => 2,
            _ => 1,
        })
    }

    /// The version of the header before a response of this version.
    #[must_use]
    pub fn response_header(&self, version: i16) -> Option<i16> {
        let layout = self.response(version)?;
        // A client reads it before it knows which versions the broker has (KIP-511).
        Some((self.key != Self::API_VERSIONS && layout.flexible.contain(version)).into())
    }
}
