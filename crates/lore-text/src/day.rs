//! The agent's current day, which lasts until a given hour of the next date.
//!
//! A day starts at the first instant at which the local clock shows the boundary hour, or a later time, of its date. A
//! clock that is set back shows some times twice, even those of the previous date; that never reverts the day. A date
//! that a time zone skipped is not a day: the previous day lasts until the next one starts.

use jiff::civil::{Date, DateTime};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{Timestamp, ToSpan, Zoned};

/// Returns the day that an instant belongs to: until `boundary` o'clock, from 0 to 23, it is still the previous day.
pub fn day_of(now: &Zoned, boundary: i8) -> Date {
    let today = now.date();
    // A clock that was set back shows a date up to two days earlier than the day that has started, and the days before
    // today may be skipped.
    let days = (-3..=2).rev().filter_map(|offset| today.checked_add(offset.days()).ok());
    let mut started = days.filter(|day| {
        day_start(now.time_zone(), *day, boundary).is_some_and(|started| started <= now.timestamp())
    });
    started.next().unwrap_or(today)
}

/// Returns the next instant at which [`day_of`] changes.
pub fn next_day_start(now: &Zoned, boundary: i8) -> Zoned {
    let day = day_of(now, boundary);
    let later = (1..=3).filter_map(|offset| day.checked_add(offset.days()).ok());
    let start = later.filter_map(|day| day_start(now.time_zone(), day, boundary)).next();
    // There is no next day only at the end of the calendar.
    start.unwrap_or(Timestamp::MAX).to_zoned(now.time_zone().clone())
}

/// Returns the first instant of a day; none for a date that the time zone skipped.
fn day_start(zone: &TimeZone, day: Date, boundary: i8) -> Option<Timestamp> {
    let midnight = first_instant(zone, day.at(0, 0, 0, 0))?;
    let exists = zone.to_datetime(midnight).date() == day;
    if exists { first_instant(zone, day.at(boundary.clamp(0, 23), 0, 0, 0)) } else { None }
}

/// Returns the first instant at which the clock shows a time or a later one.
fn first_instant(zone: &TimeZone, time: DateTime) -> Option<Timestamp> {
    let local_time = zone.to_ambiguous_timestamp(time);
    let skipped = matches!(local_time.offset(), AmbiguousOffset::Gap { .. });
    let first = local_time.earlier().ok()?;
    // The clock skips this time: the first instant is that of the jump.
    if skipped { zone.following(first).next().map(|jump| jump.timestamp()) } else { Some(first) }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use proptest::prelude::*;

    use super::*;

    const ZONES: [&str; 10] = [
        "America/New_York",
        "Europe/Berlin",
        "Australia/Lord_Howe",
        "Asia/Kolkata",
        "Pacific/Apia",
        "Africa/Casablanca",
        "America/Sao_Paulo",
        "America/St_Johns",
        "Antarctica/Troll",
        "America/Nuuk",
    ];

    fn zone(name: &str) -> TimeZone {
        TimeZone::get(name).expect("a zone of the database")
    }

    /// Checks the day just before and at the turn, and that the turn is the next one from half a day earlier.
    #[track_caller]
    fn check_boundary(name: &str, boundary: i8, start: &str, before: &str, after: &str) {
        let start = start.parse::<Timestamp>().expect("an instant").to_zoned(zone(name));
        let just_before = &start - 1.nanosecond();
        assert_eq!(day_of(&just_before, boundary).to_string(), before, "before {start}");
        assert_eq!(day_of(&start, boundary).to_string(), after, "at {start}");
        for earlier in [&start - 12.hours(), just_before] {
            assert_eq!(next_day_start(&earlier, boundary), start, "from {earlier}");
        }
        let end = next_day_start(&start, boundary);
        assert_eq!(day_of(&(&end - 1.nanosecond()), boundary).to_string(), after, "until {end}");
    }

    #[test]
    fn day_changes_at_the_boundary() {
        check_boundary("Europe/Berlin", 4, "2026-05-18T04:00:00+02:00", "2026-05-17", "2026-05-18");
        check_boundary("Europe/Berlin", 0, "2026-05-18T00:00:00+02:00", "2026-05-17", "2026-05-18");
        check_boundary("Europe/Berlin", 23, "2026-05-18T23:00:00+02:00", "2026-05-17", "2026-05-18");
        check_boundary("Asia/Kolkata", 4, "2026-01-01T04:00:00+05:30", "2025-12-31", "2026-01-01");
    }

    #[test]
    fn skipped_boundary_is_reached_at_the_jump() {
        check_boundary("Europe/Berlin", 2, "2026-03-29T03:00:00+02:00", "2026-03-28", "2026-03-29");
        check_boundary("Europe/Berlin", 3, "2026-03-29T03:00:00+02:00", "2026-03-28", "2026-03-29");
        check_boundary("Australia/Lord_Howe", 2, "2026-10-04T02:30:00+11:00", "2026-10-03", "2026-10-04");
        check_boundary("America/Sao_Paulo", 0, "2018-11-04T01:00:00-02:00", "2018-11-03", "2018-11-04");
        // The gap in this time zone is from 00:01 to 01:01, so one o'clock is reached a minute late.
        check_boundary("America/St_Johns", 1, "2010-03-14T01:01:00-02:30", "2010-03-13", "2010-03-14");
        // 23:00 is skipped: the day starts at midnight but still belongs to the previous date.
        check_boundary("America/Nuuk", 23, "2024-03-31T00:00:00-01:00", "2024-03-29", "2024-03-30");
    }

    #[test]
    fn repeated_boundary_changes_the_day_once() {
        check_boundary("Europe/Berlin", 2, "2026-10-25T02:00:00+02:00", "2026-10-24", "2026-10-25");
        check_boundary("Europe/Berlin", 3, "2026-10-25T03:00:00+01:00", "2026-10-24", "2026-10-25");
        check_boundary("America/Sao_Paulo", 23, "2018-02-17T23:00:00-02:00", "2018-02-16", "2018-02-17");
        check_boundary("America/Sao_Paulo", 0, "2018-02-18T00:00:00-03:00", "2018-02-17", "2018-02-18");
        // From three back to one: the hour before the boundary repeats after it.
        check_boundary("Antarctica/Troll", 2, "2026-10-25T02:00:00+02:00", "2026-10-24", "2026-10-25");
        // From a minute past midnight back to the previous date.
        check_boundary("America/St_Johns", 0, "2010-11-07T00:00:00-02:30", "2010-11-06", "2010-11-07");
    }

    #[test]
    fn repeated_time_belongs_to_the_new_day() {
        for (name, boundary, at, day) in [
            ("America/St_Johns", 0, "2010-11-06T23:30:00-03:30", "2010-11-07"),
            ("Antarctica/Troll", 2, "2026-10-25T01:30:00+00:00", "2026-10-25"),
            ("Europe/Berlin", 3, "2026-10-25T02:30:00+01:00", "2026-10-24"),
        ] {
            let at = at.parse::<Timestamp>().expect("an instant").to_zoned(zone(name));
            assert_eq!(day_of(&at, boundary).to_string(), day, "{at}");
        }
    }

    #[test]
    fn skipped_date_is_not_a_day() {
        check_boundary("Pacific/Apia", 4, "2011-12-31T04:00:00+14:00", "2011-12-29", "2011-12-31");
        check_boundary("Pacific/Apia", 0, "2011-12-31T00:00:00+14:00", "2011-12-29", "2011-12-31");
    }

    #[test]
    fn day_is_defined_at_the_ends_of_the_calendar() {
        let last = Timestamp::MAX.to_zoned(TimeZone::UTC);
        assert_eq!(next_day_start(&last, 4), last);
        assert_eq!(day_of(&last, 4), last.date());
        let first = Timestamp::MIN.to_zoned(TimeZone::UTC);
        assert_eq!(day_of(&first, 4), first.date());
    }

    /// Generates an instant near a clock change.
    fn instant() -> impl Strategy<Value = Zoned> {
        let years = 0_i64..2_100_000_000;
        (0..ZONES.len(), years, -200_000_i64..200_000).prop_map(|(at, second, seconds)| {
            let zone = zone(ZONES[at]);
            let start = Timestamp::from_second(second).expect("in range");
            let change_time = zone.following(start).next().map_or(start, |change| change.timestamp());
            (change_time + SignedDuration::from_secs(seconds)).to_zoned(zone)
        })
    }

    /// Returns the day by the local clock alone: the date, or the previous one before the boundary.
    fn by_the_wall(at: &Zoned, boundary: i8) -> Date {
        let left_out = jiff::civil::date(2011, 12, 30);
        let day = if at.hour() < boundary { at.date().yesterday().expect("a day before") } else { at.date() };
        let apia = at.time_zone().iana_name() == Some("Pacific/Apia");
        if apia && day == left_out { left_out.yesterday().expect("a day before") } else { day }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn days_never_go_back(at in instant(), boundary in 0..24_i8, later in 1_i64..200_000) {
            let then = &at + SignedDuration::from_secs(later);
            prop_assert!(day_of(&at, boundary) <= day_of(&then, boundary), "{} {}", at, then);
        }

        #[test]
        fn next_day_start_is_the_first_change(at in instant(), boundary in 0..24_i8) {
            let (day, start) = (day_of(&at, boundary), next_day_start(&at, boundary));
            prop_assert!(start > at);
            prop_assert_eq!(day_of(&(&start - 1.nanosecond()), boundary), day);
            prop_assert!(day_of(&start, boundary) > day);
        }

        #[test]
        fn day_is_the_latest_shown_by_the_clock(at in instant(), boundary in 0..24_i8) {
            let seen = (0..3 * 24 * 6).map(|step| by_the_wall(&(&at - (step * 10).minutes()), boundary)).max();
            // Steps of ten minutes may miss a time that was shown for less than that.
            let since_start = at.timestamp() - next_day_start(&(&at - 10.minutes()), boundary).timestamp();
            let just_started = since_start.total(jiff::Unit::Second).expect("seconds").abs() < 600.0;
            prop_assert!(just_started || seen == Some(day_of(&at, boundary)), "{}: {:?}", at, seen);
        }
    }
}
