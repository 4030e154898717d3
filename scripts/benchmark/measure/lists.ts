import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Log } from '#contract';
import { processSettings } from '../../../engine/config/environment.ts';
import { countedOf } from '../../../engine/queries/gateway/status.ts';
import { openWorkspace } from '../../../engine/workspace.ts';
import { makeBenchWorkspace } from '../bench-workspace.ts';
import { rounded } from '../figures.ts';
import { seedPersonas } from '../seed-personas.ts';

const PROGRAM = fileURLToPath(new URL('../../../bin/epistle.js', import.meta.url));
const COMMANDS = { status: ['status'], runs_list: ['runs', 'list'], approvals_list: ['approvals', 'list'] } as const;
/** So many personas of each workspace have something open. */
const OPEN = 20;
const LATELY_MS = 60_000;
/** A database that was written within two seconds is read anew at each look. */
const AT_REST_MS = 2500;
const SCRAPES = 20;

/** CPU time of looks over all personas, ms. */
export interface ListsFigure {
  readonly count: number;
  readonly status_ms: number;
  readonly runs_list_ms: number;
  readonly approvals_list_ms: number;
  /** Of counting for one scrape of `/metrics`, by a gateway at work. */
  readonly scrape_ms: number;
}

/** The least of `rounds`, after a first one that reads what nobody has looked at. */
export async function measureLists(size: {
  readonly counts: readonly number[];
  readonly rounds: number;
}): Promise<ListsFigure[]> {
  const figures: ListsFigure[] = [];
  for (const count of size.counts) {
    const workspace = makeBenchWorkspace({ personas: count, modelUrl: null });
    try {
      const dataDir = join(workspace.root, 'data');
      const every = Math.max(1, Math.floor(count / OPEN));
      await seedPersonas({ dataDir, personas: count, every, now: Date.now() - LATELY_MS });
      await pause(AT_REST_MS);
      const scrape = await scrapeMs(workspace.root);
      await cpuMsOfCommand(workspace.root, COMMANDS.status);
      const least = async (words: readonly string[]): Promise<number> => {
        const times: number[] = [];
        for (let round = 0; round < size.rounds; round += 1) times.push(await cpuMsOfCommand(workspace.root, words));
        return rounded(Math.min(...times), 0);
      };
      figures.push({
        count,
        status_ms: await least(COMMANDS.status),
        runs_list_ms: await least(COMMANDS.runs_list),
        approvals_list_ms: await least(COMMANDS.approvals_list),
        scrape_ms: scrape,
      });
    } finally {
      workspace.remove();
    }
  }
  return figures;
}

/** User and system time of the real program, from its start to its end. */
async function cpuMsOfCommand(root: string, words: readonly string[]): Promise<number> {
  const timed = 'TIMEFORMAT="%U %S"; time "$@" > /dev/null 2>&1';
  const child = spawn(
    'bash',
    ['-c', timed, 'bash', process.execPath, PROGRAM, '--workspace', root, ...words, '--json'],
    {
      env: { ...process.env, LC_ALL: 'C', XDG_STATE_HOME: '/dev/null' },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const [said] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  const [user = Number.NaN, system = Number.NaN] = said.trim().split(' ').map(Number);
  return (user + system) * 1000;
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

async function scrapeMs(root: string): Promise<number> {
  const workspace = openWorkspace({ root, settings: processSettings(), makeLog: () => silent });
  await workspace.extensions();
  const unwatch = workspace.overviews.watch(() => Array.from(workspace.live.personas().all(), ({ id }) => id));
  try {
    // The first reads everybody; the second may still load what it runs.
    await countedOf(workspace);
    await countedOf(workspace);
    const before = process.cpuUsage();
    for (let scrape = 0; scrape < SCRAPES; scrape += 1) await countedOf(workspace);
    const { user, system } = process.cpuUsage(before);
    return rounded((user + system) / 1000 / SCRAPES, 2);
  } finally {
    await unwatch();
    await workspace.close();
  }
}
