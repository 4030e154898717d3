import { EngineError } from '#contract';
import { describeProblem } from '../../config/problems/problem.ts';
import type { Persona, PersonaEntry } from '../../config/types.ts';
import { localDay } from '../../lib/schedule/zone.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { Fact } from '../../storage/types/facts.ts';
import type { Overview } from '../../storage/types/overview.ts';
import type { Rule } from '../../storage/types/rules.ts';
import type { Trust } from '../../storage/types/trust.ts';
import { type LearnedKind, learnedBy } from '../learning.ts';
import type { QueryPorts } from '../ports.ts';
import { rightsOf, type ToolRights } from '../rights.ts';
import { listRuns } from '../runs/runs.ts';
import { type RunTimeline, runTimeline } from '../runs/timeline.ts';
import type { ConsoleViewer } from '../viewer.ts';
import { addressOf } from './persona-states.ts';

/** One persona as a list shows it. */
export interface PersonaLine {
  readonly id: string;
  readonly name: string;
  readonly address: string | null;
  readonly state: 'on' | 'paused' | 'stopped' | 'error';
  /** What was spent today, by its own clock. */
  readonly today: { readonly usd: number; readonly runs: number };
  /** Null: its files are wrong. */
  readonly budget: Persona['budget'] | null;
  readonly waits: {
    /** Runs that wait for an owner's word. */
    readonly asked: number;
    readonly atWork: number;
    /** Mails that wait for something else, such as the end of a pause. */
    readonly mails: number;
    readonly drafts: number;
    /** Mails that could not be sent. */
    readonly stuck: number;
  };
}

/** A page of them by their ids; those whose name, address or id has `part` in it. */
export async function personaLines(
  ports: QueryPorts,
  {
    after,
    limit,
    part,
  }: { readonly after: string | undefined; readonly limit: number; readonly part?: string | undefined },
): Promise<{ readonly lines: readonly PersonaLine[]; readonly next: string | null; readonly all: number }> {
  const wanted = part?.toLowerCase();
  const fitting = Array.from(ports.live.personas().all())
    .filter((entry) => wanted === undefined || namesOf(entry).some((name) => name.toLowerCase().includes(wanted)))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const rest = fitting.filter(({ id }) => after === undefined || id > after);
  const page = rest.slice(0, limit);
  const lines = await linesOf(ports, page);
  return { lines, next: rest.length > limit ? (page.at(-1)?.id ?? null) : null, all: fitting.length };
}

const namesOf = (entry: PersonaEntry): readonly string[] =>
  entry.state === 'ready' ? [entry.id, entry.persona.name, entry.persona.address] : [entry.id, ...entry.addresses];

async function linesOf(ports: QueryPorts, entries: readonly PersonaEntry[]): Promise<readonly PersonaLine[]> {
  const now = ports.clock.now();
  const ids = entries.map(({ id }) => id);
  const known = await ports.overviews.of(ids, Math.floor(now / DAY_MS) * DAY_MS);
  return Promise.all(
    entries.map(async (entry): Promise<PersonaLine> => {
      const persona = entry.state === 'ready' ? entry.persona : null;
      const overview = known.get(entry.id);
      const day = localDay(now, persona?.timezone ?? 'UTC');
      const today = overview?.spent.find((one) => one.day === day);
      return {
        id: entry.id,
        name: persona?.name ?? entry.id,
        address: addressOf(entry),
        state: persona === null ? 'error' : ((await ports.gateway.pauseOf(entry.id)) ?? 'on'),
        today: { usd: today?.usd ?? 0, runs: today?.runs ?? 0 },
        budget: persona?.budget ?? null,
        waits: waitsOf(overview),
      };
    }),
  );
}

function waitsOf(overview: Overview | undefined): PersonaLine['waits'] {
  const of = (rows: readonly { readonly count: number }[] = []) => rows.reduce((sum, { count }) => sum + count, 0);
  const runs = (status: string) => of(overview?.runs.filter((one) => one.status === status));
  const mails = (...states: readonly string[]) => of(overview?.outbox.filter(({ state }) => states.includes(state)));
  return {
    asked: runs('waiting_approval'),
    atWork: runs('running') + runs('queued'),
    mails: runs('deferred'),
    drafts: mails('draft'),
    stuck: mails('failed', 'unknown'),
  };
}

export interface PersonaPage {
  readonly line: PersonaLine;
  /** What is wrong in its files; of one that is fine, nothing. */
  readonly wrong: readonly string[];
  /** Whom its file and that of the gateway name; null: its files are wrong. */
  readonly people: {
    readonly owners: readonly string[];
    readonly members: readonly string[];
    readonly denied: readonly string[];
    readonly isOpen: boolean;
  } | null;
  /** Null where nothing is known: its files are wrong, or it never had mail. */
  readonly rights: readonly ToolRights[] | null;
  readonly trust: Trust | null;
  /** Of the newest run that asked a model; null: there is none. */
  readonly prompt: Pick<RunTimeline, 'run' | 'about' | 'prompt' | 'promptTokens'> | null;
  readonly rules: { readonly inForce: readonly Rule[]; readonly over: readonly Rule[] };
  readonly playbooks: readonly LearnedKind[];
  readonly facts: readonly Fact[];
  /** There are more than these. */
  readonly hasMore: { readonly rules: boolean; readonly facts: boolean };
}

const MOST_RULES = 100;
const MOST_OVER = 10;
const MOST_FACTS = 20;
const NEWEST_RUNS = 10;

/** One persona with all that decides what it does. Throws `not_found`. */
export async function personaPage(ports: QueryPorts, viewer: ConsoleViewer, id: string): Promise<PersonaPage> {
  const entry = ports.live.personas().get(id);
  if (!entry) throw new EngineError('not_found', `no persona is named ${id}`);
  const [line] = await linesOf(ports, [entry]);
  if (!line) throw new EngineError('not_found', `no persona is named ${id}`);
  return {
    line,
    wrong: entry.state === 'error' ? entry.problems.map(describeProblem) : [],
    people: entry.state === 'error' ? null : peopleNamed(ports, viewer, entry.persona),
    rights: entry.state === 'error' ? null : await rightsOf(ports, id),
    prompt: await lastPrompt(ports, viewer, id),
    playbooks: entry.state === 'error' ? [] : await learnedBy(ports, id),
    ...(await keptOf(ports, id)),
  };
}

/** What the gateway says of everybody is for its owners. */
function peopleNamed(
  { live }: QueryPorts,
  { ownsGateway }: ConsoleViewer,
  { owners, access }: Persona,
): PersonaPage['people'] {
  const { gateway_access: given } = live.current().security;
  const all = ownsGateway ? given : { allow: [], deny: [] };
  return {
    owners,
    members: [...access.allow, ...all.allow],
    denied: [...access.deny, ...all.deny],
    isOpen: given.default_decision === 'allow',
  };
}

async function keptOf(
  { stores, clock }: QueryPorts,
  id: string,
): Promise<Pick<PersonaPage, 'trust' | 'rules' | 'facts' | 'hasMore'>> {
  if (!stores.exists(id))
    return { trust: null, rules: { inForce: [], over: [] }, facts: [], hasMore: { rules: false, facts: false } };
  const now = clock.now();
  return stores.use(id, async (store) => {
    const inForce = await store.listRules({ all: false, limit: MOST_RULES + 1, now });
    const newest = await store.listRules({ all: true, limit: MOST_RULES, now });
    const facts = await store.listFacts({ limit: MOST_FACTS + 1, now });
    const isOver = ({ ended_at, until }: Rule) => ended_at !== null || (until !== null && until <= now);
    return {
      trust: await store.trust(),
      rules: { inForce: inForce.slice(0, MOST_RULES), over: newest.filter(isOver).slice(0, MOST_OVER) },
      facts: facts.slice(0, MOST_FACTS),
      hasMore: { rules: inForce.length > MOST_RULES, facts: facts.length > MOST_FACTS },
    };
  });
}

async function lastPrompt(ports: QueryPorts, viewer: ConsoleViewer, id: string): Promise<PersonaPage['prompt']> {
  if (!ports.stores.exists(id)) return null;
  const { runs } = await listRuns(ports, { limit: NEWEST_RUNS, persona: id });
  const last = runs.find(({ model_calls }) => model_calls > 0);
  if (!last) return null;
  const { run, about, prompt, promptTokens } = await runTimeline(ports, viewer, { persona: id, id: last.id });
  return { run, about, prompt, promptTokens };
}
