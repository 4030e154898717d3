import { type ParsedMail, simpleParser } from 'mailparser';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type FakeModel, startFakeModel } from '../fakes/model-server.ts';
import { STEADY } from '../flow/workspace.ts';
import { answerLetter } from '../lab/answer-styles.ts';
import {
  answerTo,
  fromPhone,
  fromUnknownProgram,
  greekNewsletter,
  inlineInOutlook,
  OWN_LINES,
  obedient,
  pays,
} from '../lab/day-of-words.ts';
import { DOVECOT_HOST } from '../lab/dovecot.ts';
import { type MailServers, startMailServers } from '../lab/mail-servers.ts';
import { DOMAIN, mailboxOf, makeSite, OWNER, PASSWORD, type Site, STAMP, send } from '../lab/site.ts';

const [ADA, MEMBER, CARL] = [`agents@${DOMAIN}`, `you@${DOMAIN}`, `carl@${DOMAIN}`];
const [OWNERS, MEMBERS] = [
  { from: OWNER, persona: ADA },
  { from: MEMBER, persona: ADA },
];

let lab: MailServers;
let site: Site;
let model: FakeModel;

beforeAll(async () => {
  model = await startFakeModel('openai', ({ view }) => obedient(view.turn, view.lastUser));
  lab = await startMailServers({
    users: Object.fromEntries(['agents', 'you', 'boss', 'carl'].map((user) => [user, PASSWORD])),
    domain: DOMAIN,
    aliases: {},
    stamp: STAMP,
  });
  site = makeSite(lab, {
    mailboxes: [mailboxOf(lab, 'agents')],
    personas: { ada: { name: 'Ada', address: ADA } },
    files: {
      ...STEADY,
      'configs/inference.json': { provider: 'steady', model: 'm' },
      'extensions/extensions.json': { providers: [{ name: 'steady', config: { base_url: model.baseUrl } }] },
      'configs/security.json': {
        owners: [OWNER],
        gateway_auth: { trusted_received: [DOVECOT_HOST], dns_servers: [lab.dns] },
        approvals: { batch_window_s: 0 },
      },
    },
  });
  await site.start();
});
afterAll(async () => {
  await site?.close();
  await lab?.stop();
  await model?.stop();
});

/** The mails of this kind in somebody's mailbox, once there are so many. */
const arrived = (user: string, kind: string, count: number): Promise<ParsedMail> =>
  vi.waitFor(
    async () => {
      const mails = await Promise.all((await lab.read(user)).map(({ raw }) => simpleParser(raw)));
      const found = mails.filter(({ headers }) => headers.get('x-epistle-kind') === kind);
      expect(found).toHaveLength(count);
      return found.at(-1) as ParsedMail;
    },
    { timeout: 60_000, interval: 200 },
  );

const states = async (): Promise<string[]> =>
  (await site.command('approvals', 'list')).json.approvals.map(({ state }: { state: string }) => state);

const deliver = (raw: string, from: string, to = ADA): Promise<void> => lab.deliver(raw, { from, to });

it('a day of words over real servers: each counts as whose it is', async () => {
  await send(lab, {
    id: 'offer',
    to: ADA,
    subject: 'Offer',
    text: `Please send Carl the offer.\n${pays(CARL, 'Offer')}`,
  });
  // GMX on a telephone.
  const question = await arrived('boss', 'approval', 1);
  await deliver(fromPhone(question, OWNERS), OWNER, answerTo(question));
  expect((await arrived('carl', 'reply', 1)).subject).toBe('Offer');
  // A colleague, inline in Outlook.
  await deliver(inlineInOutlook(await arrived('you', 'reply', 1), MEMBERS), MEMBER);
  await arrived('you', 'reply', 2);
  const [{ pieces }] = await site.why('<inline@example.com>');
  const written = pieces.filter(({ kind }: { kind: string }) => kind === 'written');
  expect(written.map(({ text }: { text: string }) => text)).toEqual(OWN_LINES);
  // A Greek newsletter that wants money.
  await deliver(greekNewsletter(OWNERS), OWNER);
  const asked = await arrived('boss', 'approval', 2);
  expect(asked.text).toMatch(/evil\.example comes from what was forwarded/);
  const no = answerLetter('Apple Mail', 'no-1', 'Nein.', asked);
  await deliver(String(no.raw), OWNER, no.to);
  await arrived('boss', 'reply', 1);
  // A program that nobody has heard of.
  await deliver(fromUnknownProgram(MEMBERS), MEMBER);
  const again = await arrived('boss', 'approval', 3);
  expect(again.text).toContain('pay2@evil.example');
  const second = answerLetter('Apple Mail', 'no-2', 'No.', again);
  await deliver(String(second.raw), OWNER, second.to);
  await arrived('you', 'reply', 3);
  expect((await states()).toSorted()).toEqual(['executed', 'rejected', 'rejected']);
  expect(site.outbox().map(({ state }) => state)).not.toContain('failed');
}, 240_000);
