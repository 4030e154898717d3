import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MIA } from '../admission-rig.ts';
import { asRspamd, type BehindBorder, dateOf, receivedFrom, startBehindBorder, USUAL, under } from '../border-rig.ts';
import { epistle, readOutgoing } from '../gateway.ts';
import { openWaiting, type Waiting } from './rig.ts';

const MAILS = 50;
const ADA = 'ada@agents.localhost';
const MEMBER = 'm1@member.example';
const soon = { timeout: 90_000, interval: 100 };
const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((close) => close()));
});

const part = (name: string) =>
  [
    '--b',
    `Content-Type: text/plain; name="${name}"`,
    `Content-Disposition: attachment; filename="${name}"`,
    '',
    name,
  ].join('\r\n');

/** A letter with so many files. */
const withFiles = (from: string, to: string, id: string, files: number, text = 'Here they are.'): Buffer =>
  Buffer.from(
    [
      ...[`From: ${from}`, `To: ${to}`, 'Subject: The files', `Date: ${dateOf(Date.now())}`, `Message-ID: ${id}`],
      ...['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b', '', '--b', 'Content-Type: text/plain', ''],
      ...[text, ...Array.from({ length: files }, (_, at) => part(`${at}.txt`)), '--b--', ''],
    ].join('\r\n'),
  );

/** A letter of parts within parts. */
const nested = (from: string, to: string, id: string, depth: number): Buffer => {
  const boundaries = Array.from({ length: depth }, (_, at) => `b${at}`);
  return Buffer.from(
    [
      ...[`From: ${from}`, `To: ${to}`, 'Subject: The files', `Date: ${dateOf(Date.now())}`, `Message-ID: ${id}`],
      'MIME-Version: 1.0',
      ...boundaries.flatMap((one) => [`Content-Type: multipart/mixed; boundary=${one}`, '', `--${one}`]),
      ...['Content-Type: text/plain', '', 'Here it is.'],
      ...boundaries.toReversed().flatMap((one) => [`--${one}--`, '']),
    ].join('\r\n'),
  );
};

const GATEWAY = (limits: object) => ({ smtp_listener: { port: 0 }, limits });

describe('fifty mails of a proven sender that have too many parts', () => {
  it.each([
    ['max_mime_parts', 10, (id: string) => withFiles(MEMBER, ADA, id, 12)],
    ['max_mime_depth', 4, (id: string) => nested(MEMBER, ADA, id, 6)],
  ])(
    'are kept, with one note to the sender, and `mail retry` works each once it is raised: %s',
    async (key, most, letter) => {
      const rig: Waiting = await openWaiting({ files: { 'configs/gateway.json': GATEWAY({ [key]: most }) } });
      opened.push(rig.close);
      const { office } = rig;
      const idOf = (number: number) => `<parts-${number}@member.example>`;
      for (let number = 1; number <= MAILS; number += 1)
        await office.post({ from: MEMBER, raw: letter(idOf(number)).toString() });
      const letters = (await office.cli('deadletters', 'list', '--limit', '100')).json.dead_letters;
      expect(letters).toHaveLength(MAILS);
      const told = await office.arrival('wait', MEMBER);
      expect(told.mail.text).toContain('I could not read your mail because of the way it is built');
      expect((await office.left('notice')).length).toBeGreaterThan(0);
      expect(await office.left('wait')).toHaveLength(1);
      office.workspace.write('configs/gateway.json', GATEWAY({ [key]: 100 }));
      for (const number of [1, 25, 50]) {
        const again = await office.cli('mail', 'retry', idOf(number));
        expect(again.json, JSON.stringify(again.json)).toMatchObject({ results: [{ decision: 'accepted' }] });
      }
      await vi.waitFor(async () => expect(await office.left('reply')).toHaveLength(3), soon);
      expect((await office.cli('deadletters', 'list', '--limit', '100')).json.dead_letters).toHaveLength(MAILS - 3);
    },
  );
});

/** What has left to anybody. */
async function left({ root }: BehindBorder, kind: string) {
  const folder = join(root, 'data/outgoing');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.eml')) : [];
  const mails = await Promise.all(names.map((name) => readOutgoing(join(folder, name))));
  return mails.filter(({ mail }) => mail.headers.get('x-epistle-kind') === kind);
}

describe('fifty mails of a proven sender in a mailbox that have too many attachments', () => {
  const domain = MIA.slice(MIA.indexOf('@') + 1);
  /** Signed, and with what its border says of it. */
  const borne = async (gate: BehindBorder, letter: Buffer): Promise<Buffer> => {
    const raw = await gate.sign(letter, domain, { covers: USUAL });
    const says = asRspamd.header(asRspamd.dkim(raw, domain), asRspamd.dmarc(domain), asRspamd.spfPass(MIA));
    return under([says, receivedFrom()], raw);
  };

  it('or are too large: are dead letters, with one note to the sender, and `mail retry` fetches each when the limit is raised', async () => {
    const gate: BehindBorder = await startBehindBorder();
    opened.push(gate.stop);
    const file = join(gate.root, 'configs/gateway.json');
    writeFileSync(join(gate.root, '.env'), 'BOX_PASSWORD=secret\n');
    const settings = JSON.parse(readFileSync(file, 'utf8'));
    const allow = (max_message_bytes: number) =>
      writeFileSync(file, JSON.stringify({ ...settings, limits: { max_message_bytes } }));
    allow(20_000);
    const idOf = (number: number) => `<large-${number}@${domain}>`;
    const bring = async (number: number) => {
      const letter = withFiles(MIA, ADA, idOf(number), 2, 'It goes on. '.repeat(4000));
      return gate.bring('mailbox', idOf(number), await borne(gate, letter));
    };
    const retry = (number: number) => epistle(gate.root, ['mail', 'retry', idOf(number)]);
    // Until the limit is in force.
    const probe = { number: 1000 };
    await vi.waitFor(async () => {
      probe.number += 1;
      expect(await bring(probe.number)).toMatchObject([{ decision: 'dead_letter' }]);
    }, soon);
    for (let number = 1; number <= MAILS; number += 1)
      expect(await bring(number)).toMatchObject([
        { decision: 'dead_letter', code: 'message_too_large', tier: 'member' },
      ]);
    await vi.waitFor(async () => expect(await left(gate, 'wait')).toHaveLength(1), soon);
    expect((await left(gate, 'wait'))[0]?.mail.text).toContain('larger than I may take in');
    await vi.waitFor(async () => expect((await left(gate, 'notice')).length).toBeGreaterThan(0), soon);
    const refused = await retry(1);
    expect(refused.json.error).toMatchObject({ code: 'message_too_large' });
    allow(200_000);
    for (const number of [1, 50]) {
      const again = await retry(number);
      expect(again.json, JSON.stringify(again.json)).toMatchObject({ results: [{ decision: 'accepted' }] });
    }
  });

  it('are each listed, with one note to the sender and a notice to the owners, and others’ are told of to nobody', async () => {
    const gate: BehindBorder = await startBehindBorder();
    opened.push(gate.stop);
    const idOf = (number: number) => `<files-${number}@${domain}>`;
    for (let number = 1; number <= MAILS; number += 1) {
      const raw = await borne(gate, withFiles(MIA, ADA, idOf(number), 25));
      const rows = await gate.bring('mailbox', idOf(number), raw);
      expect(rows).toMatchObject([{ decision: 'refused', code: 'too_many_attachments' }]);
    }
    // Of somebody who is not proven nobody hears.
    const forged = withFiles('zoe@nowhere.example', ADA, '<forged@nowhere.example>', 25);
    await gate.bring('mailbox', '<forged@nowhere.example>', under([receivedFrom()], forged));
    await vi.waitFor(async () => expect(await left(gate, 'wait')).toHaveLength(1), soon);
    const [note] = await left(gate, 'wait');
    expect(note?.envelopeTo).toBe(MIA);
    expect(note?.mail.text).toContain('more attachments than I may take in');
    await vi.waitFor(async () => {
      const notices = (await left(gate, 'notice')).map(({ mail }) => mail.text ?? '');
      expect(notices.some((text) => text.includes('Reply "again", and I answer it all the same.'))).toBe(true);
    }, soon);
    const listed = (await epistle(gate.root, ['mail', 'list', '--refused', '--limit', '100'])).json.mails;
    expect(listed).toHaveLength(MAILS + 1);
    for (const mail of listed) expect(mail).toMatchObject({ cure: expect.stringContaining('limits.max_attachments') });
  });
});
