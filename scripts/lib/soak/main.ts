import { parseArgs } from 'node:util';
import { CRASH_POINTS } from '../../../engine/lib/crash-points.ts';
import { becomeUser } from '../become-user.ts';
import { againWhereReachable } from '../reachable.ts';
import { attackRun } from './attacks/attack-run.ts';
import { childrenRun } from './children/children-run.ts';
import { crashAtEach } from './crash-run.ts';
import { crashAtEvents } from './event-run.ts';
import { floodRun } from './flood/flood-run.ts';
import { forgeryRun } from './forgeries/forgery-run.ts';
import { wholeInjectionRun } from './injections/whole-run.ts';
import { type KillReport, killRun } from './kill-run.ts';
import { leaseRun } from './leases/lease-run.ts';
import { loopRun } from './loops/loop-run.ts';
import { raceRun } from './races/race-run.ts';
import { tickRun } from './tasks/tick-run.ts';
import { realWaitingRun } from './waiting/real-run.ts';
import { waitingRun } from './waiting/waiting-run.ts';
import { yearRun } from './year/year-run.ts';

const SIZES = {
  ci: { folder: { mails: 50, kills: 10 }, smtp: { mails: 20, kills: 5 } },
  full: { folder: { mails: 1000, kills: 60 }, smtp: { mails: 300, kills: 50 } },
} as const;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Kills, then crash points. Prints the figures; the exit code is 1 when a promise is broken. */
async function soak(seed: number, size: keyof typeof SIZES) {
  const began = performance.now();
  say(
    `killing it while mail comes in (seed ${seed}): once with answers to a folder, once to an unreliable SMTP server`,
  );
  // Side by side: most of both is waiting for a process to start.
  const run = (way: 'folder' | 'smtp') =>
    killRun({ seed, ...SIZES[size][way], way, say: (line) => say(`${way}: ${line}`) });
  const [folder, smtp] = await Promise.all([run('folder'), run('smtp')]);
  say('killing it at every labelled point');
  const crashes = await crashAtEach(CRASH_POINTS);
  say(
    size === 'full' ? 'killing it after each commit of a run, by the events in it' : 'kills by event: full size only',
  );
  const events = size === 'full' ? await crashAtEvents(say) : null;
  const sum = (key: 'accepted' | 'answered' | 'lost' | 'doubled' | 'kills' | 'resent' | 'duplicates') =>
    folder[key] + smtp[key];
  const problems = [...folder.problems, ...smtp.problems, ...crashes.problems, ...(events?.problems ?? [])];
  return {
    ok: problems.length === 0 && folder.ok && smtp.ok && Object.values(crashes.points).every(Boolean),
    seed,
    size,
    accepted: sum('accepted'),
    answered: sum('answered'),
    lost: sum('lost'),
    doubled: sum('doubled'),
    kills: sum('kills') + Object.keys(crashes.points).length,
    resent: sum('resent'),
    duplicates: sum('duplicates'),
    crash_points: crashes.points,
    ...(events ? { events: { points: events.points, unknown: events.unknown } } : {}),
    folder: withoutProblems(folder),
    smtp: withoutProblems(smtp),
    problems,
    seconds: Math.round((performance.now() - began) / 100) / 10,
  };
}

const LOOP_LIMITS = {
  max_replies_per_thread_per_hour: 30,
  max_replies_per_sender_per_hour: 120,
  // Short enough that a robot which waits it out reaches the thread's limit within the ten minutes.
  fast_reply_s: 5,
  max_fast_replies: 3,
};

/** Everything that answers mail endlessly, ten minutes long in full size. */
function loop(size: keyof typeof SIZES) {
  const times =
    size === 'full'
      ? { atLeastMs: 600_000, quietMs: 60_000, atMostMs: 720_000 }
      : { atLeastMs: 0, quietMs: 4000, atMostMs: 40_000 };
  const limits =
    size === 'full'
      ? LOOP_LIMITS
      : { ...LOOP_LIMITS, max_replies_per_thread_per_hour: 5, max_replies_per_sender_per_hour: 10, fast_reply_s: 2 };
  return loopRun({ ...times, limits, say });
}

/** Four processes look after the same tasks; one of them is killed after every hundred ticks or so. */
const TICKS = { ci: { ticks: 500, kills: 5 }, full: { ticks: 10_000, kills: 100 } } as const;

/** Two gateways on one data folder, one of which is stopped past its leases, continued or killed. */
const LEASES = { ci: { blows: 50, pairs: 2 }, full: { blows: 1000, pairs: 4 } } as const;

const MUTANTS = { ci: 1000, full: 20_000 } as const;
/** Injected texts, ordinary mails beside them, and orders that come over several mails. */
const INJECTIONS = {
  ci: { cases: 100, mails: 68, chains: 30 },
  full: { cases: 2000, mails: 250, chains: 580 },
} as const;
/** Calls of file tools while a process, a sandboxed shell, and a shell in turn with them work in the same folder. */
const RACES = {
  ci: { process: 300, shell: 150, inTurn: 50 },
  full: { process: 6000, shell: 3000, inTurn: 1000 },
} as const;

function races(seed: number, size: keyof typeof SIZES) {
  becomeUser();
  return raceRun({ seed, races: RACES[size], say });
}

/** Mails to an owner's STOP, to a dead model and to a spent budget each, and kills while they come in. */
const WAITING = { ci: { mails: 12, senders: 3, kills: 1 }, full: { mails: 50, senders: 10, kills: 5 } } as const;

/** Kills of a tree of child runs. */
const CHILDREN = { ci: { kills: 6 }, full: { kills: null } } as const;

interface Wanted {
  readonly loops?: boolean;
  readonly tasks?: boolean;
  readonly leases?: boolean;
  readonly forgeries?: boolean;
  /** The number of one mutant to look at. */
  readonly mutant?: string;
  readonly attacks?: boolean;
  /** How the names of the shapes begin that are wanted. */
  readonly shape?: string;
  readonly injections?: boolean;
  /** Of injections, those alone that come over several mails. */
  readonly chains?: boolean;
  /** The number of one case to look at. */
  readonly case?: string;
  /** `on`: earlier mail is recalled. */
  readonly recall?: string;
  readonly flood?: boolean;
  readonly races?: boolean;
  readonly waiting?: boolean;
  readonly children?: boolean;
  readonly year?: boolean;
  /** `owner`: playbooks are added by one; `runs`: they are refined after runs. */
  readonly by?: string;
  /** `real`: what is waited for lasts as long as it says; `kills`: time passes at the kills. */
  readonly pace?: string;
}

function runOf(wanted: Wanted, seed: number, size: keyof typeof SIZES) {
  if (wanted.races) return races(seed, size);
  if (wanted.waiting) {
    const wait = wanted.pace === 'real' ? realWaitingRun : waitingRun;
    return wait({ seed, ...WAITING[size], say });
  }
  if (wanted.children) return childrenRun({ seed, ...CHILDREN[size], say });
  if (wanted.loops) return loop(size);
  if (wanted.leases) return leaseRun({ seed, ...LEASES[size], say });
  if (wanted.tasks) return tickRun({ seed, ...TICKS[size], workers: 4, say });
  if (wanted.forgeries) {
    const only = wanted.mutant === undefined ? null : Number(wanted.mutant);
    return forgeryRun({ seed, mutants: MUTANTS[size], only, say });
  }
  if (wanted.injections) {
    return wholeInjectionRun({
      seed,
      ...INJECTIONS[size],
      only: wanted.case === undefined ? null : Number(wanted.case),
      recall: wanted.recall === 'on',
      onlyChains: wanted.chains === true,
      say,
    });
  }
  return sizedRunOf(wanted, { seed, size: size === 'full' ? 'full' : 'small', say }) ?? soak(seed, size);
}

/** Those that have a small size of their own; null: another is wanted. */
function sizedRunOf(wanted: Wanted, options: Parameters<typeof floodRun>[0]) {
  if (wanted.attacks) return attackRun({ ...options, only: wanted.shape ?? null });
  if (wanted.flood) return floodRun(options);
  // The small one has too few mails for examples of both of its halves.
  const by = wanted.by ?? (options.size === 'full' ? 'runs' : 'owner');
  return wanted.year ? yearRun({ ...options, by: by === 'owner' ? 'owner' : 'runs' }) : null;
}

const withoutProblems = ({ problems: _, ...figures }: KillReport) => figures;

const USAGE = `usage: ./scripts/soak [--seed N] [--size small|full] [--json]
  [--loops | --tasks | --leases | --forgeries [--mutant N] | --attacks [--shape NAME]
   | --injections [--recall on|off] [--chains] [--case N] | --flood | --races | --waiting [--pace kills|real]
   | --children | --year [--by runs|owner]]`;
const OPTIONS = {
  seed: { type: 'string', default: '1' },
  size: { type: 'string', default: 'small' },
  json: { type: 'boolean' },
  loops: { type: 'boolean' },
  tasks: { type: 'boolean' },
  leases: { type: 'boolean' },
  forgeries: { type: 'boolean' },
  mutant: { type: 'string' },
  attacks: { type: 'boolean' },
  shape: { type: 'string' },
  injections: { type: 'boolean' },
  chains: { type: 'boolean' },
  case: { type: 'string' },
  recall: { type: 'string', default: 'off' },
  flood: { type: 'boolean' },
  races: { type: 'boolean' },
  waiting: { type: 'boolean' },
  children: { type: 'boolean' },
  year: { type: 'boolean' },
  by: { type: 'string' },
  pace: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** `ci` is the older name of the small size. */
const sizeOf = (size: string): keyof typeof SIZES | null =>
  size === 'full' ? 'full' : size === 'small' || size === 'ci' ? 'ci' : null;

/** Null where they cannot be understood. */
function read(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch {
    return null;
  }
}

async function main(args: readonly string[]): Promise<number> {
  const values = read(args);
  if (values?.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const seed = Number(values?.seed);
  const size = values && sizeOf(values.size);
  const isPace = ['kills', 'real', undefined].includes(values?.pace);
  const isRecall = ['on', 'off'].includes(values?.recall ?? '');
  const isBy = ['runs', 'owner', undefined].includes(values?.by);
  if (!values || !size || !isPace || !isRecall || !isBy || !Number.isSafeInteger(seed)) {
    say(USAGE);
    return 2;
  }
  // The races are run as somebody else.
  const elsewhere = values.races ? await againWhereReachable(args) : null;
  if (elsewhere !== null) return elsewhere;
  const report = await runOf(values, seed, size);
  process.stdout.write(`${JSON.stringify(report, null, values.json ? undefined : 2)}\n`);
  return report.ok ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
