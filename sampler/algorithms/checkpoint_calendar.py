"""Checkpoint schedule of a sampler that forgets data: plain Python, also translated to JavaScript."""


class CheckpointCalendar:
    """Checkpoints that ``keep_last`` adds to those of LMV-n after 1, 2, 4, ... data.

    A checkpoint taken before data were dropped belongs to another target: each chain's current position replaces it, and
    again 1, 2, 4, ... epochs later. The schedule restarts whenever half of the data have been replaced.

    Parameters
    ----------
    since : int or None
        Number of data that had arrived when the schedule last restarted; None if no data have been dropped.
    """

    def __init__(self, since: int | None = None) -> None:
        self.since = since

    def forget(self, came: int, t: int, n: int) -> None:
        """Record that, after ``came`` data in total, n of the last ``t`` are kept."""
        if self.since is None or 2 * (t - n) >= t or 2 * (came - self.since) >= n:
            self.since = came

    def is_due(self, came: int) -> bool:
        """Return True if a checkpoint is due before the next epoch, after ``came`` data in total."""
        if self.since is None:
            return False
        age = came - self.since
        return age & (age - 1) == 0

    def coming(self, came: int) -> int | None:
        """Return the number of data at which the next checkpoint after ``came`` data is due; None if there is none."""
        return None if self.since is None else self.since + (1 << (came - self.since).bit_length())

    def newest(self, came: int) -> int:
        """Return the number of data at which the last checkpoint up to ``came`` data was due; 0 if there was none."""
        if self.since is None or came < self.since:
            return 0
        return self.since + ((1 << (came - self.since).bit_length()) >> 1)
