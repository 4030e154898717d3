import type { Json, ModelMessage, ToolCall, ToolResult } from '#contract';
import type { ApprovalRow } from '../../storage/approval-tables.ts';
import { canonicalJson, type LoopState } from '../loop/state.ts';
import { type Value, valuesOfArguments } from './argument-values.ts';
import type { Shown } from './shown.ts';
import type { ToolFacts } from './surface.ts';
import { type TextValues, type ValueKind, valuesInText } from './values.ts';

/** A value of a call that stands in no trusted text. */
export interface Foreign {
  readonly kind: ValueKind;
  readonly value: string;
  /** The argument that it stands in. */
  readonly at: string;
  /** Where it was read; null: nowhere, the model put it together itself. */
  readonly origin: string | null;
}

/** What a run was shown, for whoever has to know where a value of a call comes from. */
export interface Provenance {
  /** Of a call that leads outside, once the run was shown words of others: its values that no trusted text has. */
  foreignIn(tool: ToolFacts, args: Json): Promise<readonly Foreign[]>;
  /** Whether a page may send the run on to this URL. */
  mayFollow(url: string): Promise<boolean>;
}

const MAX_FOREIGN = 20;
const MAX_SAID = 200;

/**
 * Nothing is kept: what was shown is on record (the prompt, the run's own turns), so after a restart the same comes
 * out; and what the governor is told of it goes on record with its answer.
 */
export function createProvenance(options: {
  /** Texts of those who run the gateway: the prompt's system part, who is known, what owners answered. */
  readonly trusted: readonly string[];
  readonly shown: readonly Shown[];
  readonly state: Pick<LoopState, 'messages' | 'outcomes'>;
  /** Null: a tool that is not there any more. */
  factsOf(tool: string): ToolFacts | null;
  /** Whether the persona has written this file, so that what stands in it may be its own words. */
  wroteFile(path: string): Promise<boolean>;
}): Provenance {
  const { trusted, shown, state, factsOf, wroteFile } = options;
  const indexed = new Map<string, TextValues>();
  const indexOf = (text: string): TextValues => {
    const known = indexed.get(text) ?? valuesInText(text);
    indexed.set(text, known);
    return known;
  };
  const trustedTexts = [...trusted, ...shown.filter((piece) => piece.trusted).map(({ text }) => text)];
  const isTrusted = (value: Value): boolean =>
    trustedTexts.some((text) => has(indexOf(text), value) || (nameOf(value) !== null && standsIn(text, nameOf(value))));

  const isExposed = (): boolean =>
    shown.some(({ foreign }) => foreign) || state.outcomes.some((outcome) => isForeign(outcome, factsOf(outcome.tool)));

  /** All that the run was shown, in its order; results with the call that brought them. */
  function pieces(): Piece[] {
    const calls = new Map<string, ToolCall>();
    const turns = state.messages.flatMap((message): Piece[] => {
      if (message.role === 'assistant') for (const call of message.toolCalls) calls.set(call.id, call);
      return piecesOf(message, calls);
    });
    return [...shown.filter((piece) => !piece.trusted).map((piece) => ({ ...piece, paths: [] })), ...turns];
  }

  /** A result holds the model's own words where a command made it, or where it comes from a file that the persona wrote. */
  async function isOwn({ own, tool, paths }: Piece, all: readonly Piece[], at: number): Promise<boolean> {
    if (own || tool === undefined) return own;
    const scope = factsOf(tool)?.scope ?? 'shell:write';
    if (!/^(?:web|mail|files):read$/.test(scope)) return true;
    if (!scope.startsWith('files:')) return false;
    // Of what an earlier mail's run read of files nobody knows any more which.
    if (paths.length === 0) return true;
    if (all.slice(0, at).some((earlier) => earlier.tool !== undefined && isShell(factsOf(earlier.tool)))) return true;
    for (const path of paths) if (await wroteFile(path)) return true;
    return false;
  }

  /** Whether a URL stands, as a whole, in what was read, before the model said it by itself. */
  async function wasRead(key: string): Promise<boolean> {
    const all = pieces();
    for (const [at, piece] of all.entries()) {
      const isThere = indexOf(piece.text).urls.has(key);
      if (isThere && !(await isOwn(piece, all, at))) return true;
      if (isThere || (piece.own && mentions(piece.text, key))) return false;
    }
    return false;
  }

  /** A number of which only what was read says that it is money: one that it says nothing of is none. */
  const isMoney = ({ keys }: Value): boolean =>
    pieces().some(({ own, text }) => !own && keys.some((key) => indexOf(text).money.has(key)));

  const originOf = (value: Value): string | null =>
    pieces().find(({ own, text }) => !own && has(indexOf(text), value))?.origin ?? null;

  /** Whether a value needs nobody's word: a trusted text has it, or it is a page that was named as a whole. */
  async function isFree(value: Value, reads: boolean): Promise<boolean> {
    if (isTrusted(value)) return true;
    if (value.isBare === true) return !isMoney(value);
    return reads && value.kind === 'url' && wasRead(value.keys[0] ?? '');
  }

  return {
    async foreignIn(tool, args) {
      if (tool.leaves !== true || tool.asks || !isExposed()) return [];
      const reads = tool.risk === 'read' && tool.scope === 'web:read';
      const found: Foreign[] = [];
      for (const value of valuesOfArguments(args, { changes: tool.risk !== 'read', connects: connects(tool) })) {
        if (await isFree(value, reads)) continue;
        const { kind, said, at } = value;
        found.push({ kind, value: said.slice(0, MAX_SAID), at, origin: originOf(value) });
        if (found.length >= MAX_FOREIGN) break;
      }
      return found;
    },
    async mayFollow(url) {
      const value: Value = { kind: 'url', said: url, at: 'url', keys: [url] };
      return !isExposed() || isTrusted(value) || wasRead(url);
    },
  };
}

type Piece = Shown & { readonly paths: readonly string[] };

function piecesOf(message: ModelMessage, calls: ReadonlyMap<string, ToolCall>): Piece[] {
  if (message.role === 'assistant') {
    const said = message.toolCalls.map((call) => textOf(call.arguments ?? call.rawArguments ?? ''));
    const text = [message.text, ...said].join('\n');
    return [{ origin: 'the model itself', text, trusted: false, foreign: false, own: true, paths: [] }];
  }
  if (message.role !== 'tool') return [];
  return message.results.map((result) => pieceOf(result, calls.get(result.callId)));
}

const MAX_SHOWN_ARGUMENTS = 120;

function pieceOf({ name, content }: ToolResult, call: ToolCall | undefined): Piece {
  const args = call?.arguments ?? null;
  const shown = JSON.stringify(args);
  const cut = shown.length > MAX_SHOWN_ARGUMENTS ? `${shown.slice(0, MAX_SHOWN_ARGUMENTS)} …` : shown;
  const text = textOf(parsed(content));
  const paths = stringsOf(args);
  return { origin: `the result of ${name} ${cut}`, text, trusted: false, foreign: true, own: false, tool: name, paths };
}

/** All texts of a value, so that no escape of JSON stands where a web address ends. */
const textOf = (value: Json): string => stringsOf(value).join('\n');

const MAX_STRINGS = 20_000;

function stringsOf(value: Json): string[] {
  const found: string[] = [];
  const open: Json[] = [value];
  for (let seen = 0; open.length > 0 && seen < MAX_STRINGS; seen += 1) {
    const one = open.pop() as Json;
    if (typeof one === 'string') found.push(one);
    else if (typeof one === 'number') found.push(String(one));
    else if (typeof one === 'object' && one !== null) open.push(...Object.values(one).reverse());
  }
  return found;
}

function parsed(content: string): Json {
  try {
    const value: Json = JSON.parse(content);
    return value;
  } catch {
    return content;
  }
}

const SETS = { url: 'urls', address: 'addresses', amount: 'amounts' } as const;

const has = (values: TextValues, { kind, keys }: Value): boolean =>
  kind !== 'host' && keys.some((key) => values[SETS[kind]].has(key));

/** The host that a value names and nothing besides: that much an owner says by naming the host. */
function nameOf({ kind, keys: [key = ''] }: Value): string | null {
  if (kind === 'host') return key;
  if (kind !== 'url') return null;
  const url = URL.parse(key);
  return url !== null && url.pathname === '/' && url.search === '' && url.username === '' ? url.host : null;
}

const PART_OF_NAME = /[\p{L}\p{N}@_-]/u;

/** Whether a name stands in a text as a whole: no part of a longer one, of an address or of a path. */
function standsIn(text: string, name: string | null): boolean {
  if (name === null) return false;
  const lower = text.toLowerCase();
  for (let at = lower.indexOf(name); at >= 0; at = lower.indexOf(name, at + 1)) {
    const before = lower[at - 1] ?? ' ';
    const [after = ' ', next = ' '] = lower.slice(at + name.length);
    const goesOn = PART_OF_NAME.test(after) || (after === '.' && PART_OF_NAME.test(next));
    if (!goesOn && before !== '.' && !PART_OF_NAME.test(before)) return true;
  }
  return false;
}

/** As it was put together, with or without its scheme, as it is written or as it goes over the wire. */
function mentions(text: string, key: string): boolean {
  const bare = key.replace(/^\w+:\/\//, '').replace(/\/$/, '');
  const lower = text.toLowerCase();
  return [bare, decoded(bare)].some((one) => lower.includes(one.toLowerCase()));
}

function decoded(text: string): string {
  try {
    return decodeURI(text);
  } catch {
    return text;
  }
}

const isShell = (facts: ToolFacts | null): boolean => facts === null || facts.scope.startsWith('shell:');

const connects = ({ scope, secrets }: ToolFacts): boolean => /^(?:web|shell):/.test(scope) || secrets === true;

/** What a tool brought may be somebody else's words, and so may an error that quotes them. */
function isForeign({ ok, code }: LoopState['outcomes'][number], tool: ToolFacts | null): boolean {
  if (!ok && code !== 'tool_failed' && code !== 'invalid_result') return false;
  if (tool === null) return true;
  if (tool.asks) return false;
  // What only says that something was written, sent or planned tells nothing that the model did not know.
  return tool.risk === 'read' || tool.secrets === true || !/^(?:mail|files|schedule):/.test(tool.scope);
}

/** What owners have said in this run: their answers to its questions, and what they put into calls that they edited. */
export function ownersWords(approvals: readonly ApprovalRow[]): string[] {
  const answers = approvals.flatMap(({ kind, reason, decided_by }) =>
    kind === 'answer' && reason !== null && decided_by !== null ? [reason] : [],
  );
  const edits = approvals.flatMap((row, at) => {
    if (row.state !== 'stale' || row.reason !== 'edited') return [];
    const next = approvals.slice(at + 1).find(({ call_id }) => call_id === row.call_id);
    return next === undefined ? [] : changedIn(row.arguments_json, next.arguments_json);
  });
  return [...answers, ...edits];
}

function changedIn(before: string, after: string): string[] {
  const old = Object.entries(JSON.parse(before) as Record<string, Json>);
  const was = new Map(old.map(([name, value]) => [name, canonicalJson(value)]));
  return Object.entries(JSON.parse(after) as Record<string, Json>).flatMap(([name, value]) =>
    was.get(name) === canonicalJson(value) ? [] : [textOf(value)],
  );
}
