import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { startSmtpPeer } from '../fakes/smtp-peer.ts';
import { type MailServers, startMailServers } from '../lab/mail-servers.ts';
import {
  DOMAIN,
  mailboxOf,
  mailboxWhen,
  makeSite,
  minutesLater,
  outboxWhen,
  PASSWORD,
  type Site,
  STAMP,
  send,
  untilAnswered,
} from '../lab/site.ts';
import { startTcpProxy, type TcpProxy } from '../lab/tcp-proxy.ts';

/** A mailbox of its own for each situation. */
const USERS = Array.from({ length: 24 }, (_unused, at) => `agents${at}`);

let lab: MailServers;
let nextUser = 0;
const sites: Site[] = [];
let silent: { site: Site; proxy: TcpProxy; mail: string };

beforeAll(async () => {
  lab = await startMailServers({
    users: Object.fromEntries([...USERS, 'you', 'boss'].map((user) => [user, PASSWORD])),
    domain: DOMAIN,
    stamp: STAMP,
  });
  silent = await beginSilence();
});
afterAll(async () => {
  for (const site of sites) await site.close();
  await silent.proxy.stop();
  await lab.stop();
});

function freshSite(changes: Parameters<typeof mailboxOf>[2] = {}) {
  const user = USERS[nextUser++] ?? '';
  const address = `${user}@${DOMAIN}`;
  const site = makeSite(lab, { mailboxes: [mailboxOf(lab, user, changes)], personas: { ada: { address } } });
  sites.push(site);
  return { site, user, address };
}

/** A gateway whose connection is lost without a word, and a mail that it hears nothing of. */
async function beginSilence() {
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: lab.imap.port });
  const { site, address } = freshSite({ imap: { port: proxy.port } });
  await site.start();
  proxy.forget();
  return { site, proxy, mail: await send(lab, { id: 'into-silence', to: address }) };
}

const flagsOf = async (user: string, id: string) =>
  (await lab.mailbox(user)).find(({ messageId }) => messageId === id)?.flags;

const untilSeen = (user: string, id: string) =>
  mailboxWhen(lab, user, (mails) => mails.some((mail) => mail.messageId === id && mail.flags.includes('\\Seen')));

async function dieAt(site: Site, point: string, mail: () => Promise<string>): Promise<string> {
  const dying = site.launch({ EPISTLE_CRASH_AT: point });
  await dying.ready;
  const id = await mail();
  await dying.exited;
  expect(dying.process.signalCode).toBe('SIGKILL');
  return id;
}

describe('a gateway that dies while it takes in mail', () => {
  it.concurrent.each(['accept.raw_written', 'accept.committed', 'imap.received'])(
    'at %s has marked nothing, and answers once when it is back',
    async (point) => {
      const { site, user, address } = freshSite();
      const id = await dieAt(site, point, () => send(lab, { id: `died-at-${point}`, to: address }));
      expect(await flagsOf(user, id)).toEqual([]);
      const gateway = await site.start();
      const answers = await untilAnswered(lab, [id]);
      await untilSeen(user, id);
      expect(answers.get(id)).toHaveLength(1);
      expect(site.runs()).toHaveLength(1);
      expect(await gateway.stop()).toBe(0);
    },
  );

  it.concurrent('at imap.cursor_saved has marked it, and answers once when it is back', async () => {
    const { site, user, address } = freshSite();
    const id = await dieAt(site, 'imap.cursor_saved', () => send(lab, { id: 'died-at-cursor', to: address }));
    expect(await flagsOf(user, id)).toEqual(['\\Seen']);
    const gateway = await site.start();
    const ended = () => site.outbox().find(({ state }) => state === 'sent' || state === 'unknown')?.state;
    await vi.waitFor(() => expect(ended()).toBeDefined(), { timeout: 30_000, interval: 100 });
    if (ended() === 'unknown') {
      // Its answer was on the wire, and waits ten minutes for a trace.
      await gateway.stop();
      await site.start(minutesLater(11));
    }
    expect(new Set((await untilAnswered(lab, [id])).get(id)).size).toBe(1);
    expect(site.runs()).toHaveLength(1);
  });
});

describe('a gateway that dies while it answers', () => {
  it.concurrent.each(['run.finished', 'outbox.recorded', 'outbox.sent_copy'])('at %s answers once', async (point) => {
    const { site, user, address } = freshSite();
    const id = await dieAt(site, point, () => send(lab, { id: `died-at-${point}`, to: address }));
    const gateway = await site.start();
    const answers = await untilAnswered(lab, [id]);
    await untilSeen(user, id);
    expect(await gateway.stop()).toBe(0);
    expect(answers.get(id)).toHaveLength(1);
    // The copy is a courtesy: what died before it is not filed later.
    const copies = (await lab.mailbox(user, 'Sent')).map(({ messageId }) => messageId);
    expect(copies).toEqual(point === 'outbox.recorded' ? [] : answers.get(id));
  });

  it.concurrent('before the server had it sends it ten minutes later', async () => {
    const { site, address } = freshSite();
    const id = await dieAt(site, 'outbox.claimed', () => send(lab, { id: 'died-at-claim', to: address }));
    const gateway = await site.start();
    await outboxWhen(site, id, 'unknown');
    await gateway.stop();
    await site.start(minutesLater(11));
    expect((await untilAnswered(lab, [id])).get(id)).toHaveLength(1);
    expect(await outboxWhen(site, id, 'sent')).toMatchObject({ last_error: 'resent_after_unknown' });
  });

  it.concurrent('after the server had it sends the same bytes once more, and only when nothing lies in Sent', async () => {
    const lost = freshSite();
    const filed = freshSite();
    const [lostId, filedId] = await Promise.all([
      dieAt(lost.site, 'outbox.handed_over', () => send(lab, { id: 'died-lost', to: lost.address })),
      dieAt(filed.site, 'outbox.handed_over', () => send(lab, { id: 'died-filed', to: filed.address })),
    ]);
    await untilAnswered(lab, [lostId, filedId]);
    const copyOf = async (id: string) =>
      (await lab.read('you')).filter(({ raw }) => raw.includes(`In-Reply-To: ${id}`)).map(({ raw }) => raw);
    const [copy = Buffer.alloc(0)] = await copyOf(filedId);
    await lab.file(filed.user, 'Sent', copy);

    const again = await filed.site.start();
    await outboxWhen(filed.site, filedId, 'sent');
    await again.stop();
    const early = await lost.site.start();
    await outboxWhen(lost.site, lostId, 'unknown');
    await early.stop();
    await lost.site.start(minutesLater(11));
    expect(await outboxWhen(lost.site, lostId, 'sent')).toMatchObject({ last_error: 'resent_after_unknown' });

    await mailboxWhen(lab, 'you', (mails) => mails.filter(({ inReplyTo }) => inReplyTo === lostId).length === 2);
    const [first, second, ...more] = (await copyOf(lostId)).map(withoutTrace);
    expect(second).toBe(first);
    expect(more).toEqual([]);
    expect(await copyOf(filedId)).toHaveLength(1);
  });
});

/** Without what servers on the way put on top. */
const withoutTrace = (raw: Buffer): string => raw.toString('latin1').replace(/^.*?\r\n(?=From: )/s, '');

describe('a submission server that takes a mail and drops the line', () => {
  it.concurrent('is asked through the Sent folder, and else gets the same bytes once more', async () => {
    const peer = await startSmtpPeer({ dot: 'drop', store: true });
    const { site, user, address } = freshSite({
      smtp: { host: '127.0.0.1', port: peer.port, tls: 'none', tls_ca_file: null },
    });
    const gateway = await site.start();
    const [filedId, lostId] = [
      await send(lab, { id: 'dropped-filed', to: address }),
      await send(lab, { id: 'dropped-lost', to: address }),
    ];
    await outboxWhen(site, filedId, 'unknown');
    await outboxWhen(site, lostId, 'unknown');
    expect(await gateway.stop()).toBe(0);
    const heard = (id: string) => peer.mails.filter(({ raw }) => raw.includes(`In-Reply-To: ${id}`));
    await lab.file(user, 'Sent', Buffer.from(heard(filedId)[0]?.raw ?? '', 'latin1'));

    peer.script.dot = '250 2.0.0 taken';
    await site.start(minutesLater(11));
    expect(await outboxWhen(site, filedId, 'sent')).not.toMatchObject({ last_error: 'resent_after_unknown' });
    expect(await outboxWhen(site, lostId, 'sent')).toMatchObject({ last_error: 'resent_after_unknown' });
    expect(heard(filedId)).toHaveLength(1);
    const [first, second, ...more] = heard(lostId);
    expect(second).toEqual(first);
    expect(more).toEqual([]);
    await peer.stop();
  });
});

describe('a gateway that is killed at any moment while mail flows', () => {
  it(
    'answers every mail once',
    async () => {
      const { site, user, address } = freshSite();
      const random = seeded(20_261_121);
      const ids: string[] = [];
      for (let kill = 0; kill < inject('kills'); kill += 1) {
        const gateway = await site.start();
        // Each second time once it has taken in what came before: a mail that five deaths leave is set aside as their cause.
        const before = kill % 2 === 1 ? ids.length : 0;
        const taken =
          before === 0
            ? Promise.resolve()
            : vi.waitFor(() => expect(site.runs().length).toBeGreaterThanOrEqual(before), {
                timeout: 60_000,
                interval: 50,
              });
        const doomed = taken.then(() => pause(random() * 2000)).then(() => gateway.kill());
        for (let at = 0; at < 4; at += 1) {
          ids.push(await send(lab, { id: `killed-${kill}-${at}`, from: `you+${at}@${DOMAIN}`, to: address }));
        }
        await doomed;
      }
      const last = await site.start();
      const isOpen = () => site.outbox().some(({ state }) => state === 'queued' || state === 'sending');
      await expect.poll(() => site.runs().length === ids.length && !isOpen(), { timeout: 60_000 }).toBe(true);
      expect(await last.stop()).toBe(0);
      // What was on the wire at a kill waits ten minutes for a trace.
      await site.start(minutesLater(11));
      const answers = await untilAnswered(lab, ids);
      await expect.poll(() => site.outbox().every(({ state }) => state === 'sent'), { timeout: 60_000 }).toBe(true);

      const rows = site.outbox();
      expect(rows.map(({ in_reply_to }) => in_reply_to).toSorted()).toEqual(ids.toSorted());
      const resent = rows.filter(({ last_error }) => last_error === 'resent_after_unknown');
      const several = ids.filter((id) => new Set(answers.get(id)).size !== 1);
      expect(several).toEqual([]);
      const doubled = ids.filter((id) => answers.get(id)?.length !== 1);
      expect(resent.map(({ in_reply_to }) => in_reply_to)).toEqual(expect.arrayContaining(doubled));
      process.stdout.write(
        `${ids.length} mails, ${inject('kills')} kills (seed 20261121): ${ids.length} answered, ${resent.length} sent once more\n`,
      );
      await mailboxWhen(lab, user, (mails) => mails.every(({ flags }) => flags.includes('\\Seen')));
      const sent = (await lab.mailbox(user, 'Sent')).map(({ messageId }) => messageId);
      expect(new Set(sent).size).toBe(sent.length);
    },
    120_000 + inject('kills') * 12_000,
  );
});

/** The same numbers each time (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe('a connection that went silent without a word', () => {
  it('is noticed within two minutes, and the mail of that time is answered', async () => {
    expect((await untilAnswered(lab, [silent.mail], { timeout: 100_000 })).get(silent.mail)).toHaveLength(1);
    expect(silent.proxy.accepted()).toBeGreaterThan(1);
  }, 110_000);
});
