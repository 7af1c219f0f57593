"""When a save that failed is tried again."""

from twofold.memory.retry import MOST_ATTEMPTS, retry_delay


def test_a_failed_save_waits_longer_each_time_up_to_ten_minutes_and_is_given_up_in_the_end() -> None:
    delays = [retry_delay(attempts) for attempts in range(1, MOST_ATTEMPTS + 1)]
    assert delays == [5, 15, 45, 135, 405, 600, 600, 600, 600, None]


def test_all_tries_together_cover_most_of_an_hour() -> None:
    assert 2700 < sum(retry_delay(attempts) or 0 for attempts in range(1, MOST_ATTEMPTS)) < 3600
