//! Counts by a few different things, such as error codes.

/// How many different things are told apart.
pub const DIFFERENT: usize = 255;

/// Counts by what was counted. There are few, so they are looked through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts<T> {
    counted: Vec<(T, u64)>,
    others: u64,
}

impl<T> Default for Counts<T> {
    fn default() -> Self {
        Self { counted: Vec::new(), others: 0 }
    }
}

impl<T: Copy + Eq> Counts<T> {
    /// Count one.
    pub fn add(&mut self, one: T) {
        if let Some((_, count)) = self.counted.iter_mut().find(|(counted, _)| *counted == one) {
            *count = count.saturating_add(1);
        } else if self.counted.len() < DIFFERENT {
            self.counted.push((one, 1));
        } else {
            self.others = self.others.saturating_add(1);
        }
    }

    /// What was counted, with its count.
    pub fn iter(&self) -> impl Iterator<Item = (T, u64)> {
        self.counted.iter().copied()
    }

    /// How many came after [`DIFFERENT`] others.
    #[must_use]
    pub const fn others(&self) -> u64 {
        self.others
    }

    /// Whether nothing was counted.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.counted.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_one_too_many_is_counted_with_the_others() {
        let mut counts = Counts::default();
        for code in (0..1000).chain(0..1000) {
            counts.add(code);
        }

        assert_eq!(counts.iter().count(), DIFFERENT);
        assert_eq!(counts.iter().map(|(_, count)| count).sum::<u64>() + counts.others(), 2000);
    }
}
