import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { withSecret } from '../fakes/secret.ts';
import { type MailServers, startMailServers } from '../lab/mail-servers.ts';
import { startTcpProxy, type TcpProxy } from '../lab/tcp-proxy.ts';
import { mail, watch } from '../lab/watched.ts';

/** A mailbox of its own for each test. */
const USERS = Array.from({ length: 40 }, (_unused, at) => `user${at}`);

let lab: MailServers;
let nextUser = 0;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  lab = await startMailServers({
    users: Object.fromEntries(USERS.map((user) => [user, 'secret'])),
    domain: 'lab.test',
  });
});
afterAll(() => lab.stop());
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function freshUser() {
  const name = USERS[nextUser++] ?? '';
  const address = `${name}@lab.test`;
  return { name, address, send: (raw: string) => lab.deliver(raw, { from: 'you@example.com', to: address }) };
}

function watching(user: { address: string }, options: Partial<Parameters<typeof watch>[0]> = {}) {
  const watched = watch({ port: lab.imap.port, user: user.address, ...options });
  closers.unshift(watched.stop);
  return watched;
}

async function proxied(): Promise<TcpProxy> {
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: lab.imap.port });
  closers.push(proxy.stop);
  return proxy;
}

/** What the mailbox holds once `condition` is true of it; Dovecot writes before it answers, LMTP runs behind Postfix. */
async function mailboxWhen(
  user: string,
  condition: (mails: { flags: readonly string[] }[]) => boolean,
  folder = 'INBOX',
) {
  await expect
    .poll(async () => condition(await lab.mailbox(user, folder)), { interval: 50, timeout: 60_000 })
    .toBe(true);
  return lab.mailbox(user, folder);
}

/** Postfix delivers side by side, so order has to be made. */
async function sendInTurn(user: ReturnType<typeof freshUser>, ids: readonly string[], already = 0) {
  for (const [at, id] of ids.entries()) {
    await user.send(mail(id));
    await mailboxWhen(user.name, (mails) => mails.length === already + at + 1);
  }
}

describe('new mail in a watched mailbox', () => {
  it('is received once, with where it lies', async () => {
    const user = freshUser();
    const watched = watching(user);
    await watched.start();
    expect(watched.state()).toMatchObject({ state: 'connected', error: null });
    await user.send(mail('m1'));
    await watched.until(() => watched.received.length === 1 && watched.cursor.now?.uid === 1);
    expect(watched.ids()).toEqual(['<m1@example.com>']);
    expect(watched.received[0]?.source).toMatchObject({
      mailbox: 'main',
      uid: 1,
      uidValidity: expect.stringMatching(/^\d+$/),
    });
    expect(Math.abs((watched.received[0]?.source.internalDate ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  it('arrives within a second of the 250 (Dovecot itself waits half of it)', async () => {
    const user = freshUser();
    const watched = watching(user);
    await watched.start();
    const delays: number[] = [];
    for (let count = 0; count < 12; count += 1) {
      await user.send(mail(`latency-${count}`));
      const acceptedAt = Date.now();
      await watched.until(() => watched.received.length === count + 1);
      delays.push((watched.received.at(-1)?.at ?? 0) - acceptedAt);
    }
    delays.sort((a, b) => a - b);
    // For the record: the median and the 95th percentile.
    process.stdout.write(`SMTP 250 to receive(): p50 ${delays[6]} ms, p95 ${delays[11]} ms\n`);
    // All of them on a machine that does nothing else; what works beside these tests may hold up some, never most.
    expect(delays[6]).toBeLessThan(1000);
    expect(delays[11]).toBeLessThan(5000);
  });

  it('comes whole in a burst, oldest first', async () => {
    const user = freshUser();
    const watched = watching(user);
    await watched.start();
    await Promise.all(Array.from({ length: 30 }, (_unused, at) => user.send(mail(`burst-${at}`))));
    await watched.until(() => watched.received.length >= 30);
    await watched.stop();
    expect(new Set(watched.ids()).size).toBe(30);
    const uids = watched.received.map(({ source }) => source.uid);
    expect(uids).toEqual(uids.toSorted((a, b) => a - b));
  });

  it('is taken byte for byte, also when its MIME nests deeper than imapflow reads', async () => {
    const user = freshUser();
    const depth = 40;
    const open = Array.from(
      { length: depth },
      (_unused, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`,
    );
    const close = Array.from({ length: depth }, (_unused, at) => `--b${depth - 1 - at}--\r\n`);
    const watched = watching(user);
    await watched.start();
    await user.send(
      `Message-ID: <deep@example.com>\r\nMIME-Version: 1.0\r\n${open.join('')}\r\ninnermost\r\n${close.join('')}`,
    );
    await watched.until(() => watched.received.length === 1);
    expect(watched.received[0]?.raw).toContain('innermost');
    expect(watched.received[0]?.raw).toContain('--b0--');
  });

  it('that is over the limit is handed on by its head, and does not hold up the next', async () => {
    const user = freshUser();
    const watched = watching(user);
    await watched.start();
    await user.send(mail('large', `${'x'.repeat(70)}\r\n`.repeat(20_000)));
    await user.send(mail('small'));
    await watched.until(() => watched.received.length === 1 && watched.heads.length === 1);
    expect(watched.heads[0]?.bytes).toBeGreaterThan(1_400_000);
    expect(watched.heads[0]?.head).toContain('Message-ID: <large@example.com>');
    expect(watched.heads[0]?.head.length).toBeLessThanOrEqual(64 * 1024);
    expect(watched.ids()).toEqual(['<small@example.com>']);
  });

  it('expunged by a person before it was fetched is passed over', async () => {
    const user = freshUser();
    const ahead = Promise.withResolvers<void>();
    await sendInTurn(user, ['first', 'second', 'third']);
    const watched = watching(user, {
      deps: { tuning: { batchMessages: 1, firstRetryMs: 50, maxRetryMs: 200 } },
      answer: async ({ messageId }): Promise<'settled'> => {
        if (messageId === '<first@example.com>') {
          await lab.expunge(user.name, 2);
          ahead.resolve();
        }
        return 'settled';
      },
    });
    await watched.start();
    await ahead.promise;
    await watched.until(() => watched.cursor.now?.uid === 3);
    expect(watched.ids()).toEqual(['<first@example.com>', '<third@example.com>']);
  });
});

describe('the first connect', () => {
  it('with "now" leaves what lay there and takes what comes', async () => {
    const user = freshUser();
    await user.send(mail('old'));
    await mailboxWhen(user.name, (mails) => mails.length === 1);
    const watched = watching(user, { imap: { first_connect: 'now' } });
    await watched.start();
    expect(watched.cursor.now?.uid).toBe(1);
    await user.send(mail('new'));
    await watched.until(() => watched.received.length === 1);
    expect(watched.ids()).toEqual(['<new@example.com>']);
  });

  it('with "now" on an empty mailbox takes the very first mail', async () => {
    const user = freshUser();
    const watched = watching(user, { imap: { first_connect: 'now' } });
    await watched.start();
    await user.send(mail('first'));
    await watched.until(() => watched.received.length === 1);
    expect(watched.cursor.now).toMatchObject({ uid: expect.any(Number), since: expect.any(Number) });
  });

  it('after a restart takes what came meanwhile, oldest first, and nothing again', async () => {
    const user = freshUser();
    const cursor = { now: null };
    const before = watching(user, { cursor });
    await before.start();
    await user.send(mail('a'));
    await before.until(() => before.received.length === 1);
    await before.stop();
    await sendInTurn(user, ['b', 'c', 'd'], 1);
    const after = watching(user, { cursor });
    await after.start();
    await after.until(() => after.received.length === 3);
    expect(after.ids()).toEqual(['<b@example.com>', '<c@example.com>', '<d@example.com>']);
  });
});

describe('what people see in the mailbox', () => {
  it('is untouched mail until it is settled, then \\Seen', async () => {
    const user = freshUser();
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const watched = watching(user, {
      imap: { processed: 'seen' },
      answer: async (): Promise<'settled'> => {
        entered.resolve();
        await gate.promise;
        return 'settled';
      },
    });
    await watched.start();
    await user.send(mail('flagged'));
    await entered.promise;
    expect((await lab.mailbox(user.name))[0]?.flags).toEqual([]);
    gate.resolve();
    const [stored] = await mailboxWhen(user.name, (mails) => mails[0]?.flags.length === 1);
    expect(stored?.flags).toEqual(['\\Seen']);
  });

  it('is a keyword when that is configured', async () => {
    const user = freshUser();
    const watched = watching(user, { imap: { processed: 'keyword:$AgentDone' } });
    await watched.start();
    await user.send(mail('keyword'));
    const [stored] = await mailboxWhen(user.name, (mails) => (mails[0]?.flags.length ?? 0) > 0);
    expect(stored?.flags).toEqual(['$AgentDone']);
  });

  it('is a move, into a folder that is made when missing', async () => {
    const user = freshUser();
    const watched = watching(user, { imap: { processed: 'move:Handled' } });
    await watched.start();
    await user.send(mail('moved-1'));
    await user.send(mail('moved-2'));
    const moved = await mailboxWhen(user.name, (mails) => mails.length === 2, 'Handled');
    expect(moved.map(({ messageId }) => messageId).toSorted()).toEqual([
      '<moved-1@example.com>',
      '<moved-2@example.com>',
    ]);
    await mailboxWhen(user.name, (mails) => mails.length === 0);
  });

  it('is nothing at all for mail that is none of ours', async () => {
    const user = freshUser();
    const watched = watching(user, {
      imap: { processed: 'seen' },
      answer: ({ messageId }) => (messageId.includes('foreign') ? 'untouched' : 'settled'),
    });
    await watched.start();
    await user.send(mail('foreign'));
    await watched.until(() => watched.received.length === 1);
    await user.send(mail('ours'));
    const stored = await mailboxWhen(user.name, (mails) => mails.some(({ flags }) => flags.length > 0));
    expect(stored.map(({ flags }) => flags)).toEqual([[], ['\\Seen']]);
  });
});

describe('mail that could not be settled', () => {
  it('is passed over, stays untouched, and is offered again when asked for', async () => {
    const user = freshUser();
    let isReady = false;
    const watched = watching(user, {
      imap: { processed: 'seen' },
      answer: ({ messageId }) => (messageId === '<later@example.com>' && !isReady ? 'later' : 'settled'),
    });
    await watched.start();
    await user.send(mail('later'));
    await watched.until(() => watched.received.length === 1);
    await user.send(mail('next'));
    await watched.until(() => watched.received.length === 2 && watched.cursor.now?.uid === 2);
    await mailboxWhen(user.name, (mails) => mails[1]?.flags.length === 1);
    expect((await lab.mailbox(user.name))[0]?.flags).toEqual([]);
    isReady = true;
    watched.recheck([{ uidValidity: watched.cursor.now?.uidValidity ?? '', uid: 1 }]);
    await watched.until(() => watched.received.length === 3);
    expect(watched.ids().at(-1)).toBe('<later@example.com>');
    expect(watched.cursor.now?.uid).toBe(2);
    await mailboxWhen(user.name, (mails) => mails[0]?.flags.length === 1);
  });

  it('is reported as gone when it is no longer there', async () => {
    const user = freshUser();
    const watched = watching(user, { answer: () => 'later' });
    await watched.start();
    await user.send(mail('later'));
    await watched.until(() => watched.received.length === 1);
    await lab.expunge(user.name, 1);
    const { uidValidity = '' } = watched.cursor.now ?? {};
    watched.recheck([
      { uidValidity, uid: 1 },
      { uidValidity: '1', uid: 9 },
    ]);
    await watched.until(() => watched.gone.length === 2);
    expect(watched.gone).toMatchObject([
      { uid: 1, uidValidity },
      { uid: 9, uidValidity: '1' },
    ]);
  });

  it("H4: does not keep an owner's mail waiting beside a hundred whose check is silent", async () => {
    const user = freshUser();
    const gate = Promise.withResolvers<'later'>();
    let silent = 0;
    const watched = watching(user, {
      answer: ({ messageId }) => {
        if (!messageId.startsWith('<silent')) return 'settled';
        silent += 1;
        return gate.promise;
      },
    });
    await watched.start();
    await Promise.all(Array.from({ length: 100 }, (_unused, at) => user.send(mail(`silent-${at}`))));
    await expect.poll(() => silent, { interval: 50, timeout: 60_000 }).toBe(100);
    await user.send(mail('owner-new'));
    const newAt = Date.now();
    await watched.until(() => watched.received.length === 1);
    const besideNew = (watched.received[0]?.at ?? 0) - newAt;
    gate.resolve('later');
    await watched.until(() => watched.received.length === 101 && watched.cursor.now?.uid === 101);

    const { uidValidity = '' } = watched.cursor.now ?? {};
    watched.recheck(Array.from({ length: 100 }, (_unused, at) => ({ uidValidity, uid: at + 1 })));
    await user.send(mail('owner-again'));
    const againAt = Date.now();
    await watched.until(() => watched.ids().includes('<owner-again@example.com>'));
    const besideDeferred = (watched.received.find((one) => one.messageId.includes('owner-again'))?.at ?? 0) - againAt;
    process.stdout.write(`owner beside 100 silent: new ${besideNew} ms, deferred ${besideDeferred} ms\n`);
    // They are silent until the test lets them speak.
    expect(besideNew).toBeLessThan(20_000);
    expect(besideDeferred).toBeLessThan(20_000);
  });

  it('because nothing can be stored is offered until it can', async () => {
    const user = freshUser();
    let failures = 2;
    const watched = watching(user, {
      answer: ({ messageId }) => {
        if (messageId === '<second@example.com>' && failures-- > 0) throw new Error('disk full');
        return 'settled';
      },
    });
    await sendInTurn(user, ['first', 'second']);
    await watched.start();
    await watched.until(() => watched.received.length === 2);
    expect(watched.ids()).toEqual(['<first@example.com>', '<second@example.com>']);
    expect(watched.states.some(({ error }) => error?.includes('disk full'))).toBe(true);
  });
});

describe('a connection that breaks', () => {
  it('by a kick is made anew, and nothing is lost or doubled', async () => {
    const user = freshUser();
    const watched = watching(user);
    await watched.start();
    await user.send(mail('before'));
    await watched.until(() => watched.received.length === 1);
    await lab.kick(user.name);
    await watched.until(() => watched.states.some(({ state }) => state === 'retrying'));
    await user.send(mail('after'));
    await watched.until(() => watched.received.length === 2);
    expect(watched.ids()).toEqual(['<before@example.com>', '<after@example.com>']);
    expect(watched.state().state).toBe('connected');
  });

  it('without a word (black hole) is noticed by the timed look', async () => {
    const user = freshUser();
    const proxy = await proxied();
    const watched = watching(user, {
      port: proxy.port,
      deps: { tuning: { reconcileMs: 300, commandMs: 400, connectMs: 1000, firstRetryMs: 50, maxRetryMs: 200 } },
    });
    await watched.start();
    proxy.blackhole(true);
    await user.send(mail('meanwhile'));
    await watched.until(() => watched.states.some(({ state }) => state === 'retrying'));
    proxy.blackhole(false);
    await watched.until(() => watched.received.length === 1);
    expect(watched.ids()).toEqual(['<meanwhile@example.com>']);
  });

  it('in the middle of a login, again and again, ends in a connection', async () => {
    const user = freshUser();
    const proxy = await proxied();
    let cuts = 0;
    proxy.events.on('bytes', () => {
      if (cuts < 4) {
        cuts += 1;
        proxy.cut();
      }
    });
    const watched = watching(user, { port: proxy.port });
    await watched.start();
    await user.send(mail('patience'));
    await watched.until(() => watched.received.length === 1);
    expect(proxy.accepted()).toBeGreaterThanOrEqual(5);
  });

  it('while a mail is being fetched does not lose it', async () => {
    const user = freshUser();
    const proxy = await proxied();
    await user.send(mail('wide', `${'y'.repeat(70)}\r\n`.repeat(10_000)));
    await mailboxWhen(user.name, (mails) => mails.length === 1);
    let isCut = false;
    proxy.events.on('bytes', ({ direction, bytes }) => {
      if (!isCut && direction === 'down' && bytes.includes('yyyyyyyy')) {
        isCut = true;
        proxy.cut();
      }
    });
    const watched = watching(user, { port: proxy.port });
    await watched.start();
    await watched.until(() => watched.received.length === 1);
    expect(isCut).toBe(true);
    expect(watched.received[0]?.raw).toContain('y\r\n');
  });

  it('between receive and flag is flagged by the next one, and not received again', async () => {
    const user = freshUser();
    const proxy = await proxied();
    let isCut = false;
    const watched = watching(user, {
      port: proxy.port,
      imap: { processed: 'seen' },
      answer: () => {
        if (!isCut) proxy.cut();
        isCut = true;
        return 'settled';
      },
    });
    await watched.start();
    await user.send(mail('cut'));
    await mailboxWhen(user.name, (mails) => mails[0]?.flags.length === 1);
    expect(watched.ids()).toEqual(['<cut@example.com>']);
  });

  it('because the server refuses connections is retried with backoff', async () => {
    const user = freshUser();
    const proxy = await proxied();
    proxy.refuse(true);
    const watched = watching(user, { port: proxy.port });
    await watched.start();
    expect(watched.state()).toMatchObject({ state: 'retrying', error: expect.any(String) });
    proxy.refuse(false);
    await watched.until(() => watched.state().state === 'connected');
  });
});

describe('a server that goes away', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)('by %s and comes back finds nothing lost or doubled', async (signal) => {
    const user = freshUser();
    const watched = watching(user);
    await watched.start();
    await user.send(mail('before'));
    await watched.until(() => watched.received.length === 1);
    await lab.stopDovecot(signal);
    await user.send(mail('while-down'));
    await lab.startDovecot();
    await watched.until(
      () => watched.state().state === 'connected' && watched.states.some(({ state }) => state === 'retrying'),
    );
    await user.send(mail('after'));
    await lab.flush();
    await watched.until(() => watched.received.length === 3);
    expect(watched.ids().toSorted()).toEqual([
      '<after@example.com>',
      '<before@example.com>',
      '<while-down@example.com>',
    ]);
  });

  it('and comes back with another UIDVALIDITY has its whole folder offered again', async () => {
    const user = freshUser();
    const watched = watching(user, { imap: { processed: 'seen' } });
    await sendInTurn(user, ['one', 'two']);
    await watched.start();
    await watched.until(() => watched.cursor.now?.uid === 2);
    const before = watched.cursor.now?.uidValidity;
    await lab.changeUidValidity(user.name);
    await watched.until(() => watched.received.length === 4 && watched.cursor.now?.uidValidity !== before);
    expect(watched.ids().slice(2)).toEqual(['<one@example.com>', '<two@example.com>']);
    expect(watched.received[2]?.source.uidValidity).toBe(watched.cursor.now?.uidValidity);
    await user.send(mail('three'));
    await watched.until(() => watched.cursor.now?.uid === 3);
    expect(watched.ids().slice(4)).toEqual(['<three@example.com>']);
  });

  it('and comes back with another UIDVALIDITY keeps mail from before the first connect out', async () => {
    const user = freshUser();
    await sendInTurn(user, ['old-1', 'old-2']);
    const watched = watching(user, { imap: { first_connect: 'now' } });
    await watched.start();
    // INTERNALDATE counts whole seconds, and what shares one with the old mail counts as old.
    await expect.poll(() => Date.now() > (watched.cursor.now?.since ?? 0) + 1000).toBe(true);
    await user.send(mail('new'));
    await watched.until(() => watched.received.length === 1);
    await watched.stop();
    const before = watched.cursor.now?.uidValidity;
    await lab.changeUidValidity(user.name);
    const after = watching(user, { imap: { first_connect: 'now' }, cursor: watched.cursor });
    await after.start();
    await after.until(() => after.cursor.now?.uidValidity !== before);
    expect(after.ids()).toEqual(['<new@example.com>']);
  });
});

describe('two mailboxes', () => {
  it('do not wait for each other', async () => {
    const broken = freshUser();
    const healthy = freshUser();
    const proxy = await proxied();
    proxy.blackhole(true);
    const stuck = watching(broken, { port: proxy.port, deps: { tuning: { connectMs: 60_000 } } });
    const first = stuck.start();
    const watched = watching(healthy);
    await watched.start();
    await healthy.send(mail('healthy'));
    await watched.until(() => watched.received.length === 1);
    expect(stuck.state().state).toBe('retrying');
    await stuck.stop();
    await first;
  });
});

describe('a refused login', () => {
  it('is its own state, with few attempts', async () => {
    const user = freshUser();
    const proxy = await proxied();
    const watched = watching(user, { port: proxy.port, password: 'wrong' });
    await watched.start();
    expect(watched.state().state).toBe('auth_failed');
    expect(proxy.accepted()).toBe(1);
  });

  it('is tried again at once when the secret has changed', async () => {
    const user = freshUser();
    const secret = { now: 'wrong' };
    const watched = watching(user, { deps: { login: withSecret(() => secret.now) } });
    await watched.start();
    secret.now = 'secret';
    await watched.until(() => watched.state().state === 'connected');
  });

  it('needs no server when there is no secret', async () => {
    const user = freshUser();
    const proxy = await proxied();
    const watched = watching(user, { port: proxy.port, deps: { login: withSecret(() => undefined) } });
    await watched.start();
    expect(watched.state()).toMatchObject({ state: 'auth_failed', error: expect.stringContaining('SECRET') });
    expect(proxy.accepted()).toBe(0);
  });
});

describe('TLS', () => {
  it.each(['implicit', 'starttls'] as const)('%s verifies the certificate against the CA file', async (tls) => {
    const user = freshUser();
    const port = tls === 'implicit' ? lab.imap.tlsPort : lab.imap.port;
    const watched = watching(user, { port, imap: { tls, tls_ca_file: lab.ca, host: 'localhost' } });
    await watched.start();
    expect(watched.state()).toMatchObject({ state: 'connected', error: null });
    const distrustful = watching(user, { port, imap: { tls, host: 'localhost' } });
    await distrustful.start();
    expect(distrustful.state()).toMatchObject({
      state: 'retrying',
      error: expect.stringMatching(/certificate|signed/i),
    });
  });
});
