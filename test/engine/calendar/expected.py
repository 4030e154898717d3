"""The facts of files/*.ics as other programs read them: python3-icalendar for the text, dateutil for zones (as each
file describes them) and series. Writes expected.json.   /usr/bin/python3 expected.py"""
import io, json, pathlib, re
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo
import icalendar
from dateutil import tz
from dateutil.rrule import rruleset, rrulestr

HERE = pathlib.Path(__file__).parent
OWN = ZoneInfo('Europe/Berlin')
FROM = datetime(2026, 3, 1, tzinfo=timezone.utc)
HORIZON = FROM + timedelta(days=7 * 366)


def zones_of(text):
    """Zones by the descriptions in the file, not by their names."""
    text = re.sub('X-LIC-LOCATION:.*\r\n', '', text.replace('\r\n ', ''))
    blocks = text.split('BEGIN:VTIMEZONE')[1:]
    found = {}
    for block in blocks:
        vtimezone = 'BEGIN:VTIMEZONE' + block.split('END:VTIMEZONE')[0] + 'END:VTIMEZONE\r\n'
        zones = tz.tzical(io.StringIO(vtimezone))
        for key in zones.keys():
            found[key] = zones.get(key)
    return found


def wall(prop):
    value = prop.dt
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value


def zone_for(prop, zones):
    tzid = prop.params.get('TZID')
    if tzid:
        return zones[tzid]
    return timezone.utc if isinstance(prop.dt, datetime) and prop.dt.tzinfo else None


def utc(local, zone):
    """dateutil's zones answer for a wall time by themselves."""
    return (local - zone.utcoffset(local.replace(tzinfo=zone))).replace(tzinfo=timezone.utc)


def own(value):
    return value.isoformat() if not isinstance(value, datetime) else value.astimezone(OWN).isoformat()


def instants(prop, zones):
    """Of EXDATE and RDATE, which may stand several times."""
    found = []
    for one in prop if isinstance(prop, list) else [prop] if prop else []:
        for each in one.dts:
            value = each.dt
            zone = zones.get(one.params.get('TZID')) or timezone.utc
            found.append(utc(value.replace(tzinfo=None), zone) if isinstance(value, datetime) else value)
    return found


def series(event, start, zone, zones, moved):
    rule = event.get('RRULE')
    if rule is None and 'RDATE' not in event:
        return None
    instances = rruleset()
    text = rule.to_ical().decode()
    if 'UNTIL=' in text and text.split('UNTIL=')[1][8:9] == 'T':
        until = datetime.strptime(text.split('UNTIL=')[1][:15], '%Y%m%dT%H%M%S').replace(tzinfo=timezone.utc)
        local = until.astimezone(zone).replace(tzinfo=None)
        text = text.split('UNTIL=')[0] + 'UNTIL=' + local.strftime('%Y%m%dT%H%M%S') + text.split('UNTIL=')[1][16:]
    all_starts = [utc(each, zone) for each in rrulestr(text, dtstart=start) if utc(each, zone) < HORIZON]
    all_starts += instants(event.get('RDATE'), zones)
    gone = set(instants(event.get('EXDATE'), zones)) | moved
    return [own(each) for each in sorted(all_starts) if each >= FROM and each not in gone][:5]


def facts(path):
    text = path.read_bytes().decode()
    calendar = icalendar.Calendar.from_ical(text)
    zones = zones_of(text)
    events = calendar.walk('VEVENT')
    def original(event):
        prop = event.get('RECURRENCE-ID')
        return None if prop is None else utc(wall(prop), zone_for(prop, zones))
    found = []
    for event in events:
        prop = event['DTSTART']
        start, zone = wall(prop), zone_for(prop, zones)
        is_day = not isinstance(start, datetime)
        begins = start if is_day else utc(start, zone)
        if 'DTEND' in event:
            end = event['DTEND']
            ends = wall(end) - timedelta(days=1) if is_day else utc(wall(end), zone_for(end, zones))
        else:
            ends = begins + event['DURATION'].dt
        people = event.get('ATTENDEE') or []
        people = people if isinstance(people, list) else [people]
        moved = {original(one) for one in events if one is not event and one['UID'] == event['UID']} - {None}
        at = original(event)
        organizer = event.get('ORGANIZER')
        found.append({
            'uid': str(event['UID']),
            'method': str(calendar['METHOD']),
            'sequence': int(event.get('SEQUENCE', 0)),
            'recurrence_id': at and at.strftime('%Y-%m-%dT%H:%M:%SZ'),
            'organizer': organizer and organizer[7:],
            'attendees': [[one[7:], one.params['PARTSTAT'].lower()] for one in people],
            'summary': str(event['SUMMARY']),
            'location': ' '.join(str(event.get('LOCATION', '')).split()),
            'all_day': is_day,
            'start': begins.isoformat() if is_day else begins.strftime('%Y-%m-%dT%H:%M:%SZ'),
            'own_start': own(begins),
            'own_end': own(ends),
            'next': series(event, start, zone, zones, moved),
        })
    return found


result = {path.name: facts(path) for path in sorted((HERE / 'files').glob('*.ics'))}
(HERE / 'expected.json').write_text(json.dumps(result, indent=1, ensure_ascii=False) + '\n')
print(sum(len(each) for each in result.values()), 'events of', len(result), 'files')
