import type { Json, ToolCall } from '#contract';
import type { FromHook } from '../policy/permission.ts';
import { BY_PLAYBOOK } from '../policy/refusal.ts';
import type { Condition, PinnedPlaybook } from '../record/codec/playbook.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';

/** What conditions and templates of a playbook may look at. */
export interface PlaybookScope {
  readonly mail: {
    /** The address of whoever wrote it, and what stands behind its @. */
    readonly from: string;
    readonly domain: string;
    readonly name: string;
    readonly subject: string;
    readonly text: string;
    /** Of the run: `owner`, `member`, … */
    readonly tier: string;
    readonly attachments: number;
  };
  readonly thread: { readonly subject: string; readonly mails: number };
  /** Of the call that is judged. */
  readonly arguments?: Json;
  /** Results by the place of their step, from 1, as a model would get them. */
  readonly steps: Readonly<Record<string, Json>>;
}

const isObject = (value: unknown): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a place; undefined: there is none. */
function valueAt(scope: PlaybookScope | Json, place: string): Json | undefined {
  let value: unknown = scope;
  for (const key of place.split('.')) {
    if (Array.isArray(value)) value = /^\d{1,4}$/.test(key) ? value[Number(key)] : undefined;
    else value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    if (value === undefined) return undefined;
  }
  return value as Json;
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Whether all conditions hold. */
export const allHold = (conditions: readonly Condition[], scope: PlaybookScope | Json): boolean =>
  conditions.every((one) => holds(one, scope));

export function holds({ of, is, value = '' }: Condition, scope: PlaybookScope | Json): boolean {
  const found = valueAt(scope, of);
  const isThere = found !== undefined && found !== null && found !== '';
  const text = isThere ? textOf(found).toLowerCase() : '';
  const wanted = value.toLowerCase();
  switch (is) {
    case 'present':
      return isThere;
    case 'absent':
      return !isThere;
    case 'containing':
      return isThere && text.includes(wanted);
    case 'equal':
      return isThere && text === wanted;
    case 'not_equal':
      return !isThere || text !== wanted;
  }
}

/** In lower case with each character in its place: the small form of İ is longer than İ. */
const lowered = (text: string): string => text.replaceAll('İ', 'i').toLowerCase();

/** `line_after Order:` is the rest of the first line with that label, `word_after Order:` the first word of it. */
const LABELLED = /^mail\.(line|word)_after (.{1,80})$/s;

function resolve(expression: string, scope: PlaybookScope): Json | undefined {
  const [, what, label] = LABELLED.exec(expression) ?? [];
  if (label === undefined) return valueAt(scope, expression);
  const { text } = scope.mail;
  const at = lowered(text).indexOf(lowered(label));
  if (at < 0) return undefined;
  const from = at + label.length;
  const end = text.indexOf('\n', from);
  const line = text.slice(from, end < 0 ? undefined : end).trim();
  const found = what === 'line' ? line : (line.split(/\s/)[0] ?? '');
  return found === '' ? undefined : found;
}

const MAX_FILLED = 20_000;
const MAX_DEPTH = 20;

/** A template with every `{{place}}` filled in; null: a place has nothing in it. A template that is one place keeps its type. */
export function fillText(template: string, scope: PlaybookScope): Json | null {
  const parts: Json[] = [];
  let from = 0;
  for (;;) {
    const open = template.indexOf('{{', from);
    const close = open < 0 ? -1 : template.indexOf('}}', open);
    if (close < 0) break;
    const value = resolve(template.slice(open + 2, close).trim(), scope);
    if (value === undefined || value === null) return null;
    if (open === 0 && close === template.length - 2) return value;
    parts.push(template.slice(from, open), textOf(value));
    from = close + 2;
  }
  return [...parts, template.slice(from)].join('').slice(0, MAX_FILLED);
}

/** The same for all texts in a value; null: one of them cannot be filled. */
export function fill(value: Json, scope: PlaybookScope, depth = 0): Json | null {
  if (depth > MAX_DEPTH) return null;
  if (typeof value === 'string') return fillText(value, scope);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => ({
    key,
    given: each,
    filled: fill(each, scope, depth + 1),
  }));
  if (entries.some(({ given, filled }) => filled === null && given !== null)) return null;
  return Array.isArray(value)
    ? entries.map(({ filled }) => filled)
    : Object.fromEntries(entries.map(({ key, filled }) => [key, filled]));
}

/** What a playbook may look at of the mail that a run answers. */
export type MailScope = Pick<PlaybookScope, 'mail' | 'thread'>;

export function scopeOfMail({ run, message, thread, attachments }: LoadedRun): MailScope {
  const from = (run.sender ?? message.from_address ?? '').toLowerCase();
  return {
    mail: {
      from,
      domain: from.slice(from.lastIndexOf('@') + 1),
      name: message.from_name,
      subject: message.subject,
      text: message.new_text,
      tier: run.tier,
      attachments: attachments.length,
    },
    thread: { subject: thread.subject, mails: thread.message_count },
  };
}

const RESTRICTING: ReadonlySet<PinnedPlaybook['mode']> = new Set(['filter', 'policy'] as const);

/** What a playbook has against one call; empty: nothing. It denies and never allows. Pure. */
export function restrictionsOf(
  pinned: PinnedPlaybook | undefined,
  call: { readonly tool: string; readonly args: Json },
  scope: PlaybookScope,
): readonly FromHook[] {
  // What an owner has said needs no merit where it narrows.
  if (!pinned || !(RESTRICTING.has(pinned.mode) || pinned.said)) return [];
  const { deny } = pinned.playbook.narrow;
  const inScope = { ...scope, arguments: call.args };
  const rule = deny.find(({ tool, when = [] }) => tool === call.tool && allHold(when, inScope));
  return rule ? [{ by: `${BY_PLAYBOOK}${rule.rule}`, verdict: 'deny', reason: rule.reason }] : [];
}

/** The call with the arguments that the playbook has for it and the model has not given. Pure. */
export function withDefaults(pinned: PinnedPlaybook, call: ToolCall): ToolCall {
  if (!RESTRICTING.has(pinned.mode)) return call;
  const own = Object.hasOwn(pinned.playbook.defaults, call.name) ? pinned.playbook.defaults[call.name] : undefined;
  const given = call.arguments ?? (call.rawArguments === undefined ? {} : null);
  if (own === undefined || typeof given !== 'object' || given === null || Array.isArray(given)) return call;
  const added = Object.entries(own).filter(([name]) => !Object.hasOwn(given, name));
  return added.length === 0 ? call : { ...call, arguments: { ...given, ...Object.fromEntries(added) } };
}
