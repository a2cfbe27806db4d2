//! Where one direction of a connection stands between its frames; this is needed also where nothing is observed.

/// Follows the lengths of frames and nothing else.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    length: [u8; 4],
    have: usize,
    left: usize,
    complete: u64,
    longest: usize,
    is_lost: bool,
}

impl Frames {
    /// Take bytes that passed.
    pub(crate) fn advance(&mut self, mut bytes: &[u8]) {
        while !self.is_lost
            && let Some((first, rest)) = bytes.split_first()
        {
            if self.left > 0 {
                let taken = self.left.min(bytes.len());
                self.left = self.left.saturating_sub(taken);
                bytes = bytes.get(taken..).unwrap_or_default();
                self.count_if_complete();
                continue;
            }
            if let Some(place) = self.length.get_mut(self.have) {
                *place = *first;
            }
            self.have = self.have.saturating_add(1);
            bytes = rest;
            if self.have == self.length.len() {
                self.have = 0;
                match usize::try_from(i32::from_be_bytes(self.length)) {
                    Ok(left) => {
                        self.left = left;
                        self.longest = self.longest.max(left);
                    }
                    Err(_) => self.is_lost = true,
                }
                self.count_if_complete();
            }
        }
    }

    /// How many bytes come next that end no frame.
    pub(crate) const fn inner(&self) -> usize {
        self.left.saturating_sub(1)
    }

    /// Have so many bytes pass that end no frame.
    pub(crate) const fn pass(&mut self, bytes: usize) {
        self.left = self.left.saturating_sub(bytes);
    }

    fn count_if_complete(&mut self) {
        if self.left == 0 && !self.is_lost {
            self.complete = self.complete.saturating_add(1);
        }
    }

    /// How many bytes are certainly missing to the next place between two frames; `None` where that is not known.
    pub(crate) fn to_boundary(&self) -> Option<usize> {
        match self {
            Self { is_lost: true, .. } => None,
            Self { left: 0, have: 0, .. } => Some(0),
            Self { left: 0, have, length, .. } => Some(length.len().saturating_sub(*have)),
            Self { left, .. } => Some(*left),
        }
    }

    /// Whether a frame began and is not complete.
    pub(crate) fn is_within(&self) -> bool {
        self.to_boundary().is_some_and(|left| left > 0)
    }

    /// How many bytes are missing to the place between two frames; `None` where that is not known, as within a length.
    pub(crate) const fn to_next_frame(&self) -> Option<usize> {
        if self.is_lost || self.have > 0 { None } else { Some(self.left) }
    }

    /// The length of the longest frame that began.
    pub(crate) const fn longest(&self) -> usize {
        self.longest
    }

    /// Returns true if no byte has passed.
    pub(crate) const fn is_untouched(&self) -> bool {
        self.complete == 0 && self.left == 0 && self.have == 0 && !self.is_lost
    }

    /// How many frames are complete.
    pub(crate) const fn complete(&self) -> u64 {
        self.complete
    }

    /// Whether these bytes are no frames.
    pub(crate) const fn is_lost(&self) -> bool {
        self.is_lost
    }
}

#[cfg(test)]
mod tests {
    use super::Frames;

    #[test]
    fn frames_are_counted_however_they_are_divided() {
        let stream = [&[0, 0, 0, 3, 1, 2, 3][..], &[0, 0, 0, 0], &[0, 0, 0, 1, 9]].concat();
        for size in 1..=stream.len() {
            let mut frames = Frames::default();
            stream.chunks(size).for_each(|chunk| frames.advance(chunk));

            assert_eq!((frames.complete(), frames.to_boundary()), (3, Some(0)), "pieces of {size}");
        }
    }

    #[test]
    fn what_is_missing_to_the_boundary_is_known() {
        let mut frames = Frames::default();
        let mut missing = Vec::new();
        for byte in [0, 0, 0, 2, 7] {
            frames.advance(&[byte]);
            missing.push(frames.to_boundary());
        }

        assert_eq!(missing, [Some(3), Some(2), Some(1), Some(2), Some(1)]);
    }

    #[test]
    fn a_negative_length_loses_the_boundaries() {
        let mut frames = Frames::default();
        frames.advance(b"\xff\0\0\0 and more");

        assert_eq!((frames.is_lost(), frames.to_boundary(), frames.complete()), (true, None, 0));
    }
}
