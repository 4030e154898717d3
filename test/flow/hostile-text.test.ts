import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import SQLite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { standstillOver, watched } from '../../scripts/lib/soak/attacks/standstill.ts';
import { root as repository } from '../house/sources.ts';
import { ADA, CARL, launchOffice, MEMBER, mailTo, type Office, OWNER } from './governance-rig.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';
/** What the event loop computes at a stretch for one mail, and keeps everybody else waiting for. */
const STANDSTILL_MS = 4000;
const folder = mkdtempSync(join(tmpdir(), 'epistle-hostile-'));
const loop = join(folder, 'loop');

let office: Office;
beforeAll(async () => {
  office = await launchOffice(
    { 'personas/ada/persona.json': { name: 'Ada', address: ADA, owners: [OWNER], access: { allow: [MEMBER] } } },
    watched(loop),
  );
});
afterAll(async () => {
  await office?.close();
  rmSync(folder, { recursive: true, force: true });
});

const standstillMs = async (since: number): Promise<number> => (await standstillOver(loop, since)).own_ms;

async function shown(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [join(repository, 'bin/epistle.js'), ...args, '--workspace', office.root]);
  const [out] = await Promise.all([textOf(child.stdout), once(child, 'close')]);
  return out;
}

describe('M6: an owner’s answer whose words could be read in too many ways', () => {
  it.each([
    ['names behind a closing', `approve\n\nRegards, ${'ZQX '.repeat(45)}and so on`],
    ['please, again and again', `ok ${'pls go ahead '.repeat(38)}xyz`],
    ['who says no', `ok, ${'we we we approve it not, '.repeat(25)} x`],
    ['more words than a line has', `approve ${'thanks '.repeat(140)} not`],
    ['more lines than are read', `approve\n${'thanks\n'.repeat(300)}but not today`],
  ])('is asked back, and nobody waits: %s', async (name, answer) => {
    const before = (await office.left('approval')).length;
    const asked = (await office.left('clarify')).length;
    await office.ask(mailTo(CARL, name), MEMBER, name);
    const notice = await office.arrival('approval', OWNER, before + 1);
    const since = Date.now();
    await office.answer(notice, answer);
    await vi.waitFor(async () => expect((await office.left('clarify')).length).toBeGreaterThan(asked), 90_000);
    expect(await standstillMs(since)).toBeLessThan(STANDSTILL_MS);
    expect((await office.states()).at(-1)).toBe('pending');
  });
});

describe('M9: text of an admitted sender that looks like keys and tokens', () => {
  const attachments = (content: string) => Array.from({ length: 20 }, (_, n) => ({ filename: `${n}.txt`, content }));
  it.each([
    ['beginnings of web tokens', { text: 'eyJaaaaaaaaaa-'.repeat(14_200) }],
    ['tags of addresses', { text: `+ok-${TOKEN}`.repeat(5_500) }],
    ['4 MB of attachments', { text: 'See the files', attachments: attachments(`+ok-${TOKEN}`.repeat(5_500)) }],
  ])('keeps nobody waiting: %s', async (subject, mail) => {
    const since = Date.now();
    const id = await office.post({ from: MEMBER, subject, ...mail });
    await vi.waitFor(async () => expect(await office.codeOf(id)).toBeNull(), 90_000);
    await vi.waitFor(
      async () =>
        expect((await office.left('reply', MEMBER)).map((each) => each.mail.subject)).toContain(`Re: ${subject}`),
      60_000,
    );
    expect(await standstillMs(since)).toBeLessThan(STANDSTILL_MS);
  });
});

describe('L7: marks that turn text round', () => {
  const MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
  it('reach neither lists nor the mails that the gateway writes to its people', async () => {
    const subject = 'pay \u202etxt.exe\u202c \u2067now\u2069 \u061c\u200e\u200f';
    const asked = (await office.left('approval')).length;
    await office.ask(mailTo(CARL, `Offer \u202e${subject}`), MEMBER, subject);
    const notice = await office.arrival('approval', OWNER, asked + 1);
    const texts = [
      await shown('threads', 'list'),
      await shown('approvals', 'list'),
      await shown('runs', 'list'),
      await shown('outbox', 'list'),
      notice.mail.subject ?? '',
      notice.mail.text ?? '',
    ];
    expect(texts[0]).toContain('pay txt.exe');
    expect(texts.filter((text) => MARKS.test(text))).toEqual([]);
    // What was stored before subjects were cleaned.
    const database = new SQLite(join(office.root, 'data/personas/ada/persona.db'));
    database.prepare("update threads set subject = 'an \u202eold one'").run();
    database.close();
    expect(await shown('threads', 'list')).toContain('an old one');
  });
});
