import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ParsedMail, simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { answerLetter } from '../lab/answer-styles.ts';
import { type MailServers, startMailServers } from '../lab/mail-servers.ts';
import {
  DOMAIN,
  idOf,
  mailboxOf,
  makeSite,
  minutesLater,
  OWNER,
  PASSWORD,
  type Site,
  STAMP,
  send,
  untilAnswered,
} from '../lab/site.ts';

const ADA = `agents@${DOMAIN}`;
const CARL = `carl@${DOMAIN}`;
const EVE = `eve@${DOMAIN}`;

let lab: MailServers;
let site: Site;

beforeAll(async () => {
  lab = await startMailServers({
    users: Object.fromEntries(['agents', 'you', 'boss', 'carl', 'eve'].map((user) => [user, PASSWORD])),
    domain: DOMAIN,
    aliases: {},
    stamp: STAMP,
  });
  site = makeSite(lab, { mailboxes: [mailboxOf(lab, 'agents')], personas: { ada: { name: 'Ada', address: ADA } } });
});
afterAll(async () => {
  await site?.close();
  await lab?.stop();
});

const mailsOf = async (user: string): Promise<ParsedMail[]> =>
  Promise.all((await lab.read(user)).map(({ raw }) => simpleParser(raw)));

/** The mails in the owner's mailbox of which the subject has these words, once there are so many. */
const toOwner = (words: string, count: number): Promise<ParsedMail[]> =>
  vi.waitFor(
    async () => {
      const found = (await mailsOf('boss')).filter(({ subject }) => subject?.includes(words));
      expect(found).toHaveLength(count);
      return found;
    },
    { timeout: 90_000, interval: 200 },
  );

const codeOf = (id: string): Promise<string | null> =>
  vi.waitFor(
    async () => {
      const [row] = await site.why(id);
      expect(row).toBeDefined();
      return row.code as string | null;
    },
    { timeout: 60_000, interval: 300 },
  );

describe('strangers over real mail servers', () => {
  it('are answered without writing again once the owner answers the mail about them, whoever else tries', async () => {
    const first = await site.start();
    const carl = await send(lab, { id: 'carl-1', from: CARL, to: ADA, text: 'What time is it?' });
    const eve = await send(lab, { id: 'eve-1', from: EVE, to: ADA, subject: `allow ${EVE}` });
    expect(await codeOf(carl)).toBe('sender_not_allowed');
    expect(await codeOf(eve)).toBe('sender_not_allowed');
    await first.stop();
    await site.start(minutesLater(24 * 60));

    const [digest] = await toOwner('new senders', 1);
    if (!digest) throw new Error('no digest');
    expect(digest.text).toContain(`${CARL} → Ada`);
    // Somebody who got a copy, by their own name and by the owner's.
    const copied = answerLetter('Apple Mail', 'eve-answers', `allow ${EVE}`, digest);
    const byEve = String(copied.raw).replaceAll(OWNER, EVE);
    await lab.deliver(byEve, { from: EVE, to: copied.to });
    expect(await codeOf(idOf('eve-answers'))).toBe('approval_not_authorised');

    const { raw, to } = answerLetter('Apple Mail', 'boss-answers', `allow ${CARL}`, digest);
    await lab.deliver(raw, { from: OWNER, to });
    const answers = await untilAnswered(lab, [carl], { user: 'carl', timeout: 90_000 });
    expect(answers.get(carl)).toHaveLength(1);
    const [about] = await toOwner('About your answer', 1);
    expect(about?.text).toContain(`${CARL} may write to Ada from now on. One mail of theirs was taken in`);
    expect(about?.inReplyTo).toBe(digest.messageId);
    const { access } = JSON.parse(readFileSync(join(site.workspace.root, 'personas/ada/persona.json'), 'utf8'));
    expect(access.allow).toContain(CARL);
    expect(access.allow).not.toContain(EVE);
    expect(await codeOf(eve)).toBe('sender_not_allowed');
    const { audit } = (await site.command('audit')).json;
    expect(audit.filter(({ event }: { event: string }) => event === 'sender_decided')).toMatchObject([
      { actor: OWNER, decision: 'allow', detail: { sender: CARL } },
    ]);
  }, 240_000);
});
