import type { Effects, Json, Risk, ToolCall, ToolContext } from '#contract';
import type { SecurityConfig } from '../config/types.ts';
import type { RegisteredTool, Registry } from '../extensions/types.ts';
import { messageOf } from '../lib/error-message.ts';
import { anyJson, notJson, readJson } from '../lib/json.ts';
import { addressKey } from '../mail/mime/address.ts';
import { isFingerprintOf } from '../policy/approval/fingerprint.ts';
import { planOf } from '../policy/approval/plan.ts';
import { isPlain, likenessOf } from '../policy/approval/taught.ts';
import {
  type CallError,
  type Executable,
  type Prepared,
  type Previewing,
  type RefusedCall,
  reasonOf,
} from '../policy/call.ts';
import { effectiveRisk, govern } from '../policy/governor.ts';
import type { FromHook, Layer, Permission } from '../policy/permission.ts';
import { denialFor } from '../policy/refusal.ts';
import {
  type Alike,
  copiesBy,
  isGivenBy,
  isOf,
  type Standing,
  standingOn,
  withCopies,
  withoutCopies,
} from '../policy/standing-rules.ts';
import { factsOf, notShown, type SurfaceRefusal, type ToolFacts } from '../policy/surface.ts';
import { TELLS_BACK } from '../policy/told-back.ts';
import type { OwnWords } from '../record/own-words.ts';
import { type ForeignValue, likenessKey } from '../storage/types/approvals.ts';
import type { Tier } from '../storage/types/mail.ts';
import type { Rule } from '../storage/types/rules.ts';
import { ASKED, kindOfTool } from '../suspensions/kinds.ts';

/** A call that owners would be asked about. */
export interface CallToWord {
  readonly call: ToolCall;
  readonly tool: RegisteredTool;
  readonly args: Json;
  readonly risk: Risk;
  readonly effects: Effects | undefined;
  readonly layers: readonly Layer[];
  /** What owners have said is to hold from now on. */
  readonly rules: readonly Rule[];
}

export interface PrepareContext {
  readonly tools: Pick<Registry<RegisteredTool>, 'get'>;
  /** Names that the model whose call it is was shown; null where it is no model's call. */
  shown(): readonly string[] | null;
  /** Null: granted. The very question that decided what the model was shown. */
  surfaceRefusal(tool: ToolFacts): SurfaceRefusal | null;
  readonly policy: SecurityConfig['tool_policy'];
  readonly tier: Tier;
  /** What began the run: `mail`, or `task:` and its id; null: of it nothing is learned. */
  readonly kind: string | null;
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
  const args =
    previewing === 'never' ? addressed : withCopies(tool.name, addressed, { rules, isOwner: context.isOwner });
  let effects: Effects | undefined;
  try {
    effects = await tool.definition.effects?.(args as never, context.contextFor(tool));
  } catch (error) {
    return refused('invalid', call, thrown(error));
  }
  const risk = effectiveRisk(facts.risk, effects);
  const { asked, own } = await questionOf({ tool, facts, args, risk, effects, rules }, context);
  const judged = govern(asked);
  // Nothing that is denied becomes allowed by a hook, so none is asked about it.
  const restrictions = judged.verdict === 'deny' ? [] : await context.restrictionsOn(asked);
  const layers = judged.asked?.layers ?? [];
  // A step of a plan, and what an owner has agreed to, is looked at as an owner's decision.
  const ownWords =
    judged.verdict === 'approve' && restrictions.length === 0 && previewing === 'if_asked'
      ? await context.ownWordsFor({ call, tool, ...own, risk, layers, rules })
      : null;
  const more = { ...(restrictions.length === 0 ? {} : { restrictions }), ...(ownWords === null ? {} : { ownWords }) };
  const permission = Object.keys(more).length === 0 ? judged : govern({ ...asked, ...more });
  if (permission.verdict === 'deny') {
    return refused('denied', call, denialFor(permission, call.name, { shown: context.shown() }), permission);
  }
  const unasked = refusedUnasked(call, effects, permission);
  if (unasked) return unasked;
  // A call that an owner has agreed to is not found needless afterwards.
  if (previewing === 'if_asked' && (await isOnlyAnswered(tool, effects, context)))
    return refused('needless', call, { code: 'skipped', message: TO_SENDER }, permission);
  if (ASKED[kindOfTool(tool.definition)].bySteps)
    return preparePlan({ call, tool, args, permission }, context, previewing);
  return withPreview({ call, tool, args, risk, permission, ...touchedBy(effects) }, context, previewing);
}

/** What its tool puts before owners is something else, and they would be asked that. */
const refusedUnasked = (call: ToolCall, effects: Effects | undefined, permission: Permission): RefusedCall | null =>
  effects?.asks === false && permission.verdict === 'approve'
    ? refused('denied', call, { code: 'policy_denied', message: NOT_ASKED }, permission)
    : null;

const NOT_ASKED = 'it is not handed on without a yes, and nobody is asked about that';

const thrown = (error: unknown): CallError => ({
  code: 'invalid_arguments',
  message: messageOf(error),
  ...reasonOf(error),
});

/** What a call touches, whom it goes to, and whether it waits for no other call. */
const touchedBy = (effects: Effects | undefined): Pick<Executable, 'targets' | 'recipients' | 'apart'> => ({
  targets: effects?.targets ?? [],
  ...(effects?.recipients === undefined ? {} : { recipients: effects.recipients }),
  ...(effects?.apart === true ? { apart: true } : {}),
});

/** All that the governor is told of a call but for hooks and the owner's words; `own`: what those have to bear out. */
async function questionOf(
  {
    tool,
    facts: declared,
    args,
    risk,
    effects,
    rules,
  }: {
    readonly tool: RegisteredTool;
    readonly facts: ToolFacts;
    readonly args: Json;
    readonly risk: Risk;
    readonly effects: Effects | undefined;
    readonly rules: readonly Rule[];
  },
  context: PrepareContext,
) {
  const { tier, policy, canAsk, tellsBack, isOwner, isAsker } = context;
  const facts = effects?.asks === false ? { ...declared, asks: false } : declared;
  const recipients = effects?.recipients ?? null;
  const told = { tool: facts, args, risk, recipients, isOwner };
  const alike = await alikeTo({ tool, args, risk, effects, rules }, context);
  const standing = standingOn({ ...told, ...(alike === null ? {} : { alike }) }, rules);
  // Who is in Cc by an owner's rule was agreed to when it was made.
  const isCopied = (address: string) =>
    rules.some(({ effect, whom }) => effect === 'cc' && whom.some((one) => isOf(address, one)));
  const isAgreed = (address: string) => isCopied(address) || isAllowed(standing, address, rules);
  const sentTo = recipients === null ? [] : withoutCopied(recipients, { rules, isOwner, isCopied });
  const isGiven = (address: string) =>
    (recipients ?? []).some((one) => addressKey(one) === addressKey(address)) && isGivenBy(address, rules);
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
    values: values
      .filter(({ kind, value }) => kind !== 'address' || !isAgreed(value))
      .map((one) => (one.kind === 'address' && isGiven(one.value) ? { ...one, given: true as const } : one)),
    canAsk,
    tellsBack,
    forgetsOwn: await context.forgetsOwn(facts, args),
    standing,
    widens: effects?.widens === true,
    ...(recipients === null
      ? {}
      : {
          mail: {
            recipients: sentTo,
            isOwner,
            isAsker,
            isKnown: (one: string) => context.isKnown(one) || isAgreed(one),
          },
        }),
  };
  return { asked, own: { args: own, effects: recipientsBut(effects, isCopied) } };
}

/** To whom a mail is, by itself: whom it is sent to by rules alone makes it no mail to others. */
function withoutCopied(
  recipients: readonly string[],
  by: { readonly rules: readonly Rule[]; isOwner(address: string): boolean; isCopied(address: string): boolean },
): readonly string[] {
  const own = recipients.filter((address) => !by.isCopied(address));
  const copied = new Set(copiesBy(by.rules, own, by.isOwner).map(({ address }) => addressKey(address)));
  return recipients.filter((address) => !copied.has(addressKey(address)));
}

/** Whom a rule names that lets the call go is known by it; by one that yeses have taught nobody is who was not before. */
const isAllowed = ({ allow }: Standing, address: string, rules: readonly Rule[]): boolean =>
  rules.some(
    ({ id, whom, taught_json }) => id === allow && taught_json === null && whom.some((one) => isOf(address, one)),
  );

/** What rules that yeses have taught are held against; null: there is none that could be about this call. */
async function alikeTo(
  call: {
    readonly tool: RegisteredTool;
    readonly args: Json;
    readonly risk: Risk;
    readonly effects: Effects | undefined;
    readonly rules: readonly Rule[];
  },
  context: PrepareContext,
): Promise<Alike | null> {
  const { tool, args, risk, effects, rules } = call;
  const facts = factsOf(tool);
  if (!rules.some(({ taught_json, tools }) => taught_json !== null && tools.includes(facts.name))) return null;
  const { recipients = null, targets = [] } = effects ?? {};
  const likeness = likenessOf({ tool: facts, kind: context.kind, recipients, targets });
  // With a key in hand, after others' words were read, it is asked about as before.
  if (likeness === null || (facts.secrets === true && context.isTainted())) return null;
  const hasFiles = await takesFiles(tool, args, context);
  return {
    likeness: likenessKey(likeness),
    tier: context.tier,
    isTool: (fingerprint) => isFingerprintOf(tool, fingerprint),
    isPlain: isPlain({ risk, args, hasFiles }),
  };
}

/** Whether files go along; what cannot be looked at may have some. */
async function takesFiles(tool: RegisteredTool, args: Json, context: PrepareContext): Promise<boolean> {
  try {
    const preview = await tool.definition.preview?.(args as never, context.contextFor(tool));
    return (preview?.attachments ?? []).length > 0;
  } catch {
    return true;
  }
}

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
    return refused('invalid', call, thrown(error), permission);
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
  verdict: RefusedCall['verdict'],
  call: ToolCall,
  error: CallError,
  permission: Permission | null = null,
): RefusedCall {
  return { verdict, call, error, permission };
}

/** What was shown for that call, what is granted today and what is ready now: it has to be in each. */
function offSurface(call: ToolCall, tool: RegisteredTool, context: PrepareContext): RefusedCall | null {
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
