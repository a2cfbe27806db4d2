//! What subscriptions can select a client by.

/// Values of the six selectors; one that is not known is matched by nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are Kafka's")]
pub struct Selectors<'a> {
    pub client_instance_id: Option<&'a str>,
    pub client_id: Option<&'a str>,
    pub client_software_name: Option<&'a str>,
    pub client_software_version: Option<&'a str>,
    pub client_source_address: Option<&'a str>,
    pub client_source_port: Option<&'a str>,
}

impl<'a> Selectors<'a> {
    /// The value of a selector by Kafka's name; `None` too for a name that is none.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'a str> {
        match name {
            "client_instance_id" => self.client_instance_id,
            "client_id" => self.client_id,
            "client_software_name" => self.client_software_name,
            "client_software_version" => self.client_software_version,
            "client_source_address" => self.client_source_address,
            "client_source_port" => self.client_source_port,
            _ => None,
        }
    }
}
