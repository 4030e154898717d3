import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOutgoing } from '../../../../test/flow/gateway.ts';
import { seededRandom } from '../random.ts';
import type { Phase, PhaseCount } from './count.ts';
import { type Lives, OWNER, openLives } from './lives.ts';
import type { WaitingOptions } from './waiting-run.ts';

interface RealPhase extends PhaseCount {
  readonly kills: number;
  /** How long what was waited for lasted, and how long after its end the last mail had its answer. */
  readonly lasted_s: number;
  readonly settled_after_s: number;
  /** The subjects of what its owner was sent. */
  readonly owner_was_told: readonly string[];
}

const MINUTE_MS = 60_000;
/** When the model works again nobody says so: the next mail to ask finds out, up to a quarter of an hour later. */
const FOUND_OUT_MS = 20 * MINUTE_MS;
const SETTLED_MS = 5 * MINUTE_MS;
const BEFORE_MIDNIGHT_MS = 12 * MINUTE_MS;

/**
 * The same by the real clock: half an hour without a model, ten minutes of STOP, and a budget that is spent twelve
 * minutes before midnight (that gateway alone begins late in its day). Three gateways side by side.
 */
export async function realWaitingRun(options: WaitingOptions) {
  const { mails, senders, seed, say } = options;
  const began = performance.now();
  const told = async (name: string, phase: Promise<RealPhase>): Promise<RealPhase> => {
    const count = await phase;
    say(`${name}: ${JSON.stringify(count)}`);
    return count;
  };
  const [outage, stop, budget] = await Promise.all([
    told('outage', outagePhase(options)),
    told('stop', stopPhase(options)),
    told('budget', budgetPhase(options)),
  ]);
  const problems = [outage, stop, budget].flatMap((phase) => phase.problems);
  return {
    ok: problems.length === 0,
    seed,
    pace: 'real',
    mails,
    senders,
    phases: { outage, stop, budget },
    seconds: Math.round((performance.now() - began) / 1000),
    problems,
  };
}

async function outagePhase({ seed, mails, senders, kills, say }: WaitingOptions): Promise<RealPhase> {
  const lives = await openLives({ random: seededRandom(seed), budget: {}, startAt: null });
  return closing(lives, say, async () => {
    const began = Date.now();
    lives.mood.dead = true;
    const phase = await lives.send({ name: 'outage', mails, senders, kills, overMs: 28 * MINUTE_MS });
    await sleep(Math.max(0, began + 30 * MINUTE_MS - Date.now()));
    lives.mood.dead = false;
    return counted(lives, phase, { began, notes: senders, atMostMs: FOUND_OUT_MS });
  });
}

async function stopPhase({ seed, mails, senders, kills, say }: WaitingOptions): Promise<RealPhase> {
  const lives = await openLives({ random: seededRandom(seed + 1), budget: {}, startAt: null });
  return closing(lives, say, async () => {
    const began = Date.now();
    await lives.post({ from: OWNER, subject: 'STOP' });
    const phase = await lives.send({ name: 'stop', mails, senders, kills, overMs: 9 * MINUTE_MS });
    await sleep(Math.max(0, began + 10 * MINUTE_MS - Date.now()));
    await lives.post({ from: OWNER, subject: 'RESUME' });
    return counted(lives, phase, { began, notes: 0, atMostMs: SETTLED_MS });
  });
}

async function budgetPhase({ seed, mails, senders, kills, say }: WaitingOptions): Promise<RealPhase> {
  const midnight = Date.UTC(2026, 10, 24);
  const startAt = midnight - BEFORE_MIDNIGHT_MS;
  const lives = await openLives({ random: seededRandom(seed + 2), budget: { runs_per_day: mails }, startAt });
  return closing(lives, say, async () => {
    const began = Date.now();
    // The day's runs are used up by others, who are answered.
    const spending = await lives.send({ name: 'spending', mails, senders, kills: 0, overMs: 0 });
    const spent = await lives.settled(spending, 0, SETTLED_MS);
    if (spent.problems.length > 0) say(`the budget was not spent: ${spent.problems.join('; ')}`);
    const phase = await lives.send({ name: 'budget', mails, senders, kills, overMs: 9 * MINUTE_MS });
    await sleep(Math.max(0, began + BEFORE_MIDNIGHT_MS - Date.now()));
    return counted(lives, phase, { began, notes: senders, atMostMs: SETTLED_MS });
  });
}

async function counted(
  lives: Lives,
  phase: Phase,
  { began, notes, atMostMs }: { began: number; notes: number; atMostMs: number },
): Promise<RealPhase> {
  const over = Date.now();
  const count = await lives.settled(phase, notes, atMostMs);
  const settled = Date.now();
  // What is sent a second time would come now.
  await sleep(10_000);
  const again = await lives.settled(phase, notes, 0);
  const folder = join(lives.root, 'data/outgoing');
  const left = await Promise.all(
    readdirSync(folder)
      .filter((file) => file.endsWith('.eml'))
      .map((file) => readOutgoing(join(folder, file))),
  );
  return {
    ...again,
    problems: [...new Set([...count.problems, ...again.problems])],
    kills: lives.kills(),
    lasted_s: Math.round((over - began) / 1000),
    settled_after_s: Math.round((settled - over) / 1000),
    owner_was_told: left.filter(({ envelopeTo }) => envelopeTo === OWNER).map(({ mail }) => mail.subject ?? ''),
  };
}

async function closing(lives: Lives, say: WaitingOptions['say'], work: () => Promise<RealPhase>): Promise<RealPhase> {
  const phase = await work().finally(lives.close);
  if (phase.problems.length === 0) lives.workspace.remove();
  else say(`the workspace is kept in ${lives.root}`);
  return phase;
}
