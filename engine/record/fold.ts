import type { GenerateResponse, Json, ProviderCode, ToolResult } from '#contract';
import type { RunEventType, StoredEvent } from '../storage/types/runs.ts';

import type { Decision } from './decisions.ts';
import type { ResultFacts } from './result-facts.ts';
import { addIntent, addModelTurn, addNote, addResult, addStep, emptyState, type LoopState } from './state.ts';
import type { Target } from './target.ts';

// What the loop writes into run_events and reads back after a restart; version 1 of each.
export interface ModelCallEnded {
  readonly ok: boolean;
  readonly provider: string;
  readonly model: string;
  readonly response?: Pick<GenerateResponse, 'text' | 'toolCalls' | 'finish' | 'providerParts' | 'usage'>;
  readonly cost_usd?: number | null;
  readonly ms: number;
  /** Its place among the targets; one that rests may have been passed over. */
  readonly at?: number;
  readonly code?: ProviderCode;
  readonly message?: string;
  /** How long the vendor wants to be left alone; null where a repeat is in vain. */
  readonly retry_after_ms?: number | null;
  /** Targets further down that were not asked: the run has tools, and they cannot call any. */
  readonly without_tools?: readonly string[];
  /** Its provider is left alone for a while, by everybody; that was stored before this. */
  readonly rested?: true;
  /** What the failure leads to: the same target again, the next one, or the end. */
  readonly next?: 'retry' | 'next_target' | 'compact' | 'exhausted';
}

export interface ModelCallStarted {
  readonly call: number;
  readonly provider: string;
  readonly model: string;
  /** Fingerprint of the tools that the model was shown; absent in runs of older versions. */
  readonly surface?: string;
  /** Their names, where these are fewer than the run began with. */
  readonly tools?: readonly string[];
  /** Results that were shown shorter than they were observed. */
  readonly fitted?: number;
  /** The models that may be asked, where they are not those that the run began with. */
  readonly targets?: readonly Target[];
  readonly [fact: string]: unknown;
}

export interface ApprovalRequested {
  readonly items: readonly {
    readonly approval_id: string;
    readonly call_id: string;
    readonly tool: string;
    readonly risk: string;
    /** Of calls of the turn that are asked about as one plan: all of them. */
    readonly calls?: readonly string[];
  }[];
}

export interface Observation {
  readonly call_id: string;
  readonly tool: string;
  readonly ok: boolean;
  readonly code: string | null;
  /** JSON text exactly as the model gets it. */
  readonly content: string;
  readonly artifact: string | null;
  /** By which the whole can be asked for: the artifact, or a hash of the content. */
  readonly ref: string | null;
  /** As its tool declared them; absent where it declares none, and for what failed. */
  readonly facts?: ResultFacts;
  /** The call of the same turn that was executed in its place, because it said the same. */
  readonly same_as?: string;
  /** The plan that it is a step of: not a call of the model's turn. */
  readonly step_of?: string;
}

/** Rebuilds the loop's state from what was committed, and from nothing else. */
export function foldEvents(events: readonly StoredEvent[], read: (json: string) => unknown): LoopState {
  const state = emptyState();
  for (const event of events) apply(state, event.type, () => read(event.payload_json));
  return state;
}

function apply(state: LoopState, type: RunEventType, payload: () => unknown): void {
  switch (type) {
    case 'model_call_started':
      applyModelStart(state, payload() as ModelCallStarted);
      break;
    case 'model_call_ended':
      applyModelCall(state, payload() as ModelCallEnded);
      break;
    case 'decision':
      applyDecision(state, payload() as Decision);
      break;
    case 'tool_call_intended':
      applyIntent(state, payload() as Intent);
      break;
    case 'approval_requested':
      for (const { call_id, approval_id, calls = [call_id] } of (payload() as ApprovalRequested).items) {
        for (const id of calls) {
          state.pending?.asked.add(id);
          state.pending?.questions.set(id, approval_id);
        }
      }
      break;
    case 'permission': {
      const { call_id, verdict, by } = payload() as { call_id: string; verdict: string; by: string };
      if (verdict === 'deny') state.pending?.denied.set(call_id, by);
      break;
    }
    case 'observation': {
      const seen = payload() as Observation;
      if (seen.step_of !== undefined) {
        addStep(state, seen);
        break;
      }
      addResult(state, resultOf(seen), seen.code, seen.same_as, seen.facts);
      break;
    }
    case 'deferred':
      applyDeferred(state, payload() as Deferred);
      break;
    default:
      break;
  }
}

/** The run was put back, to be gone on with when what it waits for is over. */
export interface Deferred {
  readonly code: string;
  readonly until: number | null;
  /** It does not count among the runs of its day until it begins anew. */
  readonly uncounted?: boolean;
}

/** The first of its models is asked again, however many were tried before. */
function applyDeferred(state: LoopState, { code }: Deferred): void {
  if (code !== 'provider_unavailable') return;
  state.target = 0;
  state.providerFailures = 0;
  state.lastProviderCode = null;
  state.isWaiting = true;
}

interface Intent {
  readonly call_id: string;
  readonly tool: string;
  readonly risk: string;
  readonly targets?: readonly string[];
  readonly step_of?: string;
  readonly arguments?: Json;
}

function applyIntent(state: LoopState, intent: Intent): void {
  const { call_id: id, tool, risk, targets = [], step_of, arguments: args } = intent;
  if (step_of === undefined) addIntent(state, id, risk, targets);
  else {
    state.pending?.begun.set(id, { call: { id, name: tool, arguments: args }, plan: step_of, risk });
    state.pending?.targets.set(id, targets);
  }
}

export const resultOf = (seen: Observation): ToolResult => ({
  callId: seen.call_id,
  name: seen.tool,
  content: seen.content,
  isError: !seen.ok,
});

export function applyModelStart(state: LoopState, { surface, tools, targets }: ModelCallStarted): void {
  state.targets = targets ?? null;
  state.exposed = { fingerprint: surface ?? null, names: tools ?? null };
}

export function applyModelCall(state: LoopState, ended: ModelCallEnded): void {
  if (ended.ok && ended.response) {
    const { text, toolCalls, providerParts } = ended.response;
    addModelTurn(state, { role: 'assistant', text, toolCalls, providerParts });
    return;
  }
  state.lastProviderCode = ended.code ?? null;
  state.providerFailures += 1;
  if (ended.next === 'next_target') {
    state.target = (ended.at ?? state.target) + 1;
    state.providerFailures = 0;
  }
  if (ended.next === 'compact') state.compacted = true;
}

export function applyDecision(state: LoopState, decision: Decision): void {
  if (decision.decision !== 'CONTINUE_MODEL_LOOP') return;
  if (decision.lastCall) state.lastCall = decision.lastCall;
  if (decision.reason === 'repair') state.repairs += 1;
  state.gapsNamed.push(...(decision.about ?? []));
  if (decision.gap !== undefined) addNote(state, decision.gap);
}
