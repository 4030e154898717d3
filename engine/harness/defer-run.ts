import type { Log } from '#contract';
import type { Configs, Persona } from '../config/types.ts';
import { languageOf } from '../languages/language.ts';
import { say } from '../languages/say.ts';
import { backoffMs } from '../lib/backoff.ts';
import { isOverRunsPerDay } from '../models/budget-window.ts';
import type { Outages, Patience } from '../models/outages.ts';
import { gatheredAs, inEach, notice } from '../record/jobs/notice-job.ts';
import type { Recorder } from '../record/recorder.ts';
import type { LoopState } from '../record/state.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import type { NewJob } from '../storage/types/jobs.ts';
import { type DeferredCode, isTest } from '../storage/types/runs.ts';
import type { CancelDeps, EndExtensions } from './cancelled.ts';
import type { Deferral } from './loop/failed-call.ts';
import { closeTurn } from './loop/resume.ts';
import { giveUpMsOf, hasWaitedEnough, retryOf, waitingForModel, waitingForMoney } from './respond/park.ts';
import { endSilently, type RespondOptions, respond } from './respond/respond.ts';

export interface PutBack {
  readonly loaded: LoadedRun;
  readonly persona: Persona;
  readonly store: RespondOptions['store'] & Pick<Store, 'incident' | 'budgetOfDay'>;
  readonly recorder: Recorder;
  readonly state: LoopState;
  readonly configs: Configs;
  readonly day: string;
  readonly chain: string;
  /** It waits for models that its persona's mail does not wait for. */
  readonly isAlone: boolean;
  /** Those that the run was worked with. */
  readonly extensions: EndExtensions;
  readonly deps: CancelDeps & { readonly outages: Outages; readonly random: () => number; readonly log: Log };
}

type Ended = { readonly kind: 'ended' };
type Deferred = { readonly kind: 'deferred'; readonly code: DeferredCode };

/**
 * The end of a run that has waited for too long for its owner to let the persona go on; null: that is not what it waits for. Of a
 * model and of money it is found out once more whether there is any; nobody but an owner ends a pause.
 */
export async function whatItsOwnerHolds(put: PutBack): Promise<Ended | null> {
  const { deferred_code: waits } = put.loaded.run;
  return waits === 'persona_paused' || waits === 'persona_stopped' ? giveUp(put, waits) : null;
}

/** Puts a run back that is one too many for its day; null: it is not. What was decided is carried out on any day. */
export async function whatIsOverItsDay(put: PutBack): Promise<Ended | Deferred | null> {
  const { loaded, persona, recorder, store, day } = put;
  if (loaded.decided !== undefined) return null;
  const isOver = await isOverRunsPerDay({ run: loaded.run, log: recorder.log, day, store }, persona.budget);
  return isOver ? deferRun(put, { kind: 'defer', code: 'budget', limit: 'runs_per_day' }) : null;
}

/** Puts a run back that cannot go on now, or ends it when it has waited for long enough. */
export async function deferRun(put: PutBack, found: Deferral): Promise<Ended | Deferred> {
  const { loaded, persona, recorder, configs, day, deps } = put;
  const now = deps.clock.now();
  const retry = retryOf(persona, configs.inference);
  const patience = { firstRetryMs: retry.first_retry_s * 1000, maxRetryMs: retry.max_retry_s * 1000 };
  // Nobody waits for its answer, and whoever made it is told at once why there is none.
  if (isTest(loaded.run)) return giveUp(put, found.code);
  const why = await asBefore(put, found);
  const until = why.code === 'budget' ? 0 : untilOf(put, why, { now, patience });
  if (hasWaitedEnough(loaded.run, giveUpMsOf(retry), now)) return giveUp(put, why.code);
  if (why.code === 'budget') {
    const isUnbegun = put.state.modelCalls === 0;
    await recorder.park(waitingForMoney({ day, timezone: persona.timezone, now }, retry), isUnbegun ? day : null);
  } else if (put.isAlone) {
    await recorder.waitAlone({ code: why.code, until, now });
  } else {
    await recorder.park(waitingForModel({ code: why.code, cause: why.cause, until, now }, retry), null);
  }
  deps.log.info({ persona: persona.id, run: loaded.run.id, code: why.code }, 'the run waits');
  return { kind: 'deferred', code: why.code };
}

/**
 * What other mails met is forgotten with a restart. A mail that waited for its owner to mend something, and fails in the same
 * words, waits for that still: else everybody would be told of it again, as of an outage that passes by itself.
 */
async function asBefore({ store, recorder }: PutBack, found: Deferral): Promise<Deferral> {
  if (found.code !== 'provider_unavailable' || found.cause.whose !== 'unclear') return found;
  if (recorder.log.of('deferred').at(-1)?.data.code !== 'provider_setup') return found;
  const known = await store.incident('provider_setup');
  const isSame = known?.provider === found.cause.provider && known.message === found.cause.message;
  return isSame ? { ...found, code: 'provider_setup', cause: { ...found.cause, whose: 'setup' } } : found;
}

/** Until when it waits: as long as all others, or, where it is this mail alone, ever longer by itself. */
function untilOf(
  { chain, deps, recorder, loaded }: PutBack,
  { code, cause, askedMs }: Exclude<Deferral, { readonly code: 'budget' }>,
  { now, patience }: { now: number; patience: Patience },
): number {
  if (code !== 'request_failed')
    return deps.outages.failed(chain, { now, retry: patience, askedMs, cause, run: loaded.run.id });
  const tries = recorder.log.of('deferred').filter(({ data }) => data.code === code).length;
  const { firstRetryMs: firstMs, maxRetryMs: maxMs } = patience;
  const own = backoffMs({ attempt: tries + 1, firstMs, maxMs, random: deps.random() });
  return now + Math.max(own, Math.min(askedMs, maxMs));
}

/** Whose turn comes by itself is not given up. */
type GivenUp = Exclude<DeferredCode, 'sender_rate_limited'>;

/** The end of a run that waited in vain: its sender is told once, and so is its owner. */
async function giveUp(put: PutBack, code: GivenUp): Promise<Ended> {
  const { loaded, persona, store, recorder, state, configs, day, deps, extensions } = put;
  const { run, message } = loaded;
  const now = deps.clock.now();
  const hours = Math.max(1, Math.round((now - (run.deferred_at ?? now)) / 3_600_000));
  const language = languageOf([message.new_text], persona.language);
  const decision = { decision: 'FAIL', reason: 'gave_up' } as const;
  recorder.event('decision', { step: state.modelCalls, ...decision, waited_for: code });
  closeTurn({ state, recorder, artifacts: deps.filesOf(persona.id).artifacts, clock: deps.clock });
  const ending = {
    loaded,
    persona,
    store,
    artifacts: deps.filesOf(persona.id).artifacts,
    recorder,
    state,
    decision,
    day,
    domain: configs.gateway.domain,
    recursionSecret: deps.recursionSecret,
    ids: deps.ids,
    now,
    isOwnAddress: deps.isOwnAddress,
    tools: extensions.tools,
  };
  const gaveUp = {
    code,
    text: say(language, 'waiting.gaveUp', { reason: say(language, `waiting.reason.${code}`), hours }),
    notice: gaveUpNotice(put, code, hours, now),
  };
  if (isTest(run)) await endSilently(ending, { status: 'failed', outcome: 'gave_up', code });
  else await respond({ ...ending, gated: null, meantFor: undefined, gaveUp });
  return { kind: 'ended' };
}

function gaveUpNotice({ loaded, persona }: PutBack, code: GivenUp, hours: number, now: number): NewJob {
  const { run, message } = loaded;
  const sender = message.from_address ?? '?';
  const payload = inEach(persona.language, (language) => {
    const reason = say(language, `waiting.reason.${code}`);
    const told = { sender, subject: message.subject, reason, hours };
    const subject = say(language, 'waitingNotices.gaveUpOwner.subject', { subject: message.subject });
    const text = say(language, 'waitingNotices.gaveUpOwner.text', told);
    return { subject, text };
  });
  return notice.job({
    id: `notice:gave_up:${run.id}`,
    due_at: now,
    gather: gatheredAs(`run_failed:gave_up:${code}`),
    payload: { ...payload, again: { run: run.id } },
  });
}
