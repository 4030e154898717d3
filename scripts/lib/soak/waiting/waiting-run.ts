import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../random.ts';
import { countPhase, type Phase, type PhaseCount, waitingIn } from './count.ts';
import { OWNER, openLives } from './lives.ts';

export interface WaitingReport {
  readonly ok: boolean;
  readonly seed: number;
  readonly phases: Readonly<Record<string, PhaseCount>>;
  readonly kills: number;
  readonly seconds: number;
  readonly problems: readonly string[];
}

export interface WaitingOptions {
  readonly seed: number;
  readonly mails: number;
  readonly senders: number;
  readonly kills: number;
  say(line: string): void;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const SETTLED_MS = 120_000;

/**
 * A model that is dead for half an hour, a STOP of ten minutes and a spent budget, each with mail of several senders
 * meanwhile and kills in between. Time passes at the kills: each life begins where the story wants it.
 */
export async function waitingRun(options: WaitingOptions): Promise<WaitingReport> {
  const { mails, senders, say } = options;
  const began = performance.now();
  const lives = await openLives({
    random: seededRandom(options.seed),
    budget: {},
    startAt: Date.UTC(2026, 10, 23, 9, 0, 0),
  });
  const { root, workspace, mood, kill, post } = lives;
  const send = (name: string) => lives.send({ name, mails, senders, kills: options.kills, overMs: 0 });
  /** Whether each sender has heard that it takes longer. */
  const isTold = async (phase: Phase) => (await countPhase(root, phase, senders)).late_notes >= senders;
  const phases: Record<string, PhaseCount> = {};
  try {
    say('a model that is dead for thirty minutes');
    mood.dead = true;
    const outage = await send('outage');
    // The gateway has noticed the outage before it lasts: it is late from then on.
    await until(() => waitingIn(root) >= mails);
    await kill(16 * MINUTE_MS);
    await until(() => isTold(outage));
    await kill(14 * MINUTE_MS);
    mood.dead = false;
    await kill();
    phases.outage = await lives.settled(outage, senders, SETTLED_MS);

    say('a STOP of ten minutes');
    await post({ from: OWNER, subject: 'STOP' });
    const stop = await send('stop');
    await kill(10 * MINUTE_MS);
    await post({ from: OWNER, subject: 'RESUME' });
    phases.stop = await lives.settled(stop, 0, SETTLED_MS);

    say('a budget that is spent');
    lives.setBudget({ runs_per_day: 1 });
    await kill();
    const budget = await send('budget');
    await until(() => isTold(budget));
    lives.setBudget({ runs_per_day: mails });
    await kill(DAY_MS);
    phases.budget = await lives.settled(budget, senders, SETTLED_MS);
  } finally {
    await lives.close();
  }
  const problems = Object.values(phases).flatMap((count) => count.problems);
  const ok = problems.length === 0;
  if (ok) workspace.remove();
  else say(`the workspace is kept in ${root}`);
  return {
    ok,
    seed: options.seed,
    phases,
    kills: lives.kills(),
    seconds: Math.round((performance.now() - began) / 100) / 10,
    problems: problems.slice(0, 20),
  };
}

/** Waits for it, as long as a busy machine may take; what is missing then is counted at the end. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const late = Date.now() + SETTLED_MS;
  while (!(await holds()) && Date.now() < late) await sleep(100);
}
