import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { AT_HAND } from '#contract';
import { systemSchema } from '../../../engine/config/schemas.ts';
import { atHand } from '../../../engine/features/at-hand.ts';
import type { Approval, ApprovalKind } from '../../../engine/storage/types/approvals.ts';
import type { Tier } from '../../../engine/storage/types/mail.ts';
import { has } from '../../../engine/tools/run-surface.ts';

const root = mkdtempSync(join(tmpdir(), 'at-hand-'));
afterAll(() => rmSync(root, { recursive: true }));

/** What a mail or a file may bring is there for every mail. */
const ALWAYS = ['rows', 'numbers', 'files', 'invitation', 'meeting'];

async function found({
  tier = 'stranger' as Tier,
  readsFiles = true,
  isLarge = false,
  calendars = 'absent',
  hasUrl = false,
  facts = false,
  learns = false,
  waits = [] as readonly ApprovalKind[],
} = {}) {
  const urls: Record<string, string> = hasUrl ? { work: 'https://calendar.example/a.ics' } : {};
  const persona = {
    id: 'ada',
    memory: { facts, recall: null },
    learning: { enabled: learns },
    delegation: { enabled: false, max_children: 3, max_depth: 1 },
    calendar: { urls, work_hours: { days: [], from: '09:00', to: '17:00' } },
  };
  const hand = await atHand(
    { run: { tier }, trigger: { kind: 'mail', answersTask: null, answersRequest: null } },
    {
      persona,
      knowledge: { isLarge: async () => isLarge },
      configs: { system: systemSchema.parse({}) },
      calendarsOf: () => join(root, calendars),
      store: { pendingApprovals: async () => waits.map((kind) => ({ kind }) as Approval) },
    },
  );
  return AT_HAND.filter((what) => has(hand, what, { readsFiles }));
}

const beside = async (given: Parameters<typeof found>[0]) =>
  (await found(given)).filter((what) => !ALWAYS.includes(what));

describe('what a run has at hand', () => {
  it('is what mails and files may bring, whatever its mail says', async () => {
    expect(await found()).toEqual(ALWAYS);
    expect(await found({ readsFiles: false })).toEqual(ALWAYS.filter((what) => what !== 'files'));
  });

  it('is knowledge where there is more of it than a prompt holds', async () => {
    expect(await beside({ isLarge: true })).toEqual(['knowledge']);
  });

  it('is calendars where the owner has put one or named one', async () => {
    mkdirSync(join(root, 'calendars'));
    expect(await beside({ calendars: 'calendars' })).toEqual([]);
    writeFileSync(join(root, 'calendars', 'work.ics'), 'BEGIN:VCALENDAR');
    expect(await beside({ calendars: 'calendars' })).toEqual(['calendars']);
    expect(await beside({ hasUrl: true })).toEqual(['calendars']);
  });

  it('is what a tier may say, and what the persona keeps', async () => {
    expect(await beside({ tier: 'member', learns: true })).toEqual(['rules']);
    expect(await beside({ tier: 'owner', learns: true })).toEqual(['learning', 'rules']);
    expect(await beside({ tier: 'known', facts: true })).toEqual(['memory']);
  });

  it('is, for owners, what waits for a yes of theirs, and no question that they answer in words', async () => {
    expect(await beside({ tier: 'owner', waits: ['call'] })).toEqual(['rules', 'waiting']);
    expect(await beside({ tier: 'owner', waits: ['answer'] })).toEqual(['rules']);
    expect(await beside({ tier: 'member', waits: ['call'] })).toEqual(['rules']);
  });
});
