import { type CallReason, EngineError, type ScheduleCapability, type TaskChange } from '#contract';
import type { Persona, TaskDefinition, TaskDesk } from '../../config/types.ts';
import type { Language } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { sumOf } from '../../languages/sizes.ts';
import { dayAndTime } from '../../languages/times.ts';
import { sha256 } from '../../lib/ids.ts';
import { canonicalJson } from '../../lib/json.ts';
import { neverDue } from '../../lib/schedule/due-times.ts';
import { previewRuns } from '../../lib/schedule/preview.ts';
import { localTime } from '../../lib/schedule/zone.ts';
import type { PricedTarget } from '../../models/cost.ts';
import { estimateRunCost, pastCosts } from '../../models/estimate.ts';
import { targetName } from '../../models/targets.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { Tier } from '../../storage/types/mail.ts';

interface Options {
  readonly desk: TaskDesk;
  readonly persona: Persona;
  readonly tier: Tier;
  readonly store: Pick<Store, 'setTaskPaused' | 'getTask' | 'usage' | 'taskTimes'>;
  /** Of what owners are shown of a change. */
  language(): Promise<Language>;
  now(): number;
  priceFor(pinned: string | null): PricedTarget;
}

/** What a change comes to: the definition that would be in force, and the file that has to be written for it. */
interface Planned {
  readonly task: TaskDefinition | null;
  readonly write: string | null;
}

const refuse = (message: string, reason?: CallReason) => new EngineError('invalid_arguments', message, { reason });

/**
 * Tasks as a tool may write them: for owners alone. A task works with an owner's rights, so whoever could write one
 * for themselves would have these rights, too.
 */
export function createScheduleDesk(options: Options): ScheduleCapability {
  const { desk, persona, store, language, now, priceFor } = options;
  return {
    async preview(change) {
      const present = desk.text(persona.id, change.task);
      const { task, write } = await plan(options, change, present);
      // What is new stands among the arguments; of a task that goes, only its file says what it was.
      const gone = change.action === 'remove' ? promptOf(options, change.task) : '';
      const text = [gone, await runsInWords(task, { store, language: await language(), now: now(), priceFor })]
        .filter(Boolean)
        .join('\n');
      return { text: text.trimEnd(), basis: sha256(canonicalJson([present, write])) };
    },
    async apply(change) {
      const present = desk.text(persona.id, change.task);
      // Removed already is removed: this may be the second time, after a crash.
      const isGone = change.action === 'remove' && options.tier === 'owner' && present === null;
      const planned = isGone ? { task: null, write: null } : await plan(options, change, present);
      const state = await DO[change.action](options, change.task, planned);
      return { task: change.task, state, next: nextRuns(planned.task, now()) };
    },
  };
}

const promptOf = ({ desk, persona }: Options, id: string): string =>
  desk.tasksOf(persona.id).find((entry) => entry.id === id)?.task?.prompt ?? '';

type Do = (options: Options, id: string, planned: Planned) => Promise<string>;

const DO: Readonly<Record<TaskChange['action'], Do>> = {
  async create({ desk, persona }, id, { write }) {
    if (write === null || !desk.create(persona.id, id, write)) throw refuse(`there is a task ${id} already`);
    return 'created';
  },
  async change({ desk, persona }, id, { write }) {
    if (write !== null) desk.replace(persona.id, id, write);
    return 'changed';
  },
  async remove({ desk, persona }, id) {
    desk.remove(persona.id, id);
    return 'removed';
  },
  async pause({ store, now }, id) {
    await store.setTaskPaused(id, 'paused by mail', now());
    return 'paused';
  },
  async resume({ store, now }, id) {
    await store.setTaskPaused(id, null, now());
    return 'on';
  },
};

/** What the schema that a model is shown leaves out: few tasks need it (engine/policy/surface.ts). */
const ALSO_SET =
  'Beside what you were shown you can set missed (latest, skip, all), overlap (skip, queue), thread (new, sticky) and window (08:00-12:00)';

/** Throws what stands in the way, in words for the model. */
async function plan(options: Options, change: TaskChange, present: string | null): Promise<Planned> {
  const { desk, persona, tier, store } = options;
  const { action, task: id } = change;
  if (tier !== 'owner') throw refuse('only an owner may have tasks made, changed or removed', 'sender');
  const entries = desk.tasksOf(persona.id);
  if (action === 'create') return planFile(options, change, present);
  if (present === null) {
    const names = entries.map((entry) => entry.id).join(', ');
    throw refuse(
      `there is no task ${id}; ${names === '' ? 'there are none' : `there are: ${names}`}. ${ALSO_SET}`,
      'not_found',
    );
  }
  if (action === 'change') return planFile(options, change, present);
  if (action === 'remove') return { task: null, write: null };
  if (!(await store.getTask(id))) throw refuse(`the task ${id} was made a moment ago; try again`);
  return { task: entries.find((entry) => entry.id === id)?.task ?? null, write: null };
}

function planFile(
  { desk, persona, now }: Options,
  { action, task: id, ...settings }: TaskChange,
  present: string | null,
): Planned {
  if (action === 'create' && (settings.schedule === undefined || settings.prompt === undefined)) {
    throw refuse('a new task needs a schedule and a prompt');
  }
  const said = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  const { text, read } = desk.draft(persona.id, persona.timezone, action === 'change' ? present : null, {
    ...said,
    id,
  });
  if (!read.ok) throw refuse(read.problems.map(({ key, message }) => `${key} ${message}`.trim()).join('; '));
  const over = settings.schedule === undefined || present === text ? null : neverDue(read.task, now());
  if (over !== null) throw refuse(over);
  if (action === 'create' && present !== null && present !== text) {
    throw refuse(`there is a task ${id} already; change it, or take another id`);
  }
  return { task: read.task, write: text };
}

// What an owner is shown of a task before agreeing to it.

interface Known {
  readonly store: Pick<Store, 'getTask' | 'usage' | 'taskTimes'>;
  readonly language: Language;
  readonly now: number;
  priceFor(pinned: string | null): PricedTarget;
}

const SHOWN_RUNS = 5;
const DAYS_30_MS = 30 * 86_400_000;
/** Five leap days come within that. */
const YEARS_30_MS = 30 * 366 * 86_400_000;

/** The next runs in the task's own zone, each with its offset; none when it is switched off or past. */
export const nextRuns = (task: TaskDefinition | null, now: number): string[] =>
  task === null ? [] : nextOf(task, now).map((at) => localTime(task.timezone, at));

const nextOf = (task: TaskDefinition, now: number): readonly number[] =>
  task.enabled ? previewRuns(task, { anchor: now, from: now + 1, to: now + YEARS_30_MS, limit: SHOWN_RUNS }).runs : [];

export async function runsInWords(task: TaskDefinition | null, known: Known): Promise<string> {
  if (!task) return '';
  const place = { language: known.language, zone: task.timezone };
  const next = nextOf(task, known.now).map((at) => `  ${dayAndTime(at, place, true)}`);
  const runs =
    next.length === 0
      ? [say(known.language, 'previews.noRuns')]
      : [say(known.language, 'previews.nextRuns', { zone: task.timezone }), ...next];
  return [...runs, say(known.language, 'previews.cost', { said: await costInWords(task, known) })].join('\n');
}

/** What its runs cost so far, or else this persona's: nothing else is known of a prompt that never ran. */
async function costInWords(task: TaskDefinition, { store, language, now, priceFor }: Known): Promise<string> {
  const row = await store.getTask(task.id);
  const { target, price } = priceFor(row?.file_sha256 === task.sha256 ? row.pinned : null);
  // Its runs stand in the books with 0, which is not what they cost.
  if (price === null) return say(language, 'previews.noPrice', { model: targetName(target) });
  // A model of one's own: what its runs cost says nothing more.
  if (price.input === 0 && price.output === 0) return '0 USD';
  const own = await pastCosts(store, task.id);
  const about = (past: readonly number[]) => {
    const usd = estimateRunCost({ past, texts: [], price });
    return say(language, 'previews.aRun', { usd: usd === null ? '?' : sumOf(usd, language, 4) });
  };
  if (own.length > 0) return `${about(own)}, ${say(language, 'previews.asItsLast', { runs: own.length })}`;
  const [all] = await store.usage(now - DAYS_30_MS, now + 1, null);
  if (!all || all.runs === 0) return say(language, 'previews.neverRun');
  return `${about([all.cost_usd / all.runs])}, ${say(language, 'previews.asOthers')}`;
}
