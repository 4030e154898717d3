import { afterEach, describe, expect, it, vi } from 'vitest';
import { createGuessGuard, GUESS_BOUNDS, type GuessBounds } from '../../../../engine/gateway/smtp/listener.ts';
import { silentLog } from '../../../../engine/lib/log/log.ts';
import { scriptedClock } from '../../../fakes/scripted-clock.ts';
import { connectWire, type Wire } from '../../../fakes/smtp-wire.ts';
import { LOGIN, listenerRig } from './listener-rig.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const auth = (password: string) => `AUTH PLAIN ${Buffer.from(`\0${LOGIN.user}\0${password}`).toString('base64')}`;

async function guessing() {
  const clock = scriptedClock();
  const rig = await listenerRig({ clock });
  closers.push(rig.close);
  const connect = async (from?: string): Promise<Wire> => {
    const wire = await connectWire(rig.port, from ? { from } : {});
    closers.unshift(wire.close);
    await wire.hello();
    return wire;
  };
  /** Its answer, and how long it was kept back. */
  const timed = async (wire: Wire, line: string) => {
    const before = clock.asked.length;
    const state = { isThere: false };
    const answer = wire.say(line).finally(() => {
      state.isThere = true;
    });
    const delays = () => clock.asked.slice(before).filter((ms) => ms !== GUESS_BOUNDS.burstMs);
    await vi.waitFor(() => expect(state.isThere || delays().length > 0).toBe(true), 90_000);
    const [ms = 0] = delays();
    await clock.advance(ms);
    return { ...(await answer), seconds: ms / 1000 };
  };
  return { ...rig, clock, connect, timed };
}

describe('L5: who guesses the secret of the submission', () => {
  it('waits longer each time, and is sent away after five', async () => {
    const rig = await guessing();
    const wire = await rig.connect();
    const answers: [number, number][] = [];
    for (let guess = 0; guess < 5; guess += 1) {
      const { code, seconds } = await rig.timed(wire, auth(`guess-${guess}`));
      answers.push([code, seconds]);
    }
    expect(answers).toEqual([
      [535, 1],
      [535, 2],
      [535, 4],
      [535, 8],
      [421, 16],
    ]);
    await wire.ended;
  });

  it('is remembered when it comes back, and slows nobody of another address', async () => {
    const rig = await guessing();
    const first = await rig.connect('127.0.0.4');
    await rig.timed(first, auth('one'));
    await rig.timed(first, auth('two'));
    first.close();
    const again = await rig.connect('127.0.0.4');
    expect(await rig.timed(again, auth('three'))).toMatchObject({ code: 535, seconds: 4 });
    const owner = await rig.connect('127.0.0.5');
    expect(await rig.timed(owner, auth(LOGIN.password))).toMatchObject({ code: 235, seconds: 0 });
  });

  it('lets the right secret of the same machine in after a moment', async () => {
    const rig = await guessing();
    const other = await rig.connect();
    for (const guess of ['a', 'b', 'c', 'd', 'e']) await rig.timed(other, auth(guess));
    const owner = await rig.connect();
    expect(await rig.timed(owner, auth(LOGIN.password))).toMatchObject({ code: 235, seconds: 1 });
  });

  it('is told of in one line for a burst, without what was guessed', async () => {
    const rig = await guessing();
    const wire = await rig.connect('127.0.0.4');
    for (const guess of ['hunter2', 'hunter3', 'hunter4']) await rig.timed(wire, auth(guess));
    await rig.clock.advance(30_000);
    expect(rig.warned).toEqual([
      { fields: { address: '127.0.0.4', guesses: 3 }, message: 'wrong secrets were tried on the SMTP listener' },
    ]);
    expect(JSON.stringify(rig.warned)).not.toContain('hunter');
  });
});

describe('L5: guesses without end', () => {
  const guard = (bounds: Partial<GuessBounds>) => {
    const clock = scriptedClock();
    const told: object[] = [];
    const log = { ...silentLog, warn: (fields: object) => void told.push(fields) };
    const made = createGuessGuard({ clock, log, bounds });
    const judge = async (address: string, isRight = false, isLoopback = false) => {
      const gone = new AbortController().signal;
      const judged = made.judge({ connection: address, address, isLoopback, isRight, gone });
      await clock.advance(20_000);
      return judged;
    };
    return { ...made, clock, told, judge };
  };

  it('of one address are not listened to for an hour, but of this machine always', async () => {
    const { judge, clock } = guard({ maxPerAddress: 3, maxPerConnection: 100 });
    for (let guess = 0; guess < 3; guess += 1) {
      expect(await judge('192.0.2.1')).toBe('wrong');
      expect(await judge('127.0.0.1', false, true)).toBe('wrong');
    }
    expect(await judge('192.0.2.1', true)).toBe('enough');
    expect(await judge('127.0.0.1', true, true)).toBe('right');
    await clock.advance(3_600_000);
    expect(await judge('192.0.2.1', true)).toBe('right');
  });

  it('of many addresses are remembered for some of them and told of in a few lines', async () => {
    const { judge, told, close } = guard({ maxAddresses: 30, burstMs: 3_600_000 });
    for (let at = 0; at < 50; at += 1) await judge(`192.0.2.${at}`);
    close();
    await vi.waitFor(() => expect(told).toHaveLength(21), 90_000);
    expect(told.at(-1)).toMatchObject({ addresses: 10 });
  });

  it('end with the client: nobody waits for one that has gone', async () => {
    const { judge: make } = createGuessGuard({ clock: scriptedClock(), log: silentLog });
    const gone = new AbortController();
    const judged = make({ connection: 'a', address: 'a', isLoopback: false, isRight: false, gone: gone.signal });
    gone.abort();
    expect(await judged).toBe('wrong');
  });
});
