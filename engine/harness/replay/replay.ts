import type { GenerateRequest, Log } from '#contract';
import { decodeEvent, encodeEvent } from '../../record/codec/run-events.ts';
import type { EventOf, EventType, RunEvent } from '../../record/events.ts';
import { createRecorder } from '../../record/recorder.ts';
import { type RunLog, readLog } from '../../record/run-log.ts';
import type { PinnedSettings } from '../../record/settings.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';

import { promptAsBuilt, settingsAsBuilt } from '../context/as-built.ts';
import type { GatherPart } from '../context/parts.ts';
import { MAX_CRASHES } from '../loop/decide.ts';
import type { LoopEnd } from '../loop/end.ts';
import { executeProviderToolLoop, leaveUnsent } from '../loop/loop.ts';
import { type LoopRun, mailOfLoop } from '../loop/loop-run.ts';
import { type Difference, firstDifference } from './compare.ts';
import { type AnswerOnRecord, endAgain } from './ending.ts';
import { beside, claimsOf, type RecordedLease, resultsOf } from './record.ts';
import { firstStale } from './views.ts';
import { RecordEnded, worldOf } from './world.ts';

export interface ReplayOptions {
  readonly loaded: LoadedRun;
  readonly store: Parameters<typeof promptAsBuilt>[0]['store'];
  /** Those that prompts are put together by. */
  readonly parts: readonly GatherPart[];
  readonly artifacts: Blobs;
  readonly answer: AnswerOnRecord | null;
  readonly recursionSecret: string;
  readonly log: Log;
  /** Hears what each model is asked, as it was asked then. */
  requested?(call: number, request: GenerateRequest): void;
}

export interface Replayed {
  readonly claims: number;
  /** What was made anew and compared. */
  readonly compared: {
    readonly decisions: number;
    readonly requests: number;
    readonly calls: number;
    readonly mail_bytes: number;
  };
  readonly difference: Difference | null;
  /** Views that do not say what the events say. */
  readonly stale: Difference | null;
}

/**
 * Works a run once more from what is on record, through the very loop that worked it, with no network and nothing
 * written: models and tools say what they said. The first thing that comes out otherwise is named.
 */
export async function replayRun(options: ReplayOptions): Promise<Replayed> {
  const { loaded, store, parts } = options;
  const artifacts = beside(options.artifacts);
  const record = readLog(loaded.events, artifacts);
  const claims = claimsOf(record, loaded);
  const prompt = await promptAsBuilt({ loaded, log: record, store, parts, artifacts });
  const all: RunEvent[] = [];
  let difference: Difference | null = claims.length === 0 ? NOT_ON_RECORD : null;
  let mailBytes = 0;
  for (const [index, claim] of claims.entries()) {
    const again = await replayClaim({ ...options, artifacts, record, prompt, isLater: index > 0 }, claim);
    all.push(...again.events);
    mailBytes += again.mail?.length ?? 0;
    difference ??= firstDifference(claim.written.all, again.events) ?? differentMail(options, again.mail);
    if (difference) break;
  }
  const count = (type: EventType) => all.filter((event) => event.type === type).length;
  return {
    claims: claims.length,
    compared: {
      decisions: count('decision'),
      requests: count('model_call_started'),
      calls: count('observation'),
      mail_bytes: mailBytes,
    },
    difference,
    stale: firstStale(loaded, record, artifacts),
  };
}

const NOT_ON_RECORD: Difference = {
  seq: null,
  what: 'nothing that could be replayed: no loop worked it, or it is older than replays',
  recorded: null,
  replayed: null,
};

function differentMail({ answer }: ReplayOptions, mail: Uint8Array | null): Difference | null {
  if (mail === null || answer === null || Buffer.compare(mail, answer.raw) === 0) return null;
  const at = mail.findIndex((byte, index) => byte !== answer.raw[index]);
  const around = (bytes: Uint8Array) => Buffer.from(bytes.slice(Math.max(0, at - 40), at + 40)).toString('utf8');
  return { seq: null, what: `mail, byte ${at}`, recorded: around(answer.raw), replayed: around(mail) };
}

/** What all claims of one replay share. */
interface Replaying extends ReplayOptions {
  readonly record: RunLog;
  readonly prompt: LoopRun['prompt'];
  /** The run had begun before. */
  readonly isLater: boolean;
}

async function replayClaim(
  options: Replaying,
  claim: RecordedLease,
): Promise<{ events: readonly RunEvent[]; mail: Uint8Array | null }> {
  const { loaded, prompt, artifacts, log, requested = () => {} } = options;
  const { written } = claim;
  const events: RunEvent[] = [];
  const stop = new AbortController();
  const world = worldOf({ claim, replayed: events, resultOf: resultsOf(loaded, artifacts), stop, requested });
  const clock = { now: world.now, sleep: async () => {} };
  const recorder = recording(options, { claim, clock, activeMs: world.activeMs, events });
  const { state } = recorder;
  // It went on with the models of a later setting.
  const targets = written.first('model_call_started')?.data.targets;
  if (targets) recorder.found({ kind: 'models_replaced', targets });
  const first = written.first('decision')?.data;
  // A budget of runs is counted over all mail of a day; whether it was spent is told by what was decided first.
  if (first?.reason === 'budget' && state.modelCalls === 0 && written.all[0]?.type === 'decision')
    recorder.found({ kind: 'budget_spent', limit: 'runs_per_day' });
  const settings = await settingsOf(options, claim);
  const run: LoopRun = {
    ...world,
    state,
    settings,
    prompt,
    recorder,
    riskOf: (tool) => settings.risks?.[tool] ?? world.riskOf(tool),
    scopeOf: (tool) => settings.scopes?.[tool] ?? null,
    artifacts,
    prices: {},
    allowUnpriced: true,
    treeBudget: null,
    budget: {
      usd_per_run: world.isLimited ? Number.MAX_VALUE : null,
      usd_per_day: null,
      tokens_per_run: null,
      runs_per_day: null,
    },
    day: '',
    crashes: first?.reason === 'repeated_crash' ? MAX_CRASHES : 0,
    held: new Map(),
    answered: () => {},
    refused: () => {},
    clock,
    random: () => 0.5,
    signal: stop.signal,
    pass: () => {},
    log,
    ...mailOfLoop(loaded),
  };
  try {
    const end = await toItsEnd(run, written.of('mail_taken_in'));
    // Nothing is asked of a model that would tell that the record ends: the process died before its mail.
    if (loaded.decided && !written.has('run_ended') && end.kind === 'ended') return { events, mail: null };
    return { events, mail: await endAgain({ ...options, claim, run }, end) };
  } catch (error) {
    if (error instanceof RecordEnded) return { events, mail: null };
    throw error;
  }
}

/** Later mails of its sender become part of it where they did then. */
async function toItsEnd(run: LoopRun, taken: readonly EventOf<'mail_taken_in'>[]): Promise<LoopEnd> {
  for (const { data } of taken) {
    const end = await executeProviderToolLoop(run);
    if (end.kind !== 'further') return end;
    leaveUnsent(run);
    run.recorder.event('mail_taken_in', data);
  }
  return executeProviderToolLoop(run);
}

/** The real recorder, which goes on from what was on record then, whose transactions lead nowhere, and which is heard. */
function recording(
  { loaded, artifacts }: Replaying,
  {
    claim,
    clock,
    activeMs,
    events,
  }: { claim: RecordedLease; clock: LoopRun['clock']; activeMs: () => number; events: RunEvent[] },
): LoopRun['recorder'] {
  const nowhere = async () => {};
  const { nextSeq } = claim.before;
  const recorder = createRecorder({
    store: { commitStep: nowhere, holdRun: nowhere, finishRun: nowhere, parkRun: nowhere, bookLate: nowhere },
    loaded: { ...loaded, events: loaded.events.filter(({ seq }) => seq < nextSeq) },
    artifacts,
    ids: { next: () => '', random: () => '' },
    clock,
    leaseMs: 0,
    day: '',
    pass: () => {},
  });
  return {
    ...recorder,
    activeMs,
    event(type, data) {
      // As it would be read from disk.
      const row = {
        ...encodeEvent(type, data, artifacts),
        run_id: loaded.run.id,
        seq: events.length,
        at: 0,
        fence: null,
      };
      events.push(decodeEvent(row, artifacts));
      recorder.event(type, data);
    },
  };
}

async function settingsOf(
  { loaded, artifacts, record, isLater }: Replaying,
  claim: RecordedLease,
): Promise<PinnedSettings> {
  const pinned = loaded.run.settings_sha256;
  if (pinned === null) return NO_SETTINGS;
  const settings = await settingsAsBuilt({ log: record, artifacts }, pinned);
  if (!isLater) return settings;
  // Rights that were taken away since the run began.
  const left = claim.written.first('model_call_started')?.data.tools;
  const { tools } = settings;
  return { ...settings, pinned: tools, tools: tools.filter(({ name }) => left === undefined || left.includes(name)) };
}

const NO_SETTINGS: PinnedSettings = {
  system: [],
  tools: [],
  targets: [],
  temperature: null,
  maxOutputTokens: null,
  limits: {
    max_tool_turns: Number.MAX_SAFE_INTEGER,
    max_tool_calls: Number.MAX_SAFE_INTEGER,
    max_calls_per_turn: Number.MAX_SAFE_INTEGER,
    max_consecutive_failures: Number.MAX_SAFE_INTEGER,
    run_timeout_s: Number.MAX_SAFE_INTEGER,
    model_timeout_s: Number.MAX_SAFE_INTEGER,
    tool_timeout_s: Number.MAX_SAFE_INTEGER,
  },
};
