import { EngineError } from '#contract';
import { tokensOfCharacters } from '../../models/tokens.ts';
import type { EventOf, EventType } from '../../record/events.ts';
import type { RunLog } from '../../record/run-log.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import { type About, withAbout } from '../about.ts';
import type { Chain } from '../explain/chain.ts';
import { readChain } from '../explain/read.ts';
import { sees } from '../mail/traffic.ts';
import type { QueryPorts } from '../ports.ts';
import { type RunShape, runShape } from '../shapes.ts';
import { approvalInWords } from '../state-words.ts';
import type { ConsoleViewer } from '../viewer.ts';

/** Something that took time in a run. */
export interface Part {
  /** `queue`, `pause`, `owner` and `elsewhere` are waits; the others are work. */
  readonly kind: 'queue' | 'gather' | 'model' | 'tool' | 'owner' | 'elsewhere' | 'pause';
  /** What was asked, called or waited for. */
  readonly name: string;
  /** ms, Unix time. */
  readonly from: number;
  readonly ms: number;
  /** Null while it goes on. */
  readonly ok: boolean | null;
  /** The code of a failure, or who decided; null where there is nothing to say. */
  readonly note: string | null;
  readonly callId: string | null;
}

/** A part of the first prompt. */
interface PromptPart {
  readonly name: string;
  readonly slot: string;
  /** About so many: the vendor counts the whole alone. */
  readonly tokens: number;
  readonly error: string | null;
}

export interface RunTimeline {
  readonly run: RunShape;
  readonly about: About;
  /** In the order in which they began. */
  readonly parts: readonly Part[];
  /** From the mail to the end, or to now, and what of it was waiting for somebody or something; ms. */
  readonly total: number;
  readonly waited: number;
  readonly prompt: readonly PromptPart[];
  /** What the vendor counted for the first prompt; null: it did not say. */
  readonly promptTokens: number | null;
  readonly chain: Chain;
  /** The answer as it left; null where there is none. */
  readonly answer: string | null;
  /** Where its mail and its answer stand in the list of mail. */
  readonly mail: number | null;
  readonly reply: number | null;
}

/** One run of a persona, with how long each of its parts took. Throws `not_found`, and the same for runs of others. */
export async function runTimeline(
  ports: QueryPorts,
  viewer: ConsoleViewer,
  { persona, id }: { readonly persona: string; readonly id: string },
): Promise<RunTimeline> {
  const row = sees(viewer, persona) && ports.stores.exists(persona) ? await runIn(ports, persona, id) : undefined;
  if (!row) throw new EngineError('not_found', 'there is no such run');
  const { run, about, answer } = row;
  const { chain, parts, until } = await workOf(ports, persona, run);
  const seenAs = async (messageId: string | null, direction: 'in' | 'out') => {
    if (messageId === null) return null;
    const seen = await ports.gateway.seenByMessageId(messageId);
    return seen.find((one) => one.persona_id === persona && one.direction === direction)?.id ?? null;
  };
  return {
    run: runShape(persona, run),
    about,
    parts,
    total: until - run.created_at,
    waited: coveredBy(parts.filter(isWait)),
    prompt: (chain.context?.parts ?? []).map(({ resolver, slot, chars, error }) => ({
      name: resolver,
      slot,
      tokens: tokensOfCharacters(chars),
      error: error ?? null,
    })),
    promptTokens: chain.costs[0]?.tokens?.input ?? null,
    chain,
    answer,
    mail: await seenAs(run.message_id, 'in'),
    reply: await seenAs(run.reply_message_id, 'out'),
  };
}

/** What was done in a run, and how long each part of it took; `until`: where it ended, or now. */
export async function workOf(
  ports: QueryPorts,
  persona: string,
  run: StoredRun,
): Promise<Pick<RunTimeline, 'chain' | 'parts'> & { readonly until: number }> {
  const { log, chain } = await readChain(ports, persona, run);
  const until = run.ended_at === null ? ports.clock.now() : Math.max(run.ended_at, log.last('run_ended')?.at ?? 0);
  return { chain, parts: partsOf(log, run, until), until };
}

const runIn = ({ stores }: QueryPorts, persona: string, id: string) =>
  stores.use(persona, async (store) => {
    const run = await store.getRun(id);
    if (!run) return undefined;
    const [found] = await withAbout(store, [run], (one) => one.id);
    const reply = run.reply_message_id === null ? [] : await store.messagesByMessageId(run.reply_message_id);
    const answer = reply.find(({ direction }) => direction === 'out')?.text ?? null;
    return { run, about: found?.about ?? { from: null, subject: null }, answer };
  });

const WAITS: ReadonlySet<Part['kind']> = new Set(['queue', 'owner', 'elsewhere', 'pause']);
export const isWait = ({ kind }: Pick<Part, 'kind'>): boolean => WAITS.has(kind);

/** What on record has a beginning and an end, as parts. Pure. `until`: the end of what goes on. */
export function partsOf(
  log: RunLog,
  run: Pick<StoredRun, 'created_at' | 'started_at' | 'status'>,
  until: number,
): Part[] {
  const started = log.first('run_started')?.at ?? run.started_at;
  const parts = [
    wait('queue', 'its turn', run.created_at, started, until),
    ...gatheringOf(log),
    ...modelCallsOf(log),
    ...toolCallsOf(log),
    ...waitsOf(log, until),
    ...(isOpen(run) ? openIn(log, until) : []),
  ];
  return parts.sort((a, b) => a.from - b.from || a.ms - b.ms);
}

function gatheringOf(log: RunLog): Part[] {
  const built = log.first('context_built');
  if (!built) return [];
  const { spans = [] } = built.data;
  const length = spans.reduce((most, { from_ms, ms }) => Math.max(most, from_ms + ms), 0);
  return spans.map(({ part: name, from_ms, ms, error }) => {
    const from = built.at - length + from_ms;
    return { kind: 'gather', name, from, ms, ok: error === null, note: error, callId: null };
  });
}

// An end is on record once what it led to is committed, which may be later: the beginning is when it was.
const modelCallsOf = (log: RunLog): Part[] =>
  log.of('model_call_ended').map(({ seq, at, data: { provider, model, ms, ok, code: note = null } }) => {
    const from = log.of('model_call_started').findLast((one) => one.seq < seq)?.at ?? at - ms;
    return { kind: 'model', name: `${provider}/${model}`, from, ms, ok, note, callId: null };
  });

const toolCallsOf = (log: RunLog): Part[] =>
  log.of('tool_call_ended').map(({ seq, at, data: { tool: name, call_id: callId, ms, ok, code: note } }) => {
    const begun = log.of('tool_call_intended').findLast((one) => one.seq < seq && one.data.call_id === callId);
    return { kind: 'tool', name, from: begun?.at ?? at - ms, ms, ok, note, callId };
  });

function waitsOf(log: RunLog, until: number): Part[] {
  const asked = log.of('approval_requested').flatMap(({ seq, at, data }) =>
    data.items.map(({ approval_id: id, tool, call_id: callId }): Part => {
      const decided = after(log, seq, 'approval_decided').find((one) => one.data.approval_id === id);
      const state = decided ? approvalInWords(decided.data.state, false) : null;
      const note = state === null ? null : [state, decided?.data.by].filter((one) => one).join(' by ');
      return { ...wait('owner', tool, at, decided?.at ?? null, until), note, callId };
    }),
  );
  const away = log.of('suspended').map(({ seq, at, data }): Part => {
    const resumed = after(log, seq, 'resumed').find((one) => one.data.suspension_id === data.suspension_id);
    const note = resumed?.data.state === 'timed_out' ? 'timed out' : null;
    return { ...wait('elsewhere', data.tool, at, resumed?.at ?? null, until), note, callId: data.call_id };
  });
  const deferred = log.of('deferred').map(({ seq, at, data }) => {
    const again = after(log, seq, 'run_started')[0];
    return wait('pause', data.code, at, again?.at ?? null, until);
  });
  return [...asked, ...away, ...deferred];
}

/** What was begun and has not come to an end. */
function openIn(log: RunLog, until: number): Part[] {
  const models = log
    .of('model_call_started')
    .filter(({ seq }) => after(log, seq, 'model_call_ended').length === 0)
    .map(({ at, data }): Part => ({ ...open('model', `${data.provider}/${data.model}`, at, until), callId: null }));
  const tools = log
    .of('tool_call_intended')
    .filter(({ seq, data: { call_id: id } }) =>
      [...after(log, seq, 'tool_call_ended'), ...after(log, seq, 'suspended')].every(({ data }) => data.call_id !== id),
    )
    .map(({ at, data }): Part => ({ ...open('tool', data.tool, at, until), callId: data.call_id }));
  return [...models, ...tools];
}

const after = <Type extends EventType>(log: RunLog, seq: number, type: Type): readonly EventOf<Type>[] =>
  log.of(type).filter((one) => one.seq > seq);

const isOpen = ({ status }: Pick<StoredRun, 'status'>): boolean =>
  status === 'queued' || status === 'running' || status === 'waiting_approval';

const open = (kind: Part['kind'], name: string, from: number, until: number): Omit<Part, 'callId'> => ({
  kind,
  name,
  from,
  ms: Math.max(0, until - from),
  ok: null,
  note: null,
});

const wait = (kind: Part['kind'], name: string, from: number, to: number | null, until: number): Part => ({
  ...open(kind, name, from, to ?? until),
  ok: to === null ? null : true,
  callId: null,
});

/** How much of the time at least one of them covers; ms. Pure. */
export function coveredBy(parts: readonly Pick<Part, 'from' | 'ms'>[]): number {
  let covered = 0;
  let reached = Number.NEGATIVE_INFINITY;
  for (const { from, ms } of parts.toSorted((a, b) => a.from - b.from)) {
    covered += Math.max(0, from + ms - Math.max(from, reached));
    reached = Math.max(reached, from + ms);
  }
  return covered;
}
