import { afterEach, describe, expect, it, vi } from 'vitest';
import { SIZE } from '../../size.ts';
import { type Admission, startAdmission } from '../admission-rig.ts';
import { atRest } from '../at-rest.ts';
import { epistle } from '../gateway.ts';
import { OWNER } from '../governance-rig.ts';
import { ANSWER, authorOf, idOf, MAILS, NUMBERS, openWaiting, personaWith, SOON, type Waiting } from './rig.ts';

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((close) => close()));
});

async function open(options: Parameters<typeof openWaiting>[0]): Promise<Waiting> {
  const rig = await openWaiting(options);
  opened.push(rig.close);
  return rig;
}

async function admission(files: Readonly<Record<string, object>>, auth: object = {}): Promise<Admission> {
  const gate = await startAdmission(files, auth);
  opened.push(gate.stop);
  return gate;
}

/** More than are kept of strangers' mail. */
const MADE_UP = SIZE >= 20 ? 500 : 220;

const PEERS: readonly [string, (number: number) => string][] = [
  ['one address', () => '127.0.0.1'],
  ['as many addresses', (number) => `127.9.${Math.floor(number / 250)}.${1 + (number % 250)}`],
];

describe('mail that waits for its owner, while five hundred mails of made-up domains come', () => {
  it.each(SIZE >= 20 ? PEERS : PEERS.slice(1))('is still there, and is worked: from %s', async (from, peerOf) => {
    const persona = (allow: readonly string[]) => ({
      name: 'Ada',
      address: 'ada@agents.localhost',
      owners: ['boss@owner.test'],
      access: { allow },
      budget: { runs_per_sender_per_hour: 0 },
    });
    const gate = await admission({ 'personas/ada/persona.json': persona(['*@member.test']) });
    const named = (name: string, number: number) => `<${name}-${number}@kept.test>`;
    // The first is proven and stopped by a limit, the second proven and named by no rule, the third proven by nothing.
    const fromMia = NUMBERS.map((number) => named('mia', number));
    const refusedOf = { fay: NUMBERS.map((number) => named('fay', number)), zoe: [named('zoe', 1)] };
    for (const id of fromMia) expect((await gate.mail({ from: 'mia@member.test', id })).code).toBe(250);
    for (const id of refusedOf.fay) expect((await gate.mail({ from: 'fay@friend.test', id })).code).toBe(550);
    for (const id of refusedOf.zoe) {
      const letter = { from: 'zoe@home.example', id, signedBy: null };
      expect((await gate.mail(letter, undefined, { peer: '127.0.0.9' })).code).toBe(550);
    }
    const numbers = Array.from({ length: MADE_UP }, (_, at) => at + 1);
    while (numbers.length > 0) {
      const replies = numbers.splice(0, 10).map((number) => {
        const letter = { from: `eve@made-up-${number}.example`, id: named('eve', number), signedBy: null };
        return gate.mail(letter, undefined, { peer: peerOf(number) });
      });
      for (const { code } of await Promise.all(replies)) expect(code).toBe(550);
    }
    const isKept = async (id: string) => [id, (await epistle(gate.root, ['mail', 'show', id])).json.mail.kept];
    // Where more addresses than mails are kept have written, of what is refused the newest of each stays.
    const waiting = from === 'one address' ? [...fromMia, ...refusedOf.fay, ...refusedOf.zoe] : fromMia;
    for (const id of waiting) expect(await isKept(id)).toEqual([id, true]);
    const count = Number(gate.inGatewayDb((db) => db.prepare('select count(*) from refused_mail').pluck().get()));
    expect(count - fromMia.length).toBe(200);
    for (const id of fromMia) {
      const { json } = await epistle(gate.root, ['mail', 'retry', id]);
      expect(json, JSON.stringify(json)).toMatchObject({ results: [{ decision: 'accepted' }] });
    }
    await gate.runOf(fromMia.at(-1) ?? '');
  });
});

const refused = { persona: personaWith({ access: { allow: [] } }) };
const days = (quarantine_days: number, more: object = {}) => ({
  'configs/security.json': { owners: [OWNER], approvals: { batch_window_s: 0 }, quarantine_days, ...more },
});
const later = (number: number) => ({
  NODE_ENV: 'test',
  EPISTLE_TEST_NOW: new Date(Date.now() + number * 24 * 3_600_000).toISOString(),
});
const keptOf = async ({ office }: Waiting) => {
  const shown = await Promise.all(NUMBERS.map((number) => office.cli('mail', 'show', idOf(number))));
  return shown.filter(({ json }) => json.mail.kept).length;
};

describe('fifty refused mails and quarantine_days', () => {
  it('are kept for so long, and then whoever asks for one is told to have it sent again', async () => {
    const rig = await open({ ...refused, files: days(40) });
    const { office } = rig;
    for (const number of NUMBERS) await expect(rig.mail(number, { from: authorOf(number) })).rejects.toThrow('5.7.1');
    await office.restart(later(39));
    await rig.mail(1000, { from: OWNER });
    await vi.waitFor(() => expect(rig.runs().map(({ status }) => status)).toEqual(['done']), SOON);
    expect(await keptOf(rig)).toBe(MAILS);
    await office.restart(later(41));
    // Asked for while it is still there, it would be kept anew.
    await vi.waitFor(async () => expect((await office.cli('mail', 'show', idOf(MAILS))).code).toBe(1), SOON);
    expect((await office.cli('mail', 'retry', idOf(1))).json.error).toMatchObject({ code: 'not_found' });
  });
});

describe('fifty mails that were taken in and stopped by a limit', () => {
  const stopped = { max_replies_per_sender_per_hour: 1 };

  it('are kept where no refused mail is, however large: quarantine_days', async () => {
    const rig = await open({ files: days(0, { loop_guard: stopped }) });
    const { office } = rig;
    // At full size they are more than all that is kept of strangers.
    const content = Buffer.alloc(SIZE >= 20 ? Math.ceil((72 * 1024 * 1024) / MAILS) : 1000, 'All of it is needed. ');
    const attachments = [{ filename: 'plan.txt', content }];
    for (const number of NUMBERS) await rig.mail(number, { from: authorOf(1), attachments });
    await office.restart(later(2));
    await rig.mail(1000, { from: authorOf(2) });
    await office.arrival('reply', authorOf(2));
    for (const number of NUMBERS.slice(1)) {
      const { json } = await office.cli('mail', 'retry', idOf(number));
      expect(json, JSON.stringify(json)).toMatchObject({ results: [{ decision: 'accepted' }] });
    }
    await vi.waitFor(async () => expect(await office.left('reply')).toHaveLength(MAILS + 1), SOON);
    for (const { mail } of await office.left('reply')) expect(mail.text).toContain(ANSWER);
  });

  it('and could not be read: `mail retry` works them by the door by which they came, however large', async () => {
    const limits = (max_mime_parts: number) => ({ smtp_listener: { port: 0 }, limits: { max_mime_parts } });
    const rig = await open({ files: { ...days(0), 'configs/gateway.json': limits(2) } });
    const { office } = rig;
    const attachments = [1, 2, 3].map((number) => ({
      filename: `${number}.txt`,
      content: Buffer.alloc(1024 * 1024, 'x '),
    }));
    for (const number of NUMBERS) await rig.mail(number, { from: authorOf(number), attachments });
    office.workspace.write('configs/gateway.json', limits(100));
    for (const number of NUMBERS) {
      const { json } = await office.cli('mail', 'retry', idOf(number));
      expect(json, JSON.stringify(json)).toMatchObject({ results: [{ decision: 'accepted' }] });
    }
    await vi.waitFor(async () => expect(await office.left('reply')).toHaveLength(MAILS), SOON);
  });
});

describe('fifty mails that have gone between personas as often as they may', () => {
  it('are kept with one notice to the owners alone, and `mail retry` has each answered once: recursion_depth', async () => {
    const BEN = 'ben@agents.localhost';
    const access = { allow: ['*@member.example', '*@agents.localhost'] };
    const rig = await open({
      persona: personaWith({ access }),
      files: {
        'configs/inference.json': { provider: 'steady', model: 'm', recursion_depth: 0 },
        'personas/ben/persona.json': { name: 'Ben', address: BEN, access },
      },
    });
    const { office } = rig;
    for (const number of NUMBERS) await rig.mail(number, { from: authorOf(number), replyTo: BEN });
    await vi.waitFor(async () => expect(await office.left('reply', BEN)).toHaveLength(MAILS), SOON);
    const between = await office.left('reply', BEN);
    for (const { raw } of between) await office.post({ from: 'ada@agents.localhost', to: BEN, raw });
    const listed = (await office.cli('mail', 'list', '--status', 'recorded', '--limit', '100')).json.mails;
    expect(listed).toHaveLength(MAILS);
    for (const mail of listed)
      expect(mail).toMatchObject({ code: 'hop_limit', cure: expect.stringContaining('mail retry') });
    const notice = await office.arrival('notice', OWNER);
    expect(notice.mail.subject).toContain('No answer to ada@agents.localhost');
    expect(notice.mail.text).toContain('Reply "again"');
    for (const { mail } of between) {
      const { json } = await office.cli('mail', 'retry', mail.messageId ?? '');
      expect(json, JSON.stringify(json)).toMatchObject({ results: [{ persona: 'ben', decision: 'accepted' }] });
    }
    await vi.waitFor(async () => expect(await office.left('reply', 'ada@agents.localhost')).toHaveLength(MAILS), SOON);
    // Once, and no more; and it goes no further.
    expect((await office.cli('mail', 'retry', between[0]?.mail.messageId ?? '')).code).toBe(1);
    const [back] = await office.left('reply', 'ada@agents.localhost');
    await office.post({ from: BEN, to: 'ada@agents.localhost', raw: back?.raw ?? '' });
    expect(await office.codeOf(back?.mail.messageId ?? '')).toBe('hop_limit');
    expect(await office.left('wait')).toEqual([]);
    await vi.waitFor(async () => expect(await office.left('notice', OWNER)).toHaveLength(2), SOON);
    await atRest(office.root);
    expect(await office.left('notice', OWNER)).toHaveLength(2);
  });
});

describe('fifty mails whose signature is older than signature_max_age_days', () => {
  it('are refused, and answered without being sent again when the days are raised', async () => {
    const gate = await admission({});
    const allow = (signature_max_age_days: number) =>
      gate.workspace.write('configs/security.json', {
        owners: ['boss@owner.test'],
        signature_max_age_days,
        loop_guard: { max_fast_replies: 0 },
        gateway_auth: { dns_servers: [gate.dns.address] },
      });
    for (const number of NUMBERS) {
      const raw = await gate.write({ from: 'mia@member.test', id: idOf(number), signedBy: null });
      const signed = await gate.sign(raw, 'member.test', { at: Date.now() - 20 * 24 * 3_600_000 });
      expect((await gate.send(signed)).code).toBe(550);
    }
    allow(30);
    await vi.waitFor(async () => {
      const answered = new Set((await gate.outgoing()).map(({ mail }) => mail.inReplyTo));
      for (const number of NUMBERS) expect(answered).toContain(idOf(number));
    }, SOON);
  });
});
