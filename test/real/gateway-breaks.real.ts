import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Program, submit } from '../flow/gateway.ts';
import { type MailServers, startMailServers } from '../lab/mail-servers.ts';
import {
  answersIn,
  DOMAIN,
  idOf,
  mailboxOf,
  mailboxWhen,
  makeSite,
  PASSWORD,
  type Site,
  STAMP,
  send,
  untilAnswered,
} from '../lab/site.ts';

const ADA = `agents@${DOMAIN}`;

let lab: MailServers;
let site: Site;
let gateway: Program;

beforeAll(async () => {
  lab = await startMailServers({
    users: Object.fromEntries(['agents', 'you', 'boss'].map((user) => [user, PASSWORD])),
    domain: DOMAIN,
    stamp: STAMP,
  });
  site = makeSite(lab, {
    mailboxes: [mailboxOf(lab, 'agents')],
    personas: { ada: { address: ADA } },
    // A second way in, for mail that has to come while the mailbox is away.
    gateway: { smtp_listener: { port: 0 } },
  });
  gateway = await site.start();
});
afterAll(async () => {
  await site.close();
  await lab.stop();
});

const connectionsMade = () => gateway.log().split('"mailbox":"main","state":"connected"').length - 1;

/** Until the gateway has logged in again after what happened since `before`. */
async function untilReconnected(before: number): Promise<void> {
  await expect.poll(connectionsMade, { timeout: 60_000 }).toBeGreaterThan(before);
}

const viaListener = (id: string) =>
  submit(site.workspace.root, gateway.ready, { from: `you@${DOMAIN}`, to: ADA, messageId: idOf(id), text: 'Hello.' });

describe('a kicked connection', () => {
  it('is made anew, and mail from before, between and after is answered', async () => {
    const before = connectionsMade();
    const ids = [await send(lab, { id: 'kick-before', to: ADA })];
    await lab.kick('agents');
    ids.push(await send(lab, { id: 'kick-between', to: ADA }));
    await untilReconnected(before);
    ids.push(await send(lab, { id: 'kick-after', to: ADA }));
    await untilAnswered(lab, ids);
  });
});

describe('an IMAP server that goes away', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'by %s is waited for, and what came meanwhile is answered',
    async (signal) => {
      const before = connectionsMade();
      const ids = [await send(lab, { id: `away-before-${signal}`, to: ADA })];
      await untilAnswered(lab, ids);
      await lab.stopDovecot(signal);
      ids.push(await send(lab, { id: `away-queued-${signal}`, to: ADA }));
      ids.push(await viaListener(`away-listener-${signal}`));
      await expect.poll(() => site.runs().at(-1)?.message_id).toBe(ids.at(-1));
      await lab.startDovecot();
      await untilReconnected(before);
      await lab.flush();
      await untilAnswered(lab, ids);
    },
  );
});

describe('a submission server that goes away', () => {
  it('is tried again, and each answer leaves once', async () => {
    await lab.stopPostfix();
    const ids = [await viaListener('postfix-1'), await viaListener('postfix-2')];
    const waiting = () => site.outbox().filter(({ state, last_error }) => state === 'queued' && last_error !== null);
    await expect.poll(() => waiting().length, { timeout: 60_000 }).toBe(2);
    await lab.startPostfix();
    await untilAnswered(lab, ids);
    expect(waiting()).toEqual([]);
  });
});

describe('a mailbox whose UIDVALIDITY changes', () => {
  it('is looked at again as a whole, and nothing is answered again', async () => {
    const before = connectionsMade();
    const runs = site.runs().length;
    await lab.changeUidValidity('agents');
    await untilReconnected(before);
    const id = await send(lab, { id: 'other-uids', to: ADA });
    await untilAnswered(lab, [id]);
    expect(site.runs()).toHaveLength(runs + 1);
    const first = await site.why(idOf('kick-before'));
    expect(first.map(({ decision }) => decision)).toEqual(['accepted', 'duplicate']);
  });
});

describe('mail that comes while the gateway is down', () => {
  it('is answered when it is back, oldest first', async () => {
    expect(await gateway.stop()).toBe(0);
    const already = (await lab.mailbox('agents')).length;
    const ids: string[] = [];
    for (const at of [1, 2, 3, 4, 5]) {
      ids.push(await send(lab, { id: `downtime-${at}`, to: ADA }));
      // Postfix delivers side by side, so order has to be made.
      await mailboxWhen(lab, 'agents', (mails) => mails.length === already + at);
    }
    gateway = await site.start();
    await untilAnswered(lab, ids);
    const started = site.runs().map(({ message_id }) => message_id);
    expect(started.slice(-5)).toEqual(ids);
  });
});

describe('the end of it all', () => {
  it('is one answer for each mail, and one copy of it in Sent', async () => {
    const answers = await answersIn(lab, 'you');
    expect([...answers].filter(([, ids]) => ids.length !== 1)).toEqual([]);
    const sent = await lab.mailbox('agents', 'Sent');
    expect(new Set(sent.map(({ messageId }) => messageId)).size).toBe(sent.length);
    expect(site.runs()).toHaveLength(answers.size);
    expect((await lab.mailbox('boss')).length).toBe(0);
  });
});
