import { afterEach, describe, expect, it } from 'vitest';
import type { MailSource } from '../../../../engine/gateway/imap/types.ts';
import { type ImapScript, startImapPeer } from '../../../fakes/imap-peer.ts';
import { mail, watch } from '../../../lab/watched.ts';

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const QUICK = { firstRetryMs: 1, maxRetryMs: 5, pollMs: 30, reconcileMs: 30, commandMs: 2000, connectMs: 2000 };

async function watching(script: ImapScript, options: Partial<Parameters<typeof watch>[0]> = {}) {
  const peer = await startImapPeer(script);
  closers.push(peer.stop);
  const unreadable: MailSource[] = [];
  const watched = watch({
    port: peer.port,
    user: 'agents@lab.test',
    ...options,
    deps: { tuning: QUICK, withheld: async (source) => void unreadable.push(source), ...options.deps },
  });
  closers.unshift(watched.stop);
  return { peer, watched, unreadable };
}

const mails = (...ids: string[]) => ids.map((id, at) => ({ uid: at + 1, raw: mail(id) }));

describe('a server without IDLE', () => {
  it('is polled', async () => {
    const { peer, watched } = await watching({ mails: [] });
    await watched.start();
    expect(watched.state().state).toBe('connected');
    peer.script.mails.push({ uid: 5, raw: mail('polled') });
    await watched.until(() => watched.cursor.now?.uid === 5);
    expect(watched.ids()).toEqual(['<polled@example.com>']);
    expect(peer.commands).not.toContain('IDLE');
  });
});

describe('a server that lies about IDLE', () => {
  it('is polled when it offers IDLE and refuses it', async () => {
    const { peer, watched } = await watching(
      { mails: [], capabilities: 'IDLE', answers: { IDLE: 'BAD not now' } },
      {
        deps: { tuning: { ...QUICK, reconcileMs: 60_000 } },
      },
    );
    await watched.start();
    await peer.heard(/^IDLE/);
    peer.script.mails.push({ uid: 1, raw: mail('found') });
    await watched.until(() => watched.received.length === 1);
  });
});

describe('a mail that the server does not hand over', () => {
  it('because it refuses is given up after some tries, and the others are taken', async () => {
    const script: ImapScript = { mails: mails('a', 'b', 'c') };
    script.mails[1] = { uid: 2, raw: mail('b'), trouble: 'refuse' };
    const { watched, unreadable } = await watching(script);
    await watched.start();
    await watched.until(() => watched.cursor.now?.uid === 3);
    expect(watched.ids()).toEqual(['<a@example.com>', '<c@example.com>']);
    expect(unreadable).toMatchObject([{ mailbox: 'main', uidValidity: '7', uid: 2 }]);
  });

  it('because the connection breaks each time is given up later, and the others are taken once', async () => {
    const script: ImapScript = { mails: mails('a', 'b', 'c') };
    script.mails[1] = { uid: 2, raw: mail('b'), trouble: 'drop' };
    const { watched, unreadable } = await watching(script);
    await watched.start();
    await watched.until(() => watched.cursor.now?.uid === 3);
    expect(watched.ids()).toEqual(['<a@example.com>', '<c@example.com>']);
    expect(unreadable.map(({ uid }) => uid)).toEqual([2]);
  });

  it('because it leaves it out of the answer is recorded, not skipped in silence', async () => {
    const script: ImapScript = { mails: mails('a', 'b') };
    script.mails[0] = { uid: 1, raw: mail('a'), trouble: 'omit' };
    const { watched, unreadable } = await watching(script);
    await watched.start();
    await watched.until(() => watched.cursor.now?.uid === 2);
    expect(watched.ids()).toEqual(['<b@example.com>']);
    expect(unreadable.map(({ uid }) => uid)).toEqual([1]);
  });
});

describe('the cursor', () => {
  it('does not take the last old mail for a new one ("n:*")', async () => {
    const { peer, watched } = await watching({ mails: mails('old') }, { imap: { first_connect: 'now' } });
    await watched.start();
    await peer.heard(/^NOOP/);
    await peer.heard(/^UID FETCH 2:\*/);
    expect(watched.received).toEqual([]);
    expect(watched.cursor.now).toMatchObject({ uidValidity: '7', uid: 1 });
  });

  it('puts on record what came just before the first connect, and takes nothing of it', async () => {
    const now = `${new Date().toUTCString().slice(5, 16).replaceAll(' ', '-')} ${new Date().toISOString().slice(11, 19)} +0000`;
    const recorded: string[] = [];
    const justBefore = async (raw: Uint8Array) =>
      void recorded.push(String(/^message-id: (\S+)/im.exec(Buffer.from(raw).toString())?.[1]));
    const script = { mails: [...mails('old'), { uid: 2, raw: mail('late'), date: now }] };
    const { watched } = await watching(script, { imap: { first_connect: 'now' }, deps: { tuning: QUICK, justBefore } });
    await watched.start();
    expect([recorded, watched.ids(), watched.cursor.now?.uid]).toEqual([['<late@example.com>'], [], 2]);
  });

  it('finds the newest mail also where the server names no UIDNEXT', async () => {
    const { watched } = await watching({ mails: mails('a', 'b'), uidNext: 0 }, { imap: { first_connect: 'now' } });
    await watched.start();
    expect(watched.cursor.now?.uid).toBe(2);
  });

  it('goes back to the start when the server went back behind it', async () => {
    const cursor = { now: { uidValidity: '7', uid: 900 } };
    const { watched } = await watching({ mails: mails('restored') }, { cursor });
    await watched.start();
    await watched.until(() => watched.cursor.now?.uid === 1);
    expect(watched.ids()).toEqual(['<restored@example.com>']);
  });

  it('is not stored while a resync is under way, so that a crash begins it anew', async () => {
    const cursor = { now: { uidValidity: '6', uid: 2 } };
    const stored: unknown[] = [];
    const { watched } = await watching(
      { mails: mails('a', 'b', 'c') },
      {
        cursor,
        answer: () => {
          stored.push(cursor.now);
          return 'settled';
        },
        deps: { tuning: { ...QUICK, batchMessages: 1 } },
      },
    );
    await watched.start();
    await watched.until(() => watched.cursor.now?.uidValidity === '7');
    expect(stored).toEqual([
      { uidValidity: '6', uid: 2 },
      { uidValidity: '6', uid: 2 },
      { uidValidity: '6', uid: 2 },
    ]);
    expect(cursor.now).toEqual({ uidValidity: '7', uid: 3 });
  });
});

describe('moving processed mail', () => {
  it("never expunges where only the plain EXPUNGE exists: it would take other people's deletions along", async () => {
    const { peer, watched } = await watching({ mails: mails('a') }, { imap: { processed: 'move:Done' } });
    await watched.start();
    await watched.until(() => watched.cursor.now?.uid === 1);
    expect(peer.commands.filter((command) => /COPY|EXPUNGE|MOVE|STORE/.test(command))).toEqual([]);
  });

  it('keeps the original when the copy is not confirmed by COPYUID', async () => {
    const script = { mails: mails('a'), capabilities: 'UIDPLUS' };
    const { peer, watched } = await watching(script, { imap: { processed: 'move:Done' } });
    await watched.start();
    await watched.until(() => watched.cursor.now?.uid === 1);
    await peer.heard(/^UID COPY 1 /);
    expect(peer.commands.filter((command) => /EXPUNGE|STORE/.test(command))).toEqual([]);
  });

  it('copies, deletes and expunges exactly the confirmed UID', async () => {
    const script = { mails: mails('a'), capabilities: 'UIDPLUS', answers: { 'UID COPY': 'OK [COPYUID 9 1 4] done' } };
    const { peer, watched } = await watching(script, { imap: { processed: 'move:Done' } });
    await watched.start();
    await watched.until(() => watched.cursor.now?.uid === 1);
    expect(peer.commands.filter((command) => /COPY|EXPUNGE|MOVE|STORE/.test(command))).toEqual([
      'UID COPY 1 Done',
      'UID STORE 1 +FLAGS (\\Deleted)',
      'UID EXPUNGE 1',
    ]);
  });
});

describe('a refused login', () => {
  it('that the server calls temporary is no reason to blame the secret', async () => {
    const { watched } = await watching({ mails: [], login: 'NO [UNAVAILABLE] backend is away' });
    await watched.start();
    expect(watched.state()).toMatchObject({ state: 'retrying', error: expect.stringContaining('backend is away') });
  });

  it.each(['NO Server busy, please try again later', 'NO [ALERT] Too many simultaneous connections. (Failure)'])(
    'of a secret that worked is none of the secret: %s',
    async (login) => {
      const cursor = { now: { uidValidity: '7', uid: 0 } };
      const { peer, watched } = await watching({ mails: [], login }, { cursor });
      await watched.start();
      expect(watched.state().state).toBe('retrying');
      peer.script.login = 'OK logged in';
      peer.script.mails.push({ uid: 1, raw: mail('late') });
      await watched.until(() => watched.received.length === 1);
      expect(watched.states.map(({ state }) => state)).not.toContain('auth_failed');
    },
  );

  it('of a secret that never worked blames it', async () => {
    const { watched } = await watching({ mails: [], login: 'NO Server busy, please try again later' });
    await watched.start();
    expect(watched.state().state).toBe('auth_failed');
  });

  it('is tried rarely', async () => {
    const { peer, watched } = await watching({ mails: [], login: 'NO [AUTHENTICATIONFAILED] wrong' });
    await watched.start();
    expect(watched.state().state).toBe('auth_failed');
    expect(peer.commands.filter((command) => command.startsWith('LOGIN'))).toHaveLength(1);
  });
});

describe('stopping', () => {
  it('finishes the mail in hand and begins no other', async () => {
    const entered = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const { peer, watched } = await watching(
      { mails: mails('a', 'b') },
      {
        answer: async (): Promise<'settled'> => {
          entered.resolve();
          await gate.promise;
          return 'settled';
        },
      },
    );
    void watched.start();
    await entered.promise;
    const stopped = watched.stop();
    gate.resolve();
    await stopped;
    expect(watched.ids()).toEqual(['<a@example.com>']);
    expect(watched.cursor.now?.uid).toBe(1);
    expect(peer.commands.at(-1)).toBe('LOGOUT');
  });

  it('does not wait for ever for a mail that never settles', async () => {
    const entered = Promise.withResolvers<void>();
    const { watched } = await watching(
      { mails: mails('a') },
      {
        answer: () => {
          entered.resolve();
          return new Promise(() => {});
        },
        deps: { tuning: { ...QUICK, stopMs: 50 } },
      },
    );
    void watched.start();
    await entered.promise;
    await watched.stop();
    expect(watched.cursor.now?.uid).not.toBe(1);
  });
});

describe('a mailbox without IMAP', () => {
  it('is disabled and starts at once', async () => {
    const { watched } = await watching({ mails: [] }, { deps: { mailbox: { id: 'out', save_sent: false } } });
    await watched.start();
    expect(watched.state()).toEqual({ state: 'disabled', error: null, lookedAt: null });
  });
});
