"""An invitation, or the answer to one, as another program reads it: a mail on stdin, its facts as JSON on stdout."""
import email, email.policy, json, sys
import icalendar

mail = email.message_from_binary_file(sys.stdin.buffer, policy=email.policy.default)
parts = [part for part in mail.walk() if part.get_content_type() == 'text/calendar']
calendar = icalendar.Calendar.from_ical(parts[0].get_content())
event = calendar.walk('VEVENT')[0]
instance = event.get('RECURRENCE-ID')
attendees = event['ATTENDEE'] if isinstance(event['ATTENDEE'], list) else [event['ATTENDEE']]
meeting = {} if str(calendar['METHOD']) == 'REPLY' else {
    'summary': str(event['SUMMARY']),
    'location': str(event['LOCATION']),
    'description': str(event['DESCRIPTION']),
    'status': str(event['STATUS']),
    'start': event['DTSTART'].dt.isoformat(),
    'end': event['DTEND'].dt.isoformat(),
    'names': [str(one.params.get('CN', '')) for one in attendees],
}
print(json.dumps({
    **meeting,
    'root': mail.get_content_type(),
    'parts': len(parts),
    'declared': parts[0].get_param('method'),
    'method': str(calendar['METHOD']),
    'events': len(calendar.walk('VEVENT')),
    'errors': [str(error) for part in calendar.walk() for error in getattr(part, 'errors', [])],
    'uid': str(event['UID']),
    'sequence': int(event['SEQUENCE']),
    'organizer': str(event['ORGANIZER']),
    'instance': instance and instance.dt.isoformat(),
    'has_stamp': event['DTSTAMP'].dt.tzinfo is not None,
    'attendees': [[str(one), one.params['PARTSTAT']] for one in attendees],
    'comment': str(event.get('COMMENT', '')),
}))
