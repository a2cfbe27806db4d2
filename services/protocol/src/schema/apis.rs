//! Finds an API in the tables.

use super::generated::APIS;
use super::table::Api;

/// All of them, by their keys.
#[must_use]
pub fn apis() -> &'static [Api] {
    APIS
}

/// The API with this key, if Kafka has one.
#[must_use]
pub fn api(key: i16) -> Option<&'static Api> {
    // The first keys have no gaps.
    let guess = usize::try_from(key).ok()?;
    let is_it = |api: &&Api| api.key == key;
    APIS.get(guess).filter(is_it).or_else(|| APIS.get(APIS.binary_search_by_key(&key, |api| api.key).ok()?))
}

#[cfg(test)]
mod tests {
    use super::super::table::{Field, Kind};
    use super::*;

    #[test]
    fn keys_are_sorted_for_the_search() {
        assert!(apis().is_sorted_by(|one, next| one.key < next.key));
    }

    #[test]
    fn a_response_has_the_versions_of_its_request_without_gaps() {
        for api in apis() {
            let versions: Vec<i16> = api.versions().collect();

            assert!(versions.is_sorted_by(|one, next| one + 1 == *next), "{}: {versions:?}", api.name);
            assert!(versions.iter().all(|version| api.response(*version).is_some()), "{}", api.name);
        }
    }

    #[test]
    fn every_element_of_an_array_has_a_byte_so_that_counts_can_be_bounded() {
        fn check(fields: &[Field], version: i16, flexible: bool, name: &str) {
            for field in fields.iter().filter(|field| field.versions.contain(version)) {
                let nested = match field.kind {
                    Kind::Struct(fields) => fields,
                    Kind::Array(Kind::Struct(fields)) => *fields,
                    _ => continue,
                };
                let is_array = matches!(field.kind, Kind::Array(_));
                let empty = !flexible && !nested.iter().any(|one| one.versions.contain(version));
                assert!(!(is_array && empty), "{name} {version}: {} has elements without bytes", field.name);
                check(nested, version, flexible, name);
            }
        }
        for api in apis() {
            for version in api.versions() {
                for layout in [api.request(version), api.response(version)].into_iter().flatten() {
                    check(layout.fields, version, layout.flexible.contain(version), api.name);
                }
            }
        }
    }
}
