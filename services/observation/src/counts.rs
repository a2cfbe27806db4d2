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
        self.add_some(one, 1);
    }

    /// Count what another has counted.
    pub fn merge(&mut self, other: &Self) {
        other.iter().for_each(|(one, count)| self.add_some(one, count));
        self.others = self.others.saturating_add(other.others);
    }

    fn add_some(&mut self, one: T, some: u64) {
        if let Some((_, count)) = self.counted.iter_mut().find(|(counted, _)| *counted == one) {
            *count = count.saturating_add(some);
        } else if self.counted.len() < DIFFERENT {
            self.counted.push((one, some));
        } else {
            self.others = self.others.saturating_add(some);
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

    /// Returns true if nothing was counted.
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

    #[test]
    fn counts_add_up_with_those_that_are_not_told_apart() {
        let (mut one, mut other) = (Counts::default(), Counts::default());
        one.add(1);
        (0..1000).for_each(|code| other.add(code));

        one.merge(&other);

        assert_eq!(one.iter().find(|(code, _)| *code == 1), Some((1, 2)));
        assert_eq!(one.iter().map(|(_, count)| count).sum::<u64>() + one.others(), 1001);
    }
}
