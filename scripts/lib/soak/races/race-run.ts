import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { FilesCapability } from '#contract';
import { createFilesDesk, type FilesDesk } from '../../../../engine/tools/files/desk.ts';
import { createShell } from '../../../../engine/tools/shell/shell.ts';
import { whyUnavailable } from '../../../../extensions/tools/shell/available.ts';
import { seededRandom } from '../random.ts';
import { fileTools } from './file-tools.ts';
import { createOutside } from './outside.ts';
import { race } from './race.ts';
import { sandboxedAttack } from './sandboxed-attack.ts';

export interface RaceOptions {
  readonly seed: number;
  /** Calls of file tools against each adversary. */
  readonly races: { readonly process: number; readonly shell: number; readonly inTurn: number };
  say(line: string): void;
  /** Another set of tools than the product's: a test brings some that can be led astray. */
  tools?(persona: string, desk: FilesDesk): FilesCapability;
}

interface Figures {
  readonly races: number;
  readonly done: number;
  readonly refused: number;
  readonly swaps: number;
  readonly made_outside: number;
  readonly removed_outside: number;
  readonly changed_outside: number;
  readonly secrets_read: number;
  /** Left in tmp/, where nobody would look for it. */
  readonly left_behind: number;
  readonly problems: readonly string[];
}

/** Somebody who swaps things in `files/` from when they have begun; `stop` tells how often. */
type Attack = (place: { persona: string; outside: string; desk: FilesDesk; seed: number }) => {
  readonly begun: Promise<unknown>;
  stop(): Promise<number>;
};

const LANES = 8;
const CHECK_EVERY = 100;

/**
 * File tools against whoever works in the same folder: a process that swaps folders for links as fast as it can, the
 * same from within the sandbox, and shell commands that take turns with the tools, as they do in a gateway.
 */
export async function raceRun({ seed, races, say, tools = fileTools }: RaceOptions) {
  const began = performance.now();
  const why = races.shell + races.inTurn > 0 ? whyUnavailable() : null;
  const run = (name: string, attack: Attack, count: number, seeded: number) =>
    count > 0 ? runRaces({ name, attack, races: count, seed: seeded, say, tools }) : null;
  const process = await run('a process', byProcess, races.process, seed);
  const shell = why === null ? await run('a sandboxed shell beside', byShellBeside, races.shell, seed + 1) : null;
  const inTurn = why === null ? await run('a sandboxed shell in turn', byShellInTurn, races.inTurn, seed + 2) : null;
  const all = [process, shell, inTurn].filter((figures) => figures !== null);
  const sum = (key: Exclude<keyof Figures, 'problems'>) => all.reduce((total, figures) => total + figures[key], 0);
  const problems = all.flatMap((figures) => figures.problems);
  // Half an answer must not look like a whole one.
  if (why !== null) problems.push(`no race against a sandboxed shell: ${why}`);
  const escapes = sum('made_outside') + sum('removed_outside') + sum('changed_outside') + sum('secrets_read');
  return {
    ok: escapes === 0 && problems.length === 0,
    seed,
    races: sum('races'),
    escapes,
    swaps: sum('swaps'),
    made_outside: sum('made_outside'),
    removed_outside: sum('removed_outside'),
    changed_outside: sum('changed_outside'),
    secrets_read: sum('secrets_read'),
    left_behind: sum('left_behind'),
    against: { process, shell, in_turn: inTurn },
    problems,
    seconds: Math.round((performance.now() - began) / 100) / 10,
  };
}

async function runRaces(options: {
  readonly name: string;
  readonly attack: Attack;
  readonly races: number;
  readonly seed: number;
  readonly say: RaceOptions['say'];
  readonly tools: NonNullable<RaceOptions['tools']>;
}): Promise<Figures> {
  const home = mkdtempSync(join(memory(), 'epistle-races-'));
  const persona = join(home, 'personas/ada');
  mkdirSync(join(persona, 'files'), { recursive: true, mode: 0o700 });
  const outside = createOutside(join(home, 'outside'));
  const desk = createFilesDesk({ now: () => performance.now() });
  const files = options.tools(persona, desk);
  const counts = { races: 0, done: 0, refused: 0, made: 0, removed: 0, changed: 0, leaked: 0 };
  const problems: string[] = [];
  const check = () => {
    const harm = outside.harm();
    counts.made += harm.made;
    counts.removed += harm.removed;
    counts.changed += harm.changed;
  };
  const attack = options.attack({ persona, outside: join(home, 'outside'), desk, seed: options.seed });
  try {
    const lane = async (number: number) => {
      const random = seededRandom(options.seed * LANES + number);
      while (counts.races < options.races) {
        counts.races += 1;
        const { became, leaked, why, operation } = await race(files, outside, random, counts.races);
        if (became !== 'fault') counts[became] += 1;
        else if (problems.length < 10) problems.push(`${options.name}, ${operation}: ${why}`);
        if (leaked) counts.leaked += 1;
        if (counts.races % CHECK_EVERY === 0) check();
        if (counts.races % 1000 === 0) options.say(`${options.name}: ${counts.races} races`);
      }
    };
    await attack.begun;
    await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
    const swaps = await attack.stop();
    check();
    if (swaps === 0) problems.push(`${options.name}: it swapped nothing, so nothing was raced`);
    if (counts.done === 0) problems.push(`${options.name}: no call was ever done`);
    return {
      races: counts.races,
      done: counts.done,
      refused: counts.refused,
      swaps,
      made_outside: counts.made,
      removed_outside: counts.removed,
      changed_outside: counts.changed,
      secrets_read: counts.leaked,
      left_behind: namesIn(join(persona, 'tmp')),
      problems,
    };
  } finally {
    await attack.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/** A disk that flushes makes everybody wait for everybody, and nobody meets. */
const memory = (): string => (existsSync('/dev/shm') ? '/dev/shm' : tmpdir());

function namesIn(folder: string): number {
  try {
    return readdirSync(folder).length;
  } catch {
    return 0;
  }
}

const byProcess: Attack = ({ persona, outside, seed }) => {
  const entry = fileURLToPath(new URL('./adversary.ts', import.meta.url));
  const child = fork(entry, [join(persona, 'files'), outside, String(seed)]);
  const state: { swaps?: number } = {};
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the adversary did not begin')));
  ended.catch(() => undefined);
  return {
    begun: Promise.race([once(child, 'message'), ended]),
    async stop() {
      if (state.swaps !== undefined) return state.swaps;
      const exited = once(child, 'exit');
      const told = once(child, 'message').then(([swaps]) => Number(swaps));
      child.send('stop');
      state.swaps = await Promise.race([told, exited.then(() => 0)]);
      await exited;
      return state.swaps;
    },
  };
};

/** Commands one after the other until somebody stops them. */
function commands(place: { persona: string; outside: string }, desk: FilesDesk, seconds: number) {
  const shell = createShell({ filesRoot: join(place.persona, 'files'), maxFilesBytes: 2 ** 30, desk });
  const stopped = new AbortController();
  const state = { swaps: 0 };
  const run = async () => {
    while (!stopped.signal.aborted) {
      const command = `${sandboxedAttack(place.outside)} ${seconds}`;
      const { stdout, stderr } = await shell.run({ command, timeoutMs: 30_000, signal: new AbortController().signal });
      state.swaps += Number(/^swaps (\d+)$/m.exec(stdout)?.[1] ?? 0);
      if (stderr !== '') throw new Error(`the attack failed: ${stderr}`);
    }
  };
  const running = run();
  running.catch(() => undefined);
  const begun = async () => {
    while (!existsSync(join(place.persona, 'files/.begun'))) await sleep(5);
  };
  return {
    begun: Promise.race([begun(), running]),
    async stop() {
      stopped.abort();
      await running;
      return state.swaps;
    },
  };
}

/** As if there were no turns: what the tools do has to hold by itself. */
const byShellBeside: Attack = (place) => commands(place, createFilesDesk({ now: () => performance.now() }), 2);

const byShellInTurn: Attack = (place) => commands(place, place.desk, 1);
