import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { AT_HAND } from '#contract';
import { systemSchema } from '../../../engine/config/schemas.ts';
import type { StoredInvitation } from '../../../engine/storage/ports/invitations.ts';
import { atHand, has } from '../../../engine/tools/run-surface.ts';
import { computedMs } from '../../computed.ts';

const root = mkdtempSync(join(tmpdir(), 'at-hand-'));
afterAll(() => rmSync(root, { recursive: true }));

const ATTACHMENT = {
  id: 'att_1',
  message: 'm1',
  position: 0,
  bytes: 10,
  sha256: 'a',
  unreadable: null,
  charset: null,
};
const INVITATION: StoredInvitation = {
  id: 'inv_1',
  uid: 'u',
  recurrence_id: '',
  thread_id: 'thread',
  message: 'm0',
  attachment: 'att_0',
  organizer: '',
  sequence: 0,
  stamped_at: 0,
  facts_json: '{}',
};

async function found(
  text: string,
  {
    attachments = false,
    files = 'absent',
    readsFiles = true,
    makesFiles = false,
    isLarge = false,
    calendars = 'absent',
  } = {},
  {
    calendar = null as { type: string; name: string } | null,
    invited = [] as readonly StoredInvitation[],
    thread = 1,
    hasUrl = false,
  } = {},
) {
  const store = { hasAttachments: async () => attachments, invitationsOfThread: async () => invited };
  const worked = {
    message: { text },
    attachments: calendar === null ? [] : [{ ...ATTACHMENT, ...calendar }],
    thread: { id: 'thread', message_count: thread },
    run: { thread_id: 'thread', sender: null, tier: 'owner' as const },
    trigger: { kind: 'mail' as const, answersTask: null, answersRequest: null },
  };
  const urls: Record<string, string> = hasUrl ? { work: 'https://calendar.example/a.ics' } : {};
  const persona = {
    id: 'ada',
    memory: { facts: false, recall: null },
    learning: {},
    delegation: { enabled: false, max_children: 3, max_depth: 1 },
    calendar: { urls, work_hours: { days: [], from: '09:00', to: '17:00' } },
  };
  const places = {
    filesOf: () => ({ filesRoot: join(root, files) }),
    calendarsOf: () => join(root, calendars),
  };
  const knowledge = { isLarge: async () => isLarge };
  const hand = await atHand(worked, {
    store,
    persona,
    knowledge,
    configs: { system: systemSchema.parse({}) },
    ...places,
  });
  // An owner who writes may always say what is to hold.
  expect(has(hand, 'rules', { readsFiles, makesFiles })).toBe(true);
  return AT_HAND.filter((what) => what !== 'rules' && has(hand, what, { readsFiles, makesFiles }));
}

describe('what a run has at hand', () => {
  it('is nothing for a letter without figures, and for a persona without files', async () => {
    expect(await found('Hi Ada,\n\nwhat is in my files?')).toEqual([]);
    mkdirSync(join(root, 'empty'));
    expect(await found('Meet me in room 5.', { files: 'empty' })).toEqual([]);
  });

  it('is knowledge where there is more of it than a prompt holds', async () => {
    expect(await found('Hi Ada', { isLarge: true })).toEqual(['knowledge']);
  });

  it('is numbers where the mail has two', async () => {
    expect(await found('12 batteries at 4,50 each')).toEqual(['numbers']);
  });

  it('is rows where the mail has a table, or anything could have one', async () => {
    mkdirSync(join(root, 'some'));
    writeFileSync(join(root, 'some', 'a.csv'), 'a,b');
    for (const given of [
      found('Prices:\n\n| Model | 2025 |\n| --- | --- |\n| Mini |  |'),
      found('Model\tPrice\nMini\tx'),
      found('sum it up', { attachments: true }),
    ])
      expect(await given).toEqual(['rows', 'numbers']);
    expect(await found('sum it up', { files: 'some' })).toEqual(['rows', 'numbers', 'files']);
    expect(await found('sum it up', { files: 'some', readsFiles: false })).toEqual([]);
  });

  it('is an invitation where the mail has a calendar, or an earlier one of its thread had', async () => {
    const calendar = { type: 'text/calendar', name: 'invite.ics' };
    expect(await found('Hello', {}, { calendar })).toEqual(['invitation']);
    expect(await found('Hello', {}, { calendar: { type: 'application/octet-stream', name: 'A.ICS' } })).toHaveLength(1);
    expect(await found('Hello', {}, { calendar: { type: 'text/plain', name: 'a.txt' } })).toEqual([]);
    expect(await found('Hello', {}, { invited: [INVITATION], thread: 2 })).toEqual(['invitation', 'meeting']);
    expect(await found('Hello', {}, { thread: 2 })).toEqual([]);
  });

  it('is a meeting where words of the mail may ask for one', async () => {
    for (const text of ['Invite Bob, please.', 'Bitte lade Bob ein.', 'Organisez une réunion.', '会議をお願いします'])
      expect(await found(text)).toEqual(['meeting']);
    expect(await found('The discord was terminated.')).toEqual([]);
  });

  it('is calendars where the owner has put one or named one', async () => {
    mkdirSync(join(root, 'calendars'));
    expect(await found('Hello', { calendars: 'calendars' })).toEqual([]);
    writeFileSync(join(root, 'calendars', 'work.ics'), 'BEGIN:VCALENDAR');
    expect(await found('Hello', { calendars: 'calendars' })).toEqual(['calendars']);
    expect(await found('Hello', {}, { hasUrl: true })).toEqual(['calendars']);
  });

  it('is files where one can be made and read', async () => {
    expect(await found('Write a list.', { makesFiles: true })).toEqual(['files']);
    expect(await found('Write a list.', { makesFiles: true, readsFiles: false })).toEqual([]);
  });

  it('is told in time, whatever the mail is made of', async () => {
    const begun = computedMs();
    for (const sign of ['\t', '|', ' ', '\n|', '\t\n', '1']) await found(sign.repeat(500_000));
    expect(computedMs() - begun).toBeLessThan(2000);
  });
});
