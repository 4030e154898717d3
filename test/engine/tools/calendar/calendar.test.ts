import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { answerOf } from '../../../../engine/calendar/job.ts';
import type { Invitation } from '../../../../engine/calendar/types.ts';
import { mayAnswer } from '../../../../engine/tools/calendar/answer.ts';
import { ownCalendars } from '../../../../engine/tools/calendar/find-time.ts';
import { eventWith } from '../../calendar/event-with.ts';

const ORGANIZER = 'ORGANIZER:mailto:lena@ohara.example';

function invitationOf(method: string, ...lines: string[]): Invitation {
  const text = eventWith('DTSTART:20260701T090000Z', ...lines).replace(
    'BEGIN:VEVENT',
    `METHOD:${method}\r\nBEGIN:VEVENT`,
  );
  const answer = answerOf(text, { kind: 'invitations', timezone: 'UTC', from: 0 });
  const [invitation] = answer.kind === 'invitations' ? answer.invitations : [];
  if (!invitation) throw new Error('no invitation');
  return invitation;
}

describe('whether an invitation may be answered', () => {
  const row = (id: string, sequence = 0) => ({ id, sequence, stamped_at: 0 });
  const persona = { address: 'ada@agents.example', aliases: ['a@agents.example'], owners: ['Olga@home.example'] };
  const asked = (invitation: Invitation, more: Partial<Parameters<typeof mayAnswer>[0]> = {}) => {
    const found = mayAnswer({
      invitation,
      row: row('inv_1'),
      newest: { row: row('inv_1'), invitation },
      persona,
      tier: 'member',
      ...more,
    });
    return found.may ? [found.attendee.address, found.organizer, found.sentBy] : found.why;
  };

  it('as itself, by its address or an alias', () => {
    const own = invitationOf('REQUEST', ORGANIZER, 'ATTENDEE:mailto:ADA@agents.example');
    expect(asked(own)).toEqual(['ADA@agents.example', 'lena@ohara.example', null]);
    const alias = invitationOf('REQUEST', ORGANIZER, 'ATTENDEE:mailto:x@y.example', 'ATTENDEE:mailto:a@agents.example');
    expect(asked(alias)).toEqual(['a@agents.example', 'lena@ohara.example', null]);
  });

  it('for its owner where the owner asks, and for nobody else', () => {
    const owners = invitationOf('REQUEST', ORGANIZER, 'ATTENDEE:mailto:olga@home.example');
    expect(asked(owners, { tier: 'owner' })).toEqual(['olga@home.example', 'lena@ohara.example', 'ada@agents.example']);
    expect(asked(owners)).toMatch(/only your owner can ask/);
    const others = invitationOf('REQUEST', ORGANIZER, 'ATTENDEE:mailto:eve@other.example');
    expect(asked(others, { tier: 'owner' })).toBe('neither you nor your owner is invited');
  });

  it('not where it asks for nothing, is cancelled, is its own, or is not the newest', () => {
    const guest = 'ATTENDEE:mailto:ada@agents.example';
    expect(asked(invitationOf('PUBLISH', ORGANIZER, guest))).toMatch(/no invitation/);
    expect(asked(invitationOf('CANCEL', ORGANIZER, guest))).toMatch(/cancelled/);
    expect(asked(invitationOf('REQUEST', guest))).toMatch(/no organiser/);
    expect(asked(invitationOf('REQUEST', 'ORGANIZER:mailto:ada@agents.example', guest))).toMatch(/organiser yourself/);
    const invitation = invitationOf('REQUEST', ORGANIZER, guest);
    expect(asked(invitation, { newest: { row: row('inv_2', 1), invitation } })).toMatch(/inv_2/);
    const cancelled = { row: row('inv_3', 1), invitation: invitationOf('CANCEL', ORGANIZER, guest) };
    expect(asked(invitation, { newest: cancelled })).toMatch(/cancelled/);
  });
});

describe('calendars of an owner', () => {
  const root = mkdtempSync(join(tmpdir(), 'calendars-'));
  afterAll(() => rmSync(root, { recursive: true }));
  const places = { folder: join(root, 'folder'), fetched: join(root, 'fetched') };
  const urls = { work: 'https://calendar.example/a.ics' };
  const page = (status: number, text: string) => ({
    url: urls.work,
    status,
    contentType: 'text/calendar',
    truncated: false,
    body: new TextEncoder().encode(text),
  });
  const asked: string[] = [];
  const had = async (answer: ReturnType<typeof page>, now: number) => {
    const found = await ownCalendars({
      places,
      urls,
      now,
      signal: new AbortController().signal,
      async fetch({ url }) {
        asked.push(url);
        return answer;
      },
    });
    return [found.calendars.map(({ name, bytes }) => `${name} ${bytes.length}`), found.missing.map(({ why }) => why)];
  };

  it('are files, and what is fetched, which is kept for a quarter of an hour and used for a week', async () => {
    mkdirSync(places.folder);
    writeFileSync(join(places.folder, 'home.ics'), 'BEGIN:VCALENDAR');
    writeFileSync(join(places.folder, 'notes.txt'), 'no calendar');
    const now = Date.parse('2028-02-29T23:30:00Z');
    expect(await had(page(404, ''), now)).toEqual([['home.ics 15'], ['its server answered 404']]);
    expect(await had(page(200, '<html>'), now)).toEqual([['home.ics 15'], ['what its server gave is no calendar']]);
    expect(await had(page(200, 'BEGIN:VCALENDAR\n'), now)).toEqual([['home.ics 15', 'work 16'], []]);
    const before = asked.length;
    expect(await had(page(500, ''), now)).toEqual([['home.ics 15', 'work 16'], []]);
    expect(asked).toHaveLength(before);
    expect(await had(page(500, ''), now + 3_600_000)).toEqual([['home.ics 15', 'work 16'], []]);
    expect(asked).toHaveLength(before + 1);
    expect((await had(page(500, ''), now + 8 * 86_400_000))[1]).toEqual(['its server answered 500']);
    // Fetched while the clock was ahead of the time.
    expect(await had(page(200, 'BEGIN:VCALENDAR\nnew'), now - 86_400_000)).toEqual([['home.ics 15', 'work 19'], []]);
    expect(asked).toHaveLength(before + 3);
  });
});
