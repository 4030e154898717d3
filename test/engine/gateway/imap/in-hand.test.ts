import { afterEach, describe, expect, it, vi } from 'vitest';
import { type ImapScript, startImapPeer } from '../../../fakes/imap-peer.ts';
import { scriptedClock } from '../../../fakes/scripted-clock.ts';
import { mail, type Received, watch } from '../../../lab/watched.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const QUICK = {
  firstRetryMs: 1,
  maxRetryMs: 5,
  pollMs: 20,
  reconcileMs: 20,
  stopMs: 100,
  patienceMs: 1,
  overtakeMs: 1,
};

type Answer = 'settled' | 'untouched' | 'later';

/** A watcher whose mails named `silent…` do not come back until the test says what became of them. */
async function watching(script: ImapScript, options: Partial<Parameters<typeof watch>[0]> = {}) {
  const peer = await startImapPeer(script);
  const begun: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<Answer>>();
  const watched = watch({
    port: peer.port,
    user: 'agents@lab.test',
    ...options,
    answer(one: Received) {
      const id = one.messageId.slice(1, -'@example.com>'.length);
      begun.push(id);
      if (!id.startsWith('silent')) return 'settled';
      const gate = Promise.withResolvers<Answer>();
      gates.set(id, gate);
      return gate.promise;
    },
    deps: { ...options.deps, tuning: { ...QUICK, ...options.deps?.tuning } },
  });
  closers.push(watched.stop, peer.stop);
  const until = (condition: () => boolean) =>
    vi.waitFor(() => expect(condition()).toBe(true), { timeout: 60_000, interval: 5 });
  return { peer, watched, begun, gates, until, end: (id: string, answer: Answer) => gates.get(id)?.resolve(answer) };
}

const mails = (...ids: string[]) => ids.map((id, at) => ({ uid: at + 1, raw: mail(id) }));
const silent = (count: number) => Array.from({ length: count }, (_unused, at) => `silent${at + 1}`);
/** All of so many mails have been looked at before. */
const past = (uid: number) => ({ now: { uidValidity: '7', uid } });

describe("H4: an owner's mail", () => {
  it('is taken at once beside a hundred new ones whose check does not come back', async () => {
    const { watched, begun, gates, peer, until, end } = await watching({ mails: mails(...silent(100)) });
    await watched.start();
    await until(() => begun.length === 100);
    peer.script.mails.push({ uid: 101, raw: mail('owner') });
    await watched.until(() => watched.received.length === 1);
    expect(watched.ids()).toEqual(['<owner@example.com>']);
    // After a crash now, all of them have to be offered again.
    expect(watched.cursor.now?.uid).toBe(0);
    for (const id of silent(100).slice(1)) end(id, 'later');
    await watched.until(() => watched.received.length === 100);
    expect(watched.cursor.now?.uid).toBe(0);
    end('silent1', 'later');
    await watched.until(() => watched.cursor.now?.uid === 101);
    expect(begun).toHaveLength(101);
    expect(gates.size).toBe(100);
  });

  it('comes before mail that was left for later, of which two at a time are looked at', async () => {
    const { watched, begun, peer, until, end } = await watching(
      { mails: mails(...silent(100)) },
      { cursor: past(100) },
    );
    await watched.start();
    watched.recheck(silent(100).map((_id, at) => ({ uidValidity: '7', uid: at + 1 })));
    await until(() => begun.length === 2);
    peer.script.mails.push({ uid: 101, raw: mail('owner') });
    await watched.until(() => watched.cursor.now?.uid === 101);
    expect(begun).toEqual(['silent1', 'silent2', 'owner']);
    end('silent1', 'settled');
    await until(() => begun.length === 4);
    expect(begun.at(-1)).toBe('silent3');
    expect(peer.commands.filter((command) => /FETCH \d+ .*BODY/.test(command))).toHaveLength(4);
  });
});

describe('H4: mail that was left for later', () => {
  it('is begun for ten seconds of each round, and what is left of it is asked for again', async () => {
    const clock = scriptedClock();
    const { watched, begun, until, end, peer } = await watching(
      { mails: mails(...silent(3)) },
      { cursor: past(3), deps: { clock } },
    );
    await watched.start();
    const all = [1, 2, 3].map((uid) => ({ uidValidity: '7', uid }));
    watched.recheck(all);
    await until(() => begun.length === 2);
    await clock.advance(10_000);
    end('silent1', 'later');
    await watched.until(() => watched.received.length === 1);
    for (let looks = 0; looks < 10; looks += 1) await peer.next();
    expect(begun).toEqual(['silent1', 'silent2']);
    watched.recheck(all);
    await until(() => begun.length === 3);
    // The second is still in hand.
    expect(begun.at(-1)).toBe('silent1');
  });

  it('is marked when it is settled in the end', async () => {
    const { watched, begun, until, end, peer } = await watching(
      { mails: mails('silent1') },
      { cursor: past(1), imap: { processed: 'seen' } },
    );
    await watched.start();
    watched.recheck([{ uidValidity: '7', uid: 1 }]);
    await until(() => begun.length === 1);
    end('silent1', 'settled');
    await peer.heard(/^UID STORE 1 \+FLAGS/);
    expect(watched.cursor.now?.uid).toBe(1);
  });
});

describe('H4: a mail that others have overtaken', () => {
  it('and that could not be stored then is offered again, the others are not', async () => {
    const { watched, begun, until, gates } = await watching({ mails: mails('silent1', 'b', 'c') });
    await watched.start();
    await until(() => begun.length === 3);
    gates.get('silent1')?.reject(new Error('disk full'));
    await until(() => begun.length === 4);
    expect(begun).toEqual(['silent1', 'b', 'c', 'silent1']);
    expect(watched.cursor.now?.uid).toBe(0);
    expect(watched.states.some(({ error }) => error?.includes('disk full'))).toBe(true);
    gates.get('silent1')?.resolve('settled');
    await watched.until(() => watched.cursor.now?.uid === 3);
  });

  it('and that somebody has expunged since is waited for no longer', async () => {
    const { watched, begun, until, gates, peer } = await watching({ mails: mails('silent1', 'b') });
    await watched.start();
    await until(() => begun.length === 2);
    peer.script.mails.shift();
    gates.get('silent1')?.reject(new Error('disk full'));
    await watched.until(() => watched.cursor.now?.uid === 2);
    expect(begun).toEqual(['silent1', 'b']);
  });

  it('is marked as well when it ends while the server is told of another', async () => {
    const ending: { end?: () => void } = {};
    const answers = {
      get 'UID STORE'() {
        ending.end?.();
        return 'OK stored';
      },
    };
    const { watched, begun, until, end, peer } = await watching(
      { mails: mails('silent1', 'b'), answers },
      { imap: { processed: 'seen' } },
    );
    ending.end = () => end('silent1', 'settled');
    await watched.start();
    await until(() => begun.length === 2);
    await watched.until(() => watched.cursor.now?.uid === 2);
    await peer.heard(/^UID STORE 1 /);
    expect(peer.commands.filter((command) => command.startsWith('UID STORE'))).toHaveLength(2);
  });

  it('is waited for when the gateway stops', async () => {
    const { watched, begun, until, end, peer } = await watching(
      { mails: mails('silent1', 'b') },
      { deps: { tuning: { stopMs: 60_000 } } },
    );
    await watched.start();
    await until(() => begun.length === 2);
    const stopped = watched.stop();
    end('silent1', 'settled');
    await stopped;
    expect(watched.cursor.now?.uid).toBe(2);
    expect(peer.commands.at(-1)).toBe('LOGOUT');
  });

  it('and never comes back is offered again after some minutes', async () => {
    const { watched, begun, until } = await watching(
      { mails: mails('silent1', 'b') },
      { deps: { tuning: { receiveMs: 30 } } },
    );
    await watched.start();
    await until(() => begun.filter((id) => id === 'silent1').length === 3);
    expect(begun.filter((id) => id === 'b')).toHaveLength(1);
    expect(watched.states.some(({ error }) => error?.includes('taking in a mail took longer'))).toBe(true);
  });
});

describe('H4: mail that was in hand when the process died, more than once', () => {
  it('is taken in with nothing beside it', async () => {
    const { watched, begun, until, end } = await watching(
      { mails: mails('silent1', 'silent2', 'c') },
      { deps: { suspects: async () => [2] } },
    );
    await watched.start();
    await until(() => begun.length === 1);
    await pause();
    expect(begun).toEqual(['silent1']);
    end('silent1', 'settled');
    await watched.until(() => watched.received.length === 1);
    await until(() => begun.length === 2);
    await pause();
    expect(begun).toEqual(['silent1', 'silent2']);
    end('silent2', 'settled');
    await watched.until(() => watched.cursor.now?.uid === 3);
  });
});

/** Several turns of the event loop: what would have begun by itself has begun. */
async function pause(): Promise<void> {
  for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}
