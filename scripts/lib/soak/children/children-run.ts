import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../random.ts';
import { type Household, LIMIT_USD, openHousehold } from './household.ts';
import { eventTypes, isOver, type Told, toldOf } from './tree.ts';

export interface ChildrenReport {
  readonly ok: boolean;
  readonly seed: number;
  readonly trees: number;
  readonly kills: number;
  /** How often the process was killed at each label; a label that no tree passes has none. */
  readonly points: Readonly<Record<string, number>>;
  /** Stamps that were under way at a kill, and are said to be unknown. */
  readonly unknown: number;
  readonly most_usd: number;
  readonly limit_usd: number;
  readonly seconds: number;
  readonly problems: readonly string[];
}

export interface ChildrenOptions {
  readonly seed: number;
  /** So many points that the seed chooses; null: every commit of an event of each type. */
  readonly kills: number | null;
  say(line: string): void;
}

const SETTLED_MS = 60_000;
/** No label is passed more often than this by one tree. */
const MOST_PASSINGS = 80;

/**
 * A tree of three times three children below one mail. The process is killed where an event of one of them is committed,
 * and begins again: the answer is the same, nothing is done twice, and what it costs stays within one budget.
 */
export async function childrenRun({ seed, kills, say }: ChildrenOptions): Promise<ChildrenReport> {
  const began = performance.now();
  const household = await openHousehold();
  const random = seededRandom(seed);
  const points: Record<string, number> = {};
  const trees: Told[] = [];
  const problems: string[] = [];
  const grow = async (crashAt: string | null): Promise<boolean> => {
    const { told, died } = await growTree(household, `t${trees.length + 1}`, crashAt);
    trees.push(told);
    const wrong = told.problems.map((problem) => `t${trees.length} (${crashAt ?? 'not killed'}): ${problem}`);
    problems.push(...wrong);
    for (const problem of wrong) say(problem);
    return died;
  };
  const killAt = async (label: string, passing: number): Promise<boolean> => {
    const died = await grow(`${label}:${passing}`);
    if (died) points[label] = (points[label] ?? 0) + 1;
    return died;
  };
  try {
    await grow(null);
    const events = eventTypes(household.root).map(({ type, runs }) => ({ label: `run.event.${type}`, runs }));
    if (kills === null) {
      for (const { label } of events) {
        for (let passing = 1; passing <= MOST_PASSINGS && (await killAt(label, passing)); passing += 1);
        say(`${label}: killed ${points[label] ?? 0} times`);
      }
    } else {
      for (const { label, runs } of picked(events.filter(isPassed), kills, random)) {
        if (!(await killAt(label, random.between(1, runs)))) problems.push(`${label} was never passed`);
      }
    }
  } finally {
    await household.close(problems.length > 0);
    if (problems.length > 0) say(`the workspace is kept in ${household.root}`);
  }
  const died = Object.values(points).reduce((sum, count) => sum + count, 0);
  return {
    ok: problems.length === 0 && died > 0,
    seed,
    trees: trees.length,
    kills: died,
    points,
    unknown: trees.reduce((sum, { unknown }) => sum + unknown, 0),
    most_usd: Math.max(...trees.map(({ usd }) => usd)),
    limit_usd: LIMIT_USD,
    seconds: Math.round((performance.now() - began) / 1000),
    problems,
  };
}

/** Here a run begins, and goes on, by what is committed for another: with its mail or call, and with the end of its child. */
const IN_COMMITS_OF_OTHERS = ['run.event.run_queued', 'run.event.resumed'];
const isPassed = ({ label }: { readonly label: string }): boolean => !IN_COMMITS_OF_OTHERS.includes(label);

function picked<Value>(values: readonly Value[], count: number, random: ReturnType<typeof seededRandom>): Value[] {
  const left = [...values];
  const chosen = Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(random.between(0, left.length - 1), 1),
  );
  return chosen.flat();
}

async function growTree(household: Household, tree: string, crashAt: string | null) {
  await household.live(crashAt);
  const taken = await household.post(tree).then(
    () => true,
    () => false,
  );
  const died = await dies(household, tree);
  if (died) await household.live(null);
  // Whoever sent it tries again, as mail servers do.
  if (!taken) await household.post(tree);
  const late = Date.now() + SETTLED_MS;
  while (!isOver(household.root, tree) && Date.now() < late) await sleep(20);
  return { died, told: toldOf(household.root, tree, household.stamps()) };
}

/** Resolves when the process is dead, or the tree is over and there is nothing left at which it could die. */
async function dies(household: Household, tree: string): Promise<boolean> {
  const late = Date.now() + SETTLED_MS;
  while (!household.isDead() && Date.now() < late && !isOver(household.root, tree)) await sleep(10);
  // What follows the answer is a commit or two.
  for (let time = 0; time < 15 && !household.isDead(); time += 1) await sleep(10);
  return household.isDead();
}
