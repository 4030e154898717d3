import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ParsedMail, simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Program } from '../flow/gateway.ts';
import { answerLetter, STYLES } from '../lab/answer-styles.ts';
import { type MailServers, startMailServers } from '../lab/mail-servers.ts';
import {
  DOMAIN,
  idOf,
  mailboxOf,
  makeSite,
  OWNER,
  PASSWORD,
  type Site,
  STAMP,
  send,
  untilAnswered,
} from '../lab/site.ts';

const ADA = `agents@${DOMAIN}`;
const CARL = `carl@${DOMAIN}`;

let lab: MailServers;
let site: Site;
const running: { gateway?: Program } = {};

beforeAll(async () => {
  lab = await startMailServers({
    users: Object.fromEntries(['agents', 'you', 'boss', 'carl'].map((user) => [user, PASSWORD])),
    domain: DOMAIN,
    aliases: {},
    stamp: STAMP,
  });
  site = makeSite(lab, {
    mailboxes: [mailboxOf(lab, 'agents')],
    personas: { ada: { name: 'Ada', address: ADA } },
  });
  const security = join(site.workspace.root, 'configs/security.json');
  site.workspace.write('configs/security.json', {
    ...JSON.parse(readFileSync(security, 'utf8')),
    // Each question of this test in a notice of its own, at once.
    approvals: { batch_window_s: 0 },
  });
  running.gateway = await site.start();
});
afterAll(async () => {
  await site.close();
  await lab.stop();
});

const mailsOf = async (user: string): Promise<ParsedMail[]> =>
  Promise.all((await lab.read(user)).map(({ raw }) => simpleParser(raw)));

/** The one mail in a mailbox that fits, once it is there. */
const mailWhen = (user: string, fits: (mail: ParsedMail) => boolean): Promise<ParsedMail> =>
  vi.waitFor(
    async () => {
      const found = (await mailsOf(user)).filter(fits);
      expect(found).toHaveLength(1);
      return found[0] as ParsedMail;
    },
    { timeout: 60_000, interval: 200 },
  );

const kindOf = (mail: ParsedMail) => mail.headers.get('x-epistle-kind');
const approvals = async () => (await site.command('approvals', 'list')).json.approvals as Record<string, string>[];
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Without what the two versions of a text may differ in. */
const words = (text = ''): string => text.split('\n-- \n')[0]?.trim() ?? '';

describe('a call that needs an owner, over real mail servers', () => {
  it.each(Object.keys(STYLES).map((style, number) => ({ style, number })))(
    'is done once and exactly as asked when the owner answers with $style after the gateway was killed',
    async ({ style, number }) => {
      const body = `Dear Carl,\n\nthe offer no. ${number} is 1.234,50 € – *valid until Friday*.\n\nGrüße`;
      const args = { to: [CARL], subject: `Angebot ${number}: Größe`, body };
      const id = await send(lab, {
        id: `ask-${number}`,
        to: ADA,
        subject: `Please ${number}`,
        text: `Please write to Carl.\r\n/send_email ${JSON.stringify(args).replace(/[^\x20-\x7e]/g, escapedJson)}`,
      });
      const notice = await mailWhen(
        'boss',
        (mail) => kindOf(mail) === 'approval' && !!mail.text?.includes(`Angebot ${number}`),
      );
      expect(notice.text).toContain('1.234,50 €');
      const wait = await mailWhen('you', (mail) => kindOf(mail) === 'wait' && mail.inReplyTo === id);
      const [before] = (await approvals()).filter(({ state }) => state === 'pending');

      const other = await send(lab, {
        id: `meanwhile-${number}`,
        to: ADA,
        subject: `Re: Please ${number}`,
        headers: [`In-Reply-To: ${wait.messageId}`, `References: ${id} ${wait.messageId}`],
        text: 'Something else in the meantime: what time is it?',
      });
      await untilAnswered(lab, [other]);
      expect((await mailsOf('carl')).filter(({ subject }) => subject === args.subject)).toEqual([]);

      await running.gateway?.kill();
      const { raw, to } = answerLetter(style, `yes-${number}`, 'Approve', notice);
      await lab.deliver(raw, { from: OWNER, to });
      running.gateway = await site.start();

      const mail = await mailWhen('carl', ({ subject }) => subject === args.subject);
      expect(words(mail.text)).toBe(body);
      expect(mail.from?.value[0]?.address).toBe(ADA);
      const answer = await mailWhen('you', (each) => kindOf(each) === 'reply' && each.inReplyTo === id);
      expect(answer.text).toContain('send_email: ok');
      const after = (await approvals()).find(({ id: approval }) => approval === before?.id);
      expect(after).toMatchObject({ state: 'executed', decided_by: OWNER, arguments_hash: before?.arguments_hash });
      expect(after?.arguments).toEqual({ ...args, cc: [], attachments: [] });
      expect(sha256(canonical(after?.arguments))).toBe(before?.arguments_hash);
      const [[asked], [meanwhile]] = [await site.why(id), await site.why(other)];
      expect(meanwhile.thread_id).toBe(asked.thread_id);
      expect(await site.why(idOf(`yes-${number}`))).toMatchObject([{ decision: 'recorded', code: 'approval_answer' }]);

      // Said again from another program, and the gateway killed again: it stays done once.
      const again = answerLetter('Apple Mail', `again-${number}`, 'approve', notice);
      await lab.deliver(again.raw, { from: OWNER, to: again.to });
      await running.gateway?.kill();
      running.gateway = await site.start();
      await untilAnswered(lab, [await send(lab, { id: `after-${number}`, to: ADA })]);
      expect((await mailsOf('carl')).filter(({ subject }) => subject === args.subject)).toHaveLength(1);
      expect((await mailsOf('you')).filter((each) => kindOf(each) === 'reply' && each.inReplyTo === id)).toHaveLength(
        1,
      );
    },
    120_000,
  );
});

const escapedJson = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
