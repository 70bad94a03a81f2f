"""When a sampler that forgets takes its checkpoints: plain Python, translated for the browser too."""


class CheckpointCalendar:
    """Beside LMV-n's own checkpoints, after 1, 2, 4, ... data, those that ``keep_last`` makes due.

    The checkpoint from before is of another target: the place where a chain stands is the new one, and again 1, 2, 4, ...
    epochs later. This begins afresh whenever half of the data are others.

    Parameters
    ----------
    since : int or None
        Data that had come when checkpoints began afresh; None while nothing has been forgotten.
    """

    def __init__(self, since: int | None = None) -> None:
        self.since = since

    def forget(self, came: int, t: int, n: int) -> None:
        """Take notice that, after ``came`` data in all, n of the t that counted stay."""
        if self.since is None or 2 * (t - n) >= t or 2 * (came - self.since) >= n:
            self.since = came

    def is_due(self, came: int) -> bool:
        """Whether the checkpoint is taken before the next epoch, after ``came`` data in all."""
        if self.since is None:
            return False
        age = came - self.since
        return age & (age - 1) == 0

    def coming(self, came: int) -> int | None:
        """Return how many data will have come when it is next due, later than now; None where it never is."""
        return None if self.since is None else self.since + (1 << (came - self.since).bit_length())

    def newest(self, came: int) -> int:
        """Return after how many data it was due last, ``came`` have come; 0 where it never was."""
        if self.since is None or came < self.since:
            return 0
        return self.since + ((1 << (came - self.since).bit_length()) >> 1)
