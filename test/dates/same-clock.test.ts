import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import SQLite from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { minuteHere, offsetAt, systemZone } from '../../engine/lib/schedule/zone.ts';
import { MINUTE_MS } from '../../engine/lib/time.ts';
import { bareEnvironment } from '../../engine/lib/workers/bare-environment.ts';
import { withoutKeys } from '../flow/command-line.ts';
import { epistle, epistleAlone, launchGateway, type Program, readOutgoing, submit } from '../flow/gateway.ts';
import { ADA, MEMBER } from '../flow/governance-rig.ts';
import { runsEnded } from '../flow/persona-db.ts';
import { makeWorkspace, type TestWorkspace } from '../flow/workspace.ts';
import { SHIFT } from './shift.ts';

// A run at another date (`scripts/test --at`) is one only if everything in it has that date. This file is part of each such
// run; of any other it says that all of it has the machine's.

/** By what a run is ahead; none that is not told. */
const shiftMs = Number(process.env[SHIFT] ?? 0);
/** A busy machine takes its time from one look to the next. */
const NEAR_MS = 60_000;

/** Of a program that has nothing of this run in its environment. */
const machine = () => Number(execFileSync('/bin/sh', ['-c', 'date +%s'], { env: {}, encoding: 'utf8' })) * 1000;
const expectNow = (ms: number): void => {
  expect(Math.abs(ms - machine() - shiftMs)).toBeLessThan(NEAR_MS);
};

const rig: { workspace?: TestWorkspace; gateway?: Program } = {};
const made = () => {
  if (!rig.workspace || !rig.gateway) throw new Error('it has not started');
  return { root: rig.workspace.root, ready: rig.gateway.ready, write: rig.workspace.write };
};
beforeAll(async () => {
  rig.workspace = makeWorkspace();
  rig.gateway = await launchGateway(rig.workspace.root).ready;
});
afterAll(async () => {
  await rig.gateway?.kill();
  rig.workspace?.remove();
});

it('is the one of this process, of its zone and of its threads', async () => {
  expectNow(Date.now());
  // By what it does: two names may be one zone.
  const zone = process.env.TZ ?? systemZone();
  expect(0 - new Date().getTimezoneOffset() * 60_000).toBe(offsetAt(zone, Date.now()));
  const tell = "require('node:worker_threads').parentPort.postMessage(Date.now())";
  for (const env of [bareEnvironment(), {}]) {
    const [told]: unknown[] = await once(new Worker(tell, { eval: true, env }), 'message');
    expectNow(Number(told));
  }
});

it('is the one of programs that it starts, Node or not', () => {
  const environment = withoutKeys(process.env);
  const told = (program: string, ...args: string[]) =>
    spawnSync(program, args, { env: environment, encoding: 'utf8' }).stdout.trim();
  expectNow(Number(told(process.execPath, '-p', 'Date.now()')));
  expectNow(Number(told('date', '+%s')) * 1000);
  expect(told(process.execPath, '-p', 'Intl.DateTimeFormat().resolvedOptions().timeZone')).toBe(
    Intl.DateTimeFormat().resolvedOptions().timeZone,
  );
});

it('is the one of files, as they are seen and as they are set, and of SQLite', async () => {
  const { root, write } = made();
  write('a.txt', 'a');
  const file = join(root, 'a.txt');
  expectNow((await stat(file)).mtimeMs);
  const handle = await open(file);
  expectNow((await handle.stat()).mtime.getTime());
  const then = Date.now() / 1000 - 3600;
  await handle.utimes(then, then);
  await handle.close();
  expectNow((await stat(file)).mtimeMs + 3_600_000);
  const seen = spawnSync(process.execPath, ['-p', `fs.statSync(${JSON.stringify(file)}).mtimeMs`], {
    encoding: 'utf8',
  });
  expectNow(Number(seen.stdout) + 3_600_000);
  const database = new SQLite(':memory:');
  expectNow(Number(database.prepare("select unixepoch('now')").pluck().get()) * 1000);
  database.close();
});

it('is the one of the gateway and of the command line, in a process of many commands and in one of its own', async () => {
  const { root, ready } = made();
  await submit(root, ready, { from: MEMBER, to: ADA, text: 'Hello?' });
  const [run] = await runsEnded(root, 'ada', 1);
  expectNow(run?.started_at ?? 0);
  const shown = async (command: typeof epistle) =>
    (await command(root, ['doctor'])).json.checks.find(({ name }: { name: string }) => name === 'clock');
  const alone: typeof epistle = (at, args) => epistleAlone(at, args);
  for (const command of [epistle, alone]) {
    // It says what a clock on the wall shows, of which one hour of a year comes twice.
    const before = machine() + shiftMs;
    const { message } = await shown(command);
    // The machine is asked in whole seconds.
    const after = machine() + shiftMs + 999;
    const minutes = [minuteHere(after)];
    for (let at = before; at < after; at += MINUTE_MS) minutes.push(minuteHere(at));
    expect(minutes).toContain(message);
  }
});

it('is the one of the mail that leaves', async () => {
  const { root } = made();
  const folder = join(root, 'data/outgoing');
  const left = () => (existsSync(folder) ? readdirSync(folder) : []);
  await expect.poll(left, { timeout: 90_000 }).toHaveLength(1);
  const { mail } = await readOutgoing(join(folder, left()[0] ?? ''));
  expectNow(mail.date?.getTime() ?? 0);
});
