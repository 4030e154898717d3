import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ADA, type Admission, BOSS, MIA, startAdmission, type Written } from './admission-rig.ts';
import { eventually } from './eventually.ts';
import { epistle } from './gateway.ts';

const EVE = 'eve@evil.test';
const NOBODY = 'eve@nowhere.test';
const TWENTY_MB = 'x'.repeat(20 * 1024 * 1024).replace(/.{70}/g, '$&\r\n');

let gate: Admission;
const start = async () => {
  gate = await startAdmission();
};
const stop = () => gate?.stop();

/** All files under `data/`, without the databases and what the gateway makes for itself. */
function kept(folder = join(gate.root, 'data')): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\/(mail|artifacts|quarantine)$/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The same once the first mail is a file: its bytes are a row until the gateway has a moment. */
const settled = () =>
  eventually(
    () => kept(),
    (files) => files.some((file) => file.endsWith('.eml')) && !files.some((file) => file.endsWith('.tmp')),
  );

const notices = async () =>
  (await gate.outgoing()).filter(({ mail }) => mail.headers.get('x-epistle-kind') === 'notice');

/** More parts in parts than anybody's mail has. */
async function nested(written: Omit<Written, 'headers' | 'text'>): Promise<Buffer> {
  const depth = 40;
  const open = Array.from({ length: depth - 1 }, (_, n) => [
    `--b${n}`,
    `Content-Type: multipart/mixed; boundary=b${n + 1}`,
    '',
  ]);
  return gate.write({
    ...written,
    headers: ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b0'],
    text: [...open.flat(), `--b${depth - 1}`, '', 'inside', `--b${depth - 1}--`].join('\r\n'),
  });
}

describe('H3: what strangers send and nobody answers', () => {
  beforeAll(async () => {
    await start();
    // A persona that had mail before, so that it has a database.
    await gate.mail({ from: MIA, id: '<first@member.test>' });
    await gate.runOf('<first@member.test>');
    await settled();
  });
  afterAll(stop);

  it.each<[string, Partial<Written>, string]>([
    ['bulk', { headers: ['Precedence: bulk'] }, 'bulk'],
    ['an automatic answer', { headers: ['Auto-Submitted: auto-replied'] }, 'auto_submitted'],
    ['a list', { headers: ['List-Id: <news.evil.test>'] }, 'mailing_list'],
    ['a no-reply sender', { from: 'noreply@evil.test' }, 'no_reply_sender'],
    ['a token that nobody gave', { headers: [`X-To: ${ADA}`] }, 'approval_token_invalid'],
    ['a bounce of a mail that is not ours', { headers: ['X-Failed-Recipients: a@b.test'] }, 'bounce'],
  ])('leaves one row and no file: %s', async (_, change, code) => {
    const before = kept();
    const id = `<big-${code}@evil.test>`;
    const from = change.from ?? EVE;
    const raw = await gate.write({ ...change, from, id, text: TWENTY_MB });
    const tagged = Buffer.from(
      raw.toString('latin1').replace('Subject: A question', `Subject: [ok-${'a'.repeat(32)}]`),
      'latin1',
    );
    const isToken = code === 'approval_token_invalid';
    const reply = await gate.send(isToken ? tagged : raw, [ADA], { mailFrom: from });
    expect(reply.code).toBe(250);
    expect(gate.seen(id)).toMatchObject([{ decision: 'recorded', code, run_id: null }]);
    expect(kept()).toEqual(before);
  });
});

describe('H3: what strangers send that is kept', () => {
  beforeEach(start);
  afterEach(stop);

  it('keeps of it what an owner said, and what came back of our own mail', async () => {
    await gate.mail({ from: MIA, id: '<first@member.test>' });
    const [answer] = await gate.answersTo('<first@member.test>');
    const before = await settled();
    const bounce = (id: string, to: string) => ({
      from: 'mailer-daemon@evil.test',
      id,
      headers: [`X-Failed-Recipients: ${to}`, `In-Reply-To: ${answer?.mail.messageId}`],
    });
    await eventually(
      async () => (await gate.mail(bounce('<b1@evil.test>', MIA), [ADA], { mailFrom: '' })).code && kept().length,
      (count) => count === before.length + 1,
    );
    // It says nothing new a second time, and of others nothing at all.
    await gate.mail(bounce('<b2@evil.test>', MIA));
    await gate.mail(bounce('<b3@evil.test>', EVE));
    expect(kept()).toHaveLength(before.length + 1);
    await gate.mail({ from: BOSS, id: '<stop@owner.test>', text: 'STOP' });
    expect(gate.seen('<stop@owner.test>')).toMatchObject([{ decision: 'recorded', code: 'stop_command' }]);
    await eventually(
      () => kept(),
      (files) => files.length === before.length + 2,
    );
    const named = gate.inPersonaDb('select code from kept_mail order by code');
    expect(named).toEqual([{ code: 'bounce' }, { code: 'stop_command' }]);
  });
});

describe('H3: a large mail that a limit keeps from being answered', () => {
  beforeEach(start);
  afterEach(stop);

  it('leaves no file either, and the owner hears of it', async () => {
    await gate.stop();
    gate = await startAdmission({
      'personas/ada/persona.json': {
        name: 'Ada',
        address: ADA,
        owners: [BOSS],
        access: { allow: ['*@member.test'] },
        budget: { runs_per_sender_per_hour: 0 },
      },
    });
    const before = kept();
    const text = TWENTY_MB.slice(0, 200_000);
    expect((await gate.mail({ from: MIA, id: '<second@member.test>', text })).code).toBe(250);
    expect(gate.seen('<second@member.test>')).toMatchObject([{ decision: 'recorded', code: 'sender_rate_limited' }]);
    expect(kept()).toEqual(before);
    await eventually(notices, (found) => found.length === 1);
  });
});

describe('M2: mail that cannot be read', () => {
  beforeEach(start);
  afterEach(stop);

  it('of strangers is refused like any of theirs: nothing is kept, and nobody is told', async () => {
    for (let n = 0; n < 20; n += 1) {
      const unsigned = await nested({ from: NOBODY, id: `<${n}@nowhere.test>`, signedBy: null });
      expect((await gate.send(unsigned)).text).toBe('550 5.7.1 Not accepted');
      const signed = await nested({ from: EVE, id: `<${n}@evil.test>` });
      expect((await gate.send(signed)).text).toBe('550 5.7.1 Not accepted');
    }
    expect((await gate.send(Buffer.from([0, 1, 2, 3, 255, 254]))).text).toBe('550 5.7.1 Not accepted');
    expect(gate.seen('<7@nowhere.test>')).toMatchObject([{ decision: 'refused', code: 'auth_failed' }]);
    expect(gate.seen('<7@evil.test>')).toMatchObject([{ decision: 'refused', code: 'sender_not_allowed' }]);
    await gate.mail({ from: MIA, id: '<after@member.test>' });
    await gate.runOf('<after@member.test>');
    expect(kept().filter((path) => path.includes('quarantine'))).toEqual([]);
    expect(await notices()).toEqual([]);
  });

  it('of a member is kept, and the owner hears of it once for all that comes within the hour', async () => {
    for (let n = 0; n < 40; n += 1) {
      const raw = await nested({ from: MIA, id: `<${n}@member.test>` });
      expect((await gate.send(raw)).code).toBe(250);
    }
    expect(gate.seen('<39@member.test>')).toMatchObject([
      { decision: 'dead_letter', code: 'mime_limit', tier: 'member' },
    ]);
    expect(kept().filter((path) => path.includes('quarantine'))).toHaveLength(40);
    const [notice, ...more] = await eventually(notices, (found) => found.length > 0);
    expect(more).toEqual([]);
    expect(notice?.envelopeTo).toBe(BOSS);
    expect(notice?.mail.text).toContain('Reply "again", and I try to take it in once more.');
    expect(gate.inPersonaDb('select kind, count from gathered_notices')).toEqual([{ kind: 'dead_letter', count: 39 }]);
    const jobs = gate.inPersonaDb("select id from jobs where kind = 'notice'");
    expect(jobs).toHaveLength(1);
  });

  it('that says STOP still stops: an owner’s word needs no readable body', async () => {
    const raw = await nested({ from: BOSS, id: '<s@owner.test>', signedBy: null });
    const stop = Buffer.from(raw.toString('latin1').replace('Subject: A question', 'Subject: STOP'), 'latin1');
    expect((await gate.send(await gate.sign(stop, 'owner.test'))).code).toBe(250);
    expect(gate.seen('<s@owner.test>')).toMatchObject([{ decision: 'recorded', code: 'stop_command' }]);
  });
});

describe('L2: a mail that is refused', () => {
  beforeEach(start);
  afterEach(stop);

  it('leaves a bounded row, which is found by the whole of its Message-ID, and no line in the log', async () => {
    const id = `<${'x'.repeat(900)}@evil.test>`;
    const raw = await gate.write({ from: EVE, id: '<short@evil.test>', signedBy: null });
    const long = raw.toString('latin1').replace('<short@evil.test>', id).replace('A question', 'y'.repeat(5000));
    for (let n = 0; n < 40; n += 1) await gate.send(Buffer.from(long, 'latin1'));
    const why = await epistle(gate.root, ['why', id]);
    expect(why.json.entries).toHaveLength(40);
    expect(why.json).toMatchObject({ message_id: id, entries: [{ decision: 'refused' }, ...Array(39).fill({})] });
    const sizes = gate.inGatewayDb((database) =>
      database.prepare('select max(length(message_id) + length(subject) + length(detail)) as most from seen').get(),
    );
    expect(sizes).toEqual({ most: expect.any(Number) });
    expect((sizes as { most: number }).most).toBeLessThan(600);
    expect(gate.gateway.log()).toBe('');
    expect(statSync(join(gate.root, 'data/gateway.db')).size).toBeLessThan(1024 * 1024);
  });
});
