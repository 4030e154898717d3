import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Random, seededRandom } from '../random.ts';
import { readTimes } from './read-times.ts';
import type { TaskText, Tick, Ticked } from './ticks.ts';

export interface TickOptions {
  readonly seed: number;
  readonly ticks: number;
  readonly workers: number;
  readonly kills: number;
  say(line: string): void;
}

export interface TickReport {
  readonly ok: boolean;
  readonly seed: number;
  readonly ticks: number;
  readonly workers: number;
  readonly kills: number;
  /** How often more than one process found the same task due at the same moment. */
  readonly contests: number;
  readonly due: number;
  readonly runs: number;
  readonly doubled: number;
  readonly lost: number;
  readonly fenced: number;
  readonly tasks: Readonly<Record<string, object>>;
  readonly problems: readonly string[];
  readonly seconds: number;
}

const TICK_MS = 5000;
/** Five hours before the clocks of Berlin are set forward. */
const START = Date.parse('2026-03-28T20:00:00Z');

/** What each task is due at is known without any calendar: every so many seconds from the start on. */
const TASKS: readonly (TaskText & { readonly everyMs: number; readonly complete: boolean })[] = [
  {
    id: 'often',
    everyMs: 5000,
    complete: true,
    text: file('every 5s', 'missed: all', 'max_age: 30d', 'overlap: queue'),
  },
  {
    id: 'berlin',
    everyMs: 60_000,
    complete: true,
    text: file('"* * * * *"', 'timezone: Europe/Berlin', 'missed: all', 'max_age: 30d', 'overlap: queue'),
  },
  { id: 'plain', everyMs: 15_000, complete: false, text: file('every 15s') },
];

function file(schedule: string, ...more: string[]): string {
  return `---\n${[`schedule: ${schedule}`, ...more].join('\n')}\n---\nTick.\n`;
}

/**
 * Several processes look after the same tasks, tick by tick at the same moment, and are killed now and then. Afterwards
 * every due time has to have its one row, and every run has to have been made and ended once.
 */
export async function tickRun({ seed, ticks, workers, kills, say }: TickOptions): Promise<TickReport> {
  const began = performance.now();
  const random = seededRandom(seed);
  const folder = mkdtempSync(join(tmpdir(), 'epistle-ticks-'));
  const database = join(folder, 'persona.db');
  const hire = () =>
    fork(fileURLToPath(new URL('./tick-worker.ts', import.meta.url)), [database, JSON.stringify(TASKS)]);
  const crew = Array.from({ length: workers }, hire);
  const killAt = new Set(Array.from({ length: kills }, () => random.between(1, ticks)));
  const sums = { contests: 0, fenced: 0, killed: 0 };
  try {
    // One first look alone: `every` counts from it.
    await ask(crew[0], { now: START, all: true });
    for (let tick = 1; tick <= ticks; tick += 1) {
      const asked = whoLooks(crew, random).map((worker) => ask(worker, { now: START + tick * TICK_MS, all: false }));
      if (killAt.has(tick)) {
        const place = random.between(0, workers - 1);
        await killSoon(crew[place], random);
        crew[place] = hire();
        sums.killed += 1;
      }
      const answers = (await Promise.all(asked)).filter((answer) => answer !== null);
      if (crew.some(isGone)) throw new Error(`a worker died by itself at tick ${tick}`);
      sums.contests += answers.filter(({ due }) => due > 0).length > 1 ? 1 : 0;
      sums.fenced += answers.reduce((sum, { fenced }) => sum + fenced, 0);
      if (tick % 1000 === 0) say(`${tick} ticks, ${sums.contests} contested, ${sums.killed} killed`);
    }
    await drain(crew[0], START + ticks * TICK_MS);
    const found = readTimes(database, TASKS, { from: START, to: START + ticks * TICK_MS });
    const { due, runs, doubled, lost, problems } = found;
    return {
      ok: problems.length === 0 && doubled === 0 && lost === 0 && sums.contests > 0,
      seed,
      ticks,
      workers,
      kills: sums.killed,
      contests: sums.contests,
      due,
      runs,
      doubled,
      lost,
      fenced: sums.fenced,
      tasks: found.tasks,
      problems,
      seconds: Math.round((performance.now() - began) / 100) / 10,
    };
  } finally {
    await Promise.all(crew.map(leave));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Mostly all of them; now and then somebody is late, so that there are two due times at the next look. */
const whoLooks = (crew: readonly ChildProcess[], random: Random): readonly ChildProcess[] =>
  crew.filter(() => random.chance(0.85));

/** What the worker answers; null when it died before. */
async function ask(worker: ChildProcess | undefined, tick: Tick): Promise<Ticked | null> {
  if (!worker || isGone(worker)) return null;
  const settled = new AbortController();
  const { signal } = settled;
  try {
    const answer = once(worker, 'message', { signal }).then(([ticked]) => ticked as Ticked);
    const death = once(worker, 'exit', { signal }).then(() => null);
    worker.send(tick);
    // Whoever loses is told to stop listening, and that is no news.
    answer.catch(() => undefined);
    death.catch(() => undefined);
    return await Promise.race([answer, death]);
  } finally {
    settled.abort();
  }
}

const isGone = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

/** Somewhere between its first read and its last commit. */
async function killSoon(worker: ChildProcess | undefined, random: Random): Promise<void> {
  const wait = random.between(0, 8);
  await new Promise((resolve) => setTimeout(resolve, wait));
  if (!worker) return;
  const gone = once(worker, 'exit');
  worker.kill('SIGKILL');
  await gone;
}

/** Until nothing waits any more: leases of the killed have to run out first. */
async function drain(worker: ChildProcess | undefined, now: number): Promise<void> {
  for (let quiet = 0, round = 0; quiet < 3 && round < 5000; round += 1) {
    // No due time lies between: the clock stands, but for the leases.
    const ticked = await ask(worker, { now: now + Math.min(round, TICK_MS - 1), all: true });
    quiet = ticked && ticked.made + ticked.ended === 0 ? quiet + 1 : 0;
  }
}

async function leave(worker: ChildProcess): Promise<void> {
  if (isGone(worker)) return;
  const gone = once(worker, 'exit');
  worker.disconnect();
  await gone;
}
