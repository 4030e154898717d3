import {
  CAPABILITY_NAMES,
  type Capabilities,
  type CapabilityName,
  EngineError,
  type Json,
  type Log,
  type ToolCall,
  type ToolContext,
  type ToolDefinition,
} from '#contract';
import { isShallow } from '#contract/http';
import type { SecurityConfig } from '../config/types.ts';
import { asEngine } from '../extensions/guard/guard.ts';
import type { RegisteredTool } from '../extensions/types.ts';
import { withDeadline } from '../lib/deadline.ts';
import { messageOf } from '../lib/error-message.ts';
import { anyJson, parseJson } from '../lib/json.ts';
import { instantOf, wallAt } from '../lib/schedule/zone.ts';
import { DAY_MS, HOUR_MS } from '../lib/time.ts';
import { type CallError, type Executable, type Prepared, type Previewing, reasonOf } from '../policy/call.ts';
import type { QuotaSpent } from '../policy/permission.ts';
import type { Sensor } from '../policy/sensor.ts';
import { MOST_TOLD_BACK, TELLS_BACK, type ToldBack } from '../policy/told-back.ts';
import { lookOf, type ResultFacts } from '../record/result-facts.ts';
import type { LoopState } from '../record/state.ts';
import type { Store } from '../storage/ports/store.ts';
import type { StoredRun } from '../storage/types/runs.ts';
import { waitIn } from '../suspensions/kinds.ts';
import type { OutsideOutcome, Wait } from '../suspensions/outside.ts';
import type { Executed } from './observe/executed.ts';
import { type PrepareContext, prepareCall } from './prepare.ts';

/** Codes a tool may throw that mean something to the engine; all else it throws is its own failure. */
const OWN_CODES = new Set([
  'not_found',
  'invalid_arguments',
  'unsupported_runtime_action',
  'outbound_transport_not_configured',
  'tool_timeout',
  'cancelled',
]);

const timeoutOf = ({ manifest }: RegisteredTool): number | null =>
  manifest.timeout_s === undefined ? null : manifest.timeout_s * 1000;

/** Runs one prepared call under its deadline. Whatever the tool does, a result comes back. */
export async function executeCall(
  prepared: Pick<Executable, 'tool' | 'args'> & Partial<Pick<Executable, 'call' | 'approved'>>,
  options: {
    contextFor(tool: RegisteredTool, signal: AbortSignal, made?: MadeCall | null): ToolContext;
    defaultTimeoutMs: number;
    signal: AbortSignal;
    now(): number;
  },
  /** What is run in place of the call itself. */
  run = (context: ToolContext): Promise<Json> => prepared.tool.call(prepared.args, context),
): Promise<Executed> {
  const { tool, call, approved } = prepared;
  const made = call ? { call, ...(approved && { approved }) } : null;
  const started = options.now();
  const ended = () => {
    const at = options.now();
    return { ms: at - started, at };
  };
  try {
    const result = await withDeadline((signal) => run(options.contextFor(tool, signal, made)), {
      ms: timeoutOf(tool) ?? options.defaultTimeoutMs,
      code: 'tool_timeout',
      what: tool.name,
      parent: options.signal,
    });
    return { ...checkResult(tool, result, options.now), ...ended() };
  } catch (error) {
    const code = error instanceof EngineError && OWN_CODES.has(error.code) ? error.code : 'tool_failed';
    const isStale = error instanceof EngineError && error.code === 'approval_stale';
    const message = withoutHostPaths(messageOf(error)).slice(0, 1000);
    return { ok: false, error: { code, message, ...reasonOf(error) }, ...(isStale ? { isStale } : {}), ...ended() };
  }
}

/** A folder of this machine, as Node's own errors name it; a path inside a URL or a persona's files does not begin so. */
const HOST_PATH = /(?<![\w:/.<>-])\/(?:[^\s'"`(),:;/<>]+\/)+[^\s'"`(),:;/<>]*/g;

/** What a tool throws goes to a model, and in its words to whoever wrote: neither needs to know how this disk is laid out. */
const withoutHostPaths = (message: string): string => message.slice(0, 4000).replaceAll(HOST_PATH, '<path>');

/** Of what was brought from elsewhere for a call that was made before. */
export function broughtFor(tool: RegisteredTool, result: unknown): OutsideOutcome {
  const checked = checkResult(tool, result, () => 0);
  if (checked.ok && checked.wait)
    return { ok: false, error: { code: 'invalid_result', message: 'it is no result yet' } };
  if (!checked.ok) return { ok: false, error: { code: checked.error.code, message: checked.error.message } };
  return { ok: true, result: checked.result, ...(checked.facts && { facts: checked.facts }) };
}

const beginsOf = ({ definition, manifest }: RegisteredTool) => ({
  hasCheck: definition.check !== undefined,
  delegates: manifest.capabilities.includes('delegation'),
});

/** What was done is done; a result that cannot be stored cannot be shown to a model either. */
function checkResult(
  tool: RegisteredTool,
  result: unknown,
  now: () => number,
): { ok: true; result: Json; facts?: ResultFacts; wait?: Wait } | { ok: false; error: CallError } {
  const invalid = (message: string) => ({ ok: false, error: { code: 'invalid_result', message } }) as const;
  try {
    const json = JSON.stringify(result ?? null);
    if (json === undefined) return invalid('the result is no JSON');
    const plain = parseJson(anyJson, json);
    // Everything after this walks the result by recursion.
    if (!isShallow(plain)) return invalid(`the result is nested more than 200 levels deep`);
    const wait = waitIn(plain, beginsOf(tool), now());
    if (wait) return { ok: true, result: plain, wait };
    const checked = tool.validateOutput(plain);
    if (!checked.ok) return invalid(checked.message);
    const facts = declaredFacts(tool.definition, plain);
    return { ok: true, result: plain, ...(facts && { facts }) };
  } catch (error) {
    return invalid(messageOf(error).slice(0, 1000));
  }
}

/** What the loop can do with a call. */
export interface CallMaker {
  /** Finds, validates, asks the governor; nothing is done yet. */
  prepareCall(call: ToolCall, previewing?: Previewing): Promise<Prepared>;
  /** Runs a call that may run, under its deadline and under the eyes of the sensor. */
  executeCall(next: Executable): Promise<Executed>;
  /** Counts a call against the limits, or only asks about it; null: there is room. */
  useTool(call: ToolCall, reserves: boolean): Promise<QuotaSpent | null>;
}

/** The call that a tool works for, as against one that is only prepared or looked after. */
export type MadeCall = Pick<Executable, 'call' | 'approved'>;

/**
 * What one tool gets to work with. Of a tool that says what it uses these capabilities are there and no other key. To
 * one that does not say, a capability that its manifest did not ask for is there by name only: touching it throws, so
 * that a manifest is the whole truth about what a tool can do.
 */
export function toolContext(
  tool: RegisteredTool,
  run: { persona: ToolContext['persona']; threadId: string; runId: string; log: Log },
  capabilities: Partial<Capabilities>,
  signal: AbortSignal,
): ToolContext {
  const log = { ofTool: null as Log | null };
  const context = {
    persona: run.persona,
    threadId: run.threadId,
    runId: run.runId,
    config: tool.config,
    secrets: tool.secrets(),
    signal,
    // Made where a tool writes to it: most never do.
    get log() {
      log.ofTool ??= run.log.child({ tool: tool.name });
      return log.ofTool;
    },
  };
  const { uses = CAPABILITY_NAMES } = tool.definition;
  for (const name of uses) {
    const part = tool.manifest.capabilities.includes(name) ? capabilities[name] : undefined;
    Object.defineProperty(context, name, part ? { enumerable: true, value: asEngine(part) } : deniedTo(tool, name));
  }
  return context as ToolContext;
}

/** One for all calls: V8 makes an object of them in a quarter of the time that it takes for functions of its own. */
const denied = new WeakMap<RegisteredTool, Map<CapabilityName, PropertyDescriptor>>();

function deniedTo(tool: RegisteredTool, name: CapabilityName): PropertyDescriptor {
  const ofTool = denied.get(tool) ?? new Map<CapabilityName, PropertyDescriptor>();
  const known = ofTool.get(name) ?? {
    enumerable: true,
    get() {
      const message = `${tool.name} uses "${name}", which its manifest does not ask for`;
      throw new EngineError('unsupported_runtime_action', message);
    },
  };
  denied.set(tool, ofTool.set(name, known));
  return known;
}

/**
 * The two things that the loop can do with a call: have it prepared, which asks the governor, and have it made, which
 * the sensor watches. The governor is outermost: what it refuses never comes here.
 */
export function sensedCalls(options: {
  prepare: PrepareContext;
  contextFor(tool: RegisteredTool, signal: AbortSignal, made?: MadeCall | null): ToolContext;
  sensor: Sensor;
  defaultTimeoutMs: number;
  signal: AbortSignal;
  now(): number;
}): Pick<CallMaker, 'prepareCall' | 'executeCall'> {
  return {
    prepareCall: (call, previewing) => prepareCall(call, options.prepare, previewing),
    async executeCall(next) {
      const { result, latency_ms, inside } = await options.sensor.sense(() => executeCall(next, options));
      const { by } = next.permission;
      // Also where policy would have let it run: a step of a plan, a call that waited for the one before it.
      const cause =
        next.approved !== undefined
          ? ({ source: 'owner', decision: 'approved' } as const)
          : ({ source: 'model', decision: 'allowed' } as const);
      return { ...result, sensed: { ...cause, by, latency_ms, inside } };
    },
  };
}

/**
 * Asks the limits of calls about one that is to be made, and counts it: the row is there before the call is. Nothing is
 * asked of the database where the configuration names no limit.
 */
export function quotaOf(options: {
  toldBack: ToldBack | null;
  security: Pick<SecurityConfig, 'tool_policy' | 'calls_per_sender_per_hour'>;
  store: Pick<Store, 'useTool'>;
  run: StoredRun;
  state: Pick<LoopState, 'modelCalls' | 'pending'>;
  day: string;
  timezone: string;
  now(): number;
}): CallMaker['useTool'] {
  const { toldBack, security, store, run, state, day, timezone, now } = options;
  return async ({ id, name }: ToolCall, reserves) => {
    const quota = security.tool_policy.quotas[name];
    const limits = {
      perRun: leastOf(quota?.max_per_run ?? null, toldBack !== null && name === TELLS_BACK ? MOST_TOLD_BACK : null),
      perDay: quota?.max_per_day ?? null,
      perSenderHour: run.sender === null ? null : security.calls_per_sender_per_hour,
    };
    if (Object.values(limits).every((limit) => limit === null)) return null;
    const at = now();
    const { modelCalls: turn, pending } = state;
    const begun = [...(pending?.intended.keys() ?? []), ...(pending?.begun.keys() ?? [])];
    const use = { runId: run.id, fence: run.fence, turn, callId: id, tool: name, sender: run.sender, day, at, begun };
    const spent = await store.useTool(use, limits, reserves);
    if (spent === null) return null;
    const spentBy = (code: QuotaSpent['code'], most: number | null, until: number | null): QuotaSpent => ({
      code,
      limit: spent.limit,
      most: most ?? 0,
      retry_at: until,
      retry_after_ms: until === null ? null : Math.max(0, until - at),
    });
    switch (spent.limit) {
      case 'max_per_run':
        return spentBy('policy_quota_exceeded', limits.perRun, null);
      case 'max_per_day':
        return spentBy('policy_quota_exceeded', limits.perDay, nextDay(at, timezone));
      case 'calls_per_sender_per_hour':
        return spentBy('policy_rate_limited', limits.perSenderHour, spent.oldest + HOUR_MS);
    }
  };
}

const leastOf = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/** The first instant of the next day on the clocks of the zone. */
function nextDay(now: number, zone: string): number {
  const wall = wallAt(zone, now);
  return instantOf(zone, wall - (wall % DAY_MS) + DAY_MS);
}

/**
 * What a tool declares of its result; null where it declares nothing, and where a declaration throws or says what it may
 * not: then the names of the fields have to do.
 */
export function declaredFacts(
  tool: Pick<ToolDefinition, 'provenance' | 'freshness' | 'next'>,
  result: Json,
): ResultFacts | null {
  if (!tool.provenance && !tool.freshness && !tool.next) return null;
  try {
    const provenance = tool.provenance?.(result) ?? null;
    const freshness = tool.freshness?.(result) ?? null;
    const next = tool.next?.(result) ?? null;
    const { sha256, ...source } = provenance ?? {};
    return {
      source: provenance === null ? null : source,
      hash: sha256 === undefined ? null : { sha256, path: provenance && 'path' in provenance ? provenance.path : null },
      as_of: freshness?.asOf ?? null,
      fresh_for_s: freshness?.forS ?? null,
      part: next && { more: next.more, at: String(next.at ?? ''), share: next.share ?? null },
      ...lookOf({ cached: freshness?.cached, window: freshness?.window, sampled: next?.sampled }),
    };
  } catch {
    return null;
  }
}
