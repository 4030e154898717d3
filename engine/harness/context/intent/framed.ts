import type { ModelInfo } from '#contract';
import type { Configs, Persona } from '../../../config/types.ts';
import { hideDisguised } from '../../../lib/secrets/secrets.ts';
import { changedList } from '../../../lib/text/changed-list.ts';
import type { CallStage } from '../../../models/stage.ts';
import type { ToolFacts } from '../../../policy/surface.ts';
import { viewerOf } from '../../../policy/viewer.ts';
import type { Framed, Intent } from '../../../record/codec/intent.ts';
import type { Recorder } from '../../../record/recorder.ts';
import type { RunFrame } from '../../../record/settings.ts';
import { taskOf, triggerFacts } from '../../../record/trigger.ts';
import type { LoadedRun } from '../../../storage/ports/runs.ts';
import { createMailSearch } from '../../../tools/capabilities/mail.ts';
import { contractFrom, frameOf } from '../../evidence/contract.ts';
import type { GatherReader } from '../parts.ts';
import { type Began, DEADLINE_MS, gatherPart, type Span } from '../parts.ts';
import { frameMail, newFraming } from './frame-mail.ts';

/** The stage `frame` of a run, where one is configured. */
export interface FrameStage {
  readonly maxIterations: number;
  /** Its model, until the signal ends it. */
  call(signal: AbortSignal): CallStage;
  /** Of the run. */
  readonly signal: AbortSignal;
}

const HITS = 5;

/**
 * The part of the gathering that asks what the sender wants. Null where no model is configured for it, and for a task. A run
 * that had asked before it was interrupted goes on from that answer; `span` is null then.
 */
export async function framedFor(
  options: {
    readonly loaded: LoadedRun;
    readonly persona: Pick<Persona, 'timezone'>;
    readonly store: GatherReader;
    readonly recorder: Pick<Recorder, 'log'>;
    readonly frameStage: FrameStage | null;
  },
  canChange: readonly string[],
  began: Began,
): Promise<{ readonly framed: Framed; readonly span: Span | null } | null> {
  const { loaded, persona, store, recorder, frameStage } = options;
  if (frameStage === null || loaded.trigger.kind !== 'mail') return null;
  const earlier = recorder.log.last('framed')?.data;
  if (earlier) return { framed: earlier, span: null };
  const { message, run } = loaded;
  const mail = {
    subject: message.subject,
    text: message.new_text,
    at: message.received_at,
    canChange,
    addresses: [message.from_address ?? '', ...message.to, ...message.cc],
  };
  const find = createMailSearch({ store, viewer: viewerOf(run), current: run.message_id, timezone: persona.timezone });
  const search = async (query: string) => {
    const hits = (await find({ query, limit: HITS })).map(({ from, date, subject, snippet }) => ({
      date,
      from: hideDisguised(from),
      subject: hideDisguised(subject),
      text: hideDisguised(snippet),
    }));
    return JSON.stringify(hits);
  };
  const framing = newFraming();
  const { maxIterations } = frameStage;
  const part = await gatherPart(
    { name: 'frame', charsOf: () => 0 },
    async (late) => {
      const signal = AbortSignal.any([late, frameStage.signal]);
      const call = frameStage.call(signal);
      return { code: await frameMail(mail, { call, search, maxIterations, signal }, framing) };
    },
    began,
  );
  frameStage.signal.throwIfAborted();
  const code = part.result ? part.result.code : part.span.ms >= DEADLINE_MS ? 'timeout' : 'failed';
  const { intent, iterations } = framing;
  return { framed: { intent, code, iterations, calls: [...framing.calls] }, span: part.span };
}

/** What is known of the mail before any model is asked. */
export function frameOfRun({
  loaded,
  persona,
  offered,
  info,
}: {
  readonly loaded: LoadedRun;
  readonly persona: Pick<Persona, 'language' | 'answer'>;
  readonly offered: readonly ToolFacts[];
  readonly info: Pick<ModelInfo, 'tools'>;
}): RunFrame {
  const { message } = loaded;
  return frameOf({
    trigger: loaded.trigger.kind,
    ...triggerFacts(loaded),
    subject: message.subject,
    text: message.new_text,
    language: persona.language,
    contract: contractFrom(persona.answer, taskOf(loaded)?.answer ?? null),
    offered: info.tools ? offered : [],
  });
}

/** The frame with what was found out. Paid by now, and asked once: whatever ends the process later finds it on record. */
export async function frameKept(
  recorder: Pick<Recorder, 'event' | 'commit'>,
  known: RunFrame,
  found: { readonly framed: Framed; readonly span: Span | null } | null,
): Promise<RunFrame> {
  if (found?.span) {
    recorder.event('framed', found.framed);
    await recorder.commit();
  }
  const intent = intentIn(found);
  return intent === null ? known : { ...known, intent };
}

export const intentIn = (framed: { readonly framed: Framed } | null): Intent | null => framed?.framed.intent ?? null;

/** Stays last, whatever is added for a kind. */
const FROM_THE_MAIL = ['invocation-metadata', 'current-input'];

/** The resolvers of the prompt: those for the kind of mail where there are any. */
export async function callsFor(
  { configs, loaded }: { readonly configs: Pick<Configs, 'context'>; readonly loaded: LoadedRun },
  intentOf: () => Promise<Intent | null>,
): Promise<readonly string[]> {
  const { profiles } = configs.context;
  const { profile } = triggerFacts(loaded);
  // Only then the prompt waits for what the mail is.
  const kind = profile === 'thread' && Object.keys(profiles.by_kind).length > 0 ? (await intentOf())?.kind : undefined;
  const own = kind && profiles.by_kind[kind];
  if (!own) return profiles[profile];
  return 'add' in own ? changedList(profiles.thread, own, FROM_THE_MAIL) : own;
}
