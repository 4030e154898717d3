import {
  CAPABILITY_NAMES,
  type Capabilities,
  type CapabilityName,
  type Effects,
  EngineError,
  type Json,
  type Log,
  type Risk,
  type ToolCall,
  type ToolContext,
  type ToolDefinition,
} from '#contract';
import { isShallow } from '#contract/http';
import type { SecurityConfig } from '../config/types.ts';
import { asEngine } from '../extensions/guard/guard.ts';
import type { RegisteredTool, Registry } from '../extensions/types.ts';
import { withDeadline } from '../lib/deadline.ts';
import { messageOf } from '../lib/error-message.ts';
import { anyJson, notJson, parseJson, readJson } from '../lib/json.ts';
import { instantOf, wallAt } from '../lib/schedule/zone.ts';
import { DAY_MS, HOUR_MS } from '../lib/time.ts';
import { addressKey } from '../mail/mime/address.ts';
import { planOf } from '../policy/approval/plan.ts';
import type { CallError, Executable, Prepared, Previewing, Refused } from '../policy/call.ts';
import { effectiveRisk, govern } from '../policy/governor.ts';
import type { FromHook, Layer, Permission, QuotaSpent } from '../policy/permission.ts';
import { denialFor } from '../policy/refusal.ts';
import { isOf, type Standing, standingOn, withCopies, withoutCopies } from '../policy/standing-rules.ts';
import { factsOf, notShown, type Sensor, type SurfaceRefusal, type ToolFacts } from '../policy/surface.ts';
import { MOST_TOLD_BACK, TELLS_BACK, type ToldBack } from '../policy/told-back.ts';
import type { LoopState } from '../record/fold.ts';
import type { OwnWords } from '../record/own-words.ts';
import type { ResultFacts } from '../record/result-facts.ts';
import type { Store } from '../storage/ports/store.ts';
import type { ForeignValue } from '../storage/types/approvals.ts';
import type { Tier } from '../storage/types/mail.ts';
import type { Rule } from '../storage/types/rules.ts';
import type { StoredRun } from '../storage/types/runs.ts';
import { ASKED, kindOfTool, waitIn } from '../suspensions/kinds.ts';
import type { Outcome, Wait } from '../suspensions/outside.ts';
import type { Executed } from './observe/executed.ts';

/** A call that owners would be asked about. */
export interface CallToWord {
  readonly call: ToolCall;
  readonly tool: RegisteredTool;
  readonly args: Json;
  readonly risk: Risk;
  readonly effects: Effects | undefined;
  readonly layers: readonly Layer[];
}

export interface PrepareContext {
  readonly tools: Pick<Registry<RegisteredTool>, 'get'>;
  /** Names that the model whose call it is was shown; null where it is no model's call. */
  shown(): readonly string[] | null;
  /** Null: granted. The very question that decided what the model was shown. */
  surfaceRefusal(tool: ToolFacts): SurfaceRefusal | null;
  readonly policy: SecurityConfig['tool_policy'];
  readonly tier: Tier;
  /** The run may write to those for whom the mail was sent that it answers; `addressed` puts their addresses in. */
  readonly tellsBack: boolean;
  addressed(tool: string, args: Json): Json;
  isOwner(address: string): boolean;
  isAsker(address: string): boolean;
  /** Who gets the answer of the run, whatever it calls; null: nobody does, or it is no run of a mail. */
  answered(): Promise<string | null>;
  /** Somebody whom an owner put on this thread, who takes part in it, or whom a trusted text names. */
  isKnown(address: string): boolean;
  isTainted(): boolean;
  /** Values of these arguments that stand in no trusted text, once the run was shown words of others. */
  foreignIn(tool: ToolFacts, args: Json): Promise<readonly ForeignValue[]>;
  /** What owners have said is to hold from now on, as far as it is for this run. */
  rules(): Promise<readonly Rule[]>;
  /** Whether these arguments erase only what the sender of the run's own mail has told of themselves. */
  forgetsOwn(tool: ToolFacts, args: Json): Promise<boolean>;
  /** What hooks of the workspace have against a call that would be allowed or asked about; empty: nothing. */
  restrictionsOn(call: { tool: ToolFacts; risk: Risk; args: Json; tainted: boolean }): Promise<readonly FromHook[]>;
  /** Whether an owner's own words are the yes to a call that would be asked about; null: it is not looked at here. */
  ownWordsFor(call: CallToWord): Promise<OwnWords | null>;
  /** Whether there is anybody who could be asked for approval. */
  readonly canAsk: boolean;
  contextFor(tool: RegisteredTool): ToolContext;
}

/** Finds, repairs, validates, asks the governor. Never throws: what is wrong becomes the call's result. */
export async function prepareCall(
  call: ToolCall,
  context: PrepareContext,
  previewing: Previewing = 'if_asked',
): Promise<Prepared> {
  const tool = context.tools.get(call.name);
  if (!tool) return refused('unknown', call, unknownTool(call.name, context.shown()));
  const facts = factsOf(tool);
  const off = offSurface(call, tool, context);
  if (off) return off;
  const given = repairArguments(call);
  if (typeof given === 'string') {
    const error = { code: 'invalid_arguments', message: notJson(given), required: requiredOf(tool.inputSchema) };
    return refused('invalid', call, error);
  }
  const checked = tool.validate(given);
  if (!checked.ok) {
    const error = { code: 'invalid_arguments', message: checked.message, required: requiredOf(tool.inputSchema) };
    return refused('invalid', call, error);
  }
  const rules = await context.rules();
  const addressed = context.addressed(tool.name, checked.value as Json);
  // What an owner has agreed to is sent as they saw it.
  const args = previewing === 'never' ? addressed : withCopies(tool.name, addressed, rules);
  let effects: Effects | undefined;
  try {
    effects = await tool.definition.effects?.(args as never, context.contextFor(tool));
  } catch (error) {
    return refused('invalid', call, { code: 'invalid_arguments', message: messageOf(error) });
  }
  const risk = effectiveRisk(facts.risk, effects);
  const { asked, own } = await questionOf({ facts, args, risk, effects, rules }, context);
  const judged = govern(asked);
  // Nothing that is denied becomes allowed by a hook, so none is asked about it.
  const restrictions = judged.verdict === 'deny' ? [] : await context.restrictionsOn(asked);
  const layers = judged.asked?.layers ?? [];
  // A step of a plan, and what an owner has agreed to, is looked at as an owner's decision.
  const ownWords =
    judged.verdict === 'approve' && restrictions.length === 0 && previewing === 'if_asked'
      ? await context.ownWordsFor({ call, tool, ...own, risk, layers })
      : null;
  const more = { ...(restrictions.length === 0 ? {} : { restrictions }), ...(ownWords === null ? {} : { ownWords }) };
  const permission = Object.keys(more).length === 0 ? judged : govern({ ...asked, ...more });
  if (permission.verdict === 'deny') {
    return refused('denied', call, denialFor(permission, call.name, { shown: context.shown() }), permission);
  }
  // What an owner has agreed to is sent as they saw it.
  if (previewing === 'if_asked' && (await isOnlyAnswered(tool, effects, context)))
    return refused('needless', call, { code: 'skipped', message: TO_SENDER }, permission);
  const targets = effects?.targets ?? [];
  if (ASKED[kindOfTool(tool.definition)].bySteps)
    return preparePlan({ call, tool, args, permission }, context, previewing);
  return withPreview({ call, tool, args, risk, permission, targets }, context, previewing);
}

/** All that the governor is told of a call but for hooks and the owner's words; `own`: what those have to bear out. */
async function questionOf(
  {
    facts,
    args,
    risk,
    effects,
    rules,
  }: {
    readonly facts: ToolFacts;
    readonly args: Json;
    readonly risk: Risk;
    readonly effects: Effects | undefined;
    readonly rules: readonly Rule[];
  },
  context: PrepareContext,
) {
  const { tier, policy, canAsk, tellsBack, isOwner, isAsker } = context;
  const recipients = effects?.recipients ?? null;
  const standing = standingOn({ tool: facts, args, risk, recipients, isOwner }, rules);
  // Who is in Cc by an owner's rule was agreed to when it was made.
  const isCopied = (address: string) =>
    rules.some(({ effect, whom }) => effect === 'cc' && whom.some((one) => isOf(address, one)));
  const isAgreed = (address: string) => isCopied(address) || isAllowed(standing, address, rules);
  const own = withoutCopies(args, isCopied);
  const values = await context.foreignIn(facts, own);
  const asked = {
    tool: facts,
    surface: null,
    risk,
    args,
    tier,
    policy,
    tainted: context.isTainted(),
    values: values.filter(({ kind, value }) => kind !== 'address' || !isAgreed(value)),
    canAsk,
    tellsBack,
    forgetsOwn: await context.forgetsOwn(facts, args),
    standing,
    widens: effects?.widens === true,
    ...(recipients === null
      ? {}
      : { mail: { recipients, isOwner, isAsker, isKnown: (one: string) => context.isKnown(one) || isAgreed(one) } }),
  };
  return { asked, own: { args: own, effects: recipientsBut(effects, isCopied) } };
}

/** Whom a rule names that lets the call go is known by it. */
const isAllowed = ({ allow }: Standing, address: string, rules: readonly Rule[]): boolean =>
  rules.some(({ id, whom }) => id === allow && whom.some((one) => isOf(address, one)));

const recipientsBut = (effects: Effects | undefined, isCopied: (address: string) => boolean): Effects | undefined =>
  effects?.recipients === undefined
    ? effects
    : { ...effects, recipients: effects.recipients.filter((address) => !isCopied(address)) };

/** With what owners are to be shown of it, where they are asked. */
async function withPreview(
  next: Omit<Executable, 'verdict' | 'preview'>,
  context: PrepareContext,
  previewing: Previewing,
): Promise<Prepared> {
  const { call, tool, args, permission } = next;
  const verdict = permission.verdict === 'allow' ? 'run' : 'needs_approval';
  if (previewing === 'never' || (previewing === 'if_asked' && verdict === 'run'))
    return { ...next, verdict, preview: null };
  try {
    const preview = (await tool.definition.preview?.(args as never, context.contextFor(tool))) ?? null;
    return { ...next, verdict, preview };
  } catch (error) {
    // It may run as it is, and may only wait for a call before it that makes what it needs.
    if (verdict === 'run') return { ...next, verdict, preview: null };
    return refused('invalid', call, { code: 'invalid_arguments', message: messageOf(error) }, permission);
  }
}

const TO_SENDER =
  'not sent, and nothing is wrong: the sender gets your final text anyway, so write there what this mail was to say; files go along by attach';

/** A second mail to whoever is answered: an owner would be asked about it, and the answer would wait for them. */
async function isOnlyAnswered(
  { name }: RegisteredTool,
  effects: Effects | undefined,
  { answered }: PrepareContext,
): Promise<boolean> {
  const recipients = name === TELLS_BACK ? (effects?.recipients ?? []) : [];
  if (recipients.length === 0) return false;
  const sender = await answered();
  return sender !== null && recipients.every((address) => addressKey(address) === sender);
}

/** Each step is asked about like a call of its own, so that an owner is never asked for one that may not be done. */
async function preparePlan(
  plan: Pick<Executable, 'call' | 'tool' | 'args' | 'permission'>,
  context: PrepareContext,
  previewing: Previewing,
): Promise<Prepared> {
  const { call, permission } = plan;
  const { steps } = plan.args as { steps: readonly { tool: string; arguments: Json }[] };
  const begun = previewing === 'never';
  const prepared: Prepared[] = [];
  for (const [index, step] of steps.entries()) {
    const one = { id: `${call.id}.${index + 1}`, name: step.tool, arguments: step.arguments };
    // A plan within a plan would have no end.
    if (step.tool === call.name) {
      return refused('invalid', call, { code: 'invalid_arguments', message: 'a plan cannot have a plan in it' });
    }
    // Whoever says yes to a plan says yes to each step, also to one that policy would have let run.
    prepared.push(await prepareCall(one, context, begun ? 'never' : 'always'));
  }
  const planned = planOf(prepared);
  if (planned.kind === 'act_directly') return refused('act_directly', call, planned.error, permission);
  if (planned.kind === 'refused') return refused('denied', call, planned.error, planned.permission ?? permission);
  const { args, risk, preview } = planned;
  const targets = planned.steps.flatMap((step) => step.targets);
  return { ...plan, args, risk, preview, targets, steps: planned.steps, verdict: 'needs_approval' };
}

function refused(
  verdict: Refused['verdict'],
  call: ToolCall,
  error: CallError,
  permission: Permission | null = null,
): Refused {
  return { verdict, call, error, permission };
}

/** What was shown for that call, what is granted today and what is ready now: it has to be in each. */
function offSurface(call: ToolCall, tool: RegisteredTool, context: PrepareContext): Refused | null {
  const { tier, policy } = context;
  const facts = factsOf(tool);
  const shown = context.shown();
  const unready = tool.ready();
  const surface = context.surfaceRefusal(facts) ?? notReady(unready) ?? notShown(call.name, shown);
  if (surface === null) return null;
  const permission = govern({ tool: facts, surface, risk: facts.risk, args: null, tier, policy });
  if (permission.verdict !== 'deny') return null;
  return refused('denied', call, denialFor(permission, call.name, { shown, unready }), permission);
}

/** It is granted, and what it needs is missing: a key, a program, a way out. */
const notReady = (why: string | null): SurfaceRefusal | null =>
  why === null ? null : { code: 'policy_denied', by: 'not_ready' };

const unknownTool = (name: string, shown: readonly string[] | null): CallError => ({
  code: 'tool_unknown',
  message: `there is no tool named ${name}`,
  ...(shown === null ? {} : { hint: `allowed: ${shown.join(', ') || 'none'}`, retryable: false }),
});

/** Models wrap JSON in code fences now and then; anything else that does not parse is told to the model. */
function repairArguments(call: ToolCall): unknown {
  if (call.arguments !== undefined) return call.arguments;
  const raw = (call.rawArguments ?? '').trim();
  if (raw === '') return {};
  const opened = raw.replace(/^```(?:json)?\s*/, '');
  const unfenced = opened.endsWith('```') ? opened.slice(0, -3).trimEnd() : opened;
  const read = readJson(anyJson, unfenced);
  return read === undefined ? raw : read;
}

function requiredOf(schema: { readonly [key: string]: unknown }): readonly string[] {
  const { required } = schema;
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

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
    return { ok: false, error: { code, message }, ...(isStale ? { isStale } : {}), ...ended() };
  }
}

/** A folder of this machine, as Node's own errors name it; a path inside a URL or a persona's files does not begin so. */
const HOST_PATH = /(?<![\w:/.<>-])\/(?:[^\s'"`(),:;/<>]+\/)+[^\s'"`(),:;/<>]*/g;

/** What a tool throws goes to a model, and in its words to whoever wrote: neither needs to know how this disk is laid out. */
const withoutHostPaths = (message: string): string => message.slice(0, 4000).replaceAll(HOST_PATH, '<path>');

/** Of what was brought from elsewhere for a call that was made before. */
export function broughtFor(tool: RegisteredTool, result: unknown): Outcome {
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
export interface Calls {
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
}): Pick<Calls, 'prepareCall' | 'executeCall'> {
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
}): Calls['useTool'] {
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
    };
  } catch {
    return null;
  }
}
