import type { Json, ModelMessage, ToolCall, ToolResult } from '#contract';
import { anyJson, readJson } from '../../lib/json.ts';
import { addressKey } from '../../mail/mime/address.ts';
import { shownIn } from '../../record/codec/run-events.ts';
import { ANSWER } from '../../record/declared.ts';
import type { CallOutcome, LoopState } from '../../record/state.ts';
import type { ForeignValue } from '../../storage/types/approvals.ts';
import { isId } from '../../suspensions/labels.ts';
import { DELEGATE } from '../delegated.ts';
import type { ToolFacts } from '../surface.ts';
import { phraseOf, type Value, valuesOfArguments } from './argument-values.ts';
import type { ShownPiece } from './shown.ts';
import { type TextValues, valuesInText } from './values.ts';

/** What a run was shown, for whoever has to know where a value of a call comes from. */
export interface ShownToRun {
  /** Whether the run was shown words of others: from then on, what it does may be their doing. */
  isExposed(): boolean;
  /** Whether it is a file that the persona made. */
  isOwnFile(path: string): Promise<boolean>;
  /** Values of an outward call that no trusted text has, once the run was shown words of others. */
  foreignIn(tool: ToolFacts, args: Json): Promise<readonly ForeignValue[]>;
  /** All values of a call that changes something, whoever has said them. */
  valuesIn(args: Json): Promise<readonly Value[]>;
  /** Whether somebody who may say so has named this address. */
  isNamed(address: string): boolean;
  /** Whether a page may send the run on to this URL. */
  mayFollow(url: string): Promise<boolean>;
}

/** What the persona wrote into it; `foreign`: somebody else's file; `none`: no file at all. */
export type FileOf = { readonly kind: 'own'; readonly text: string } | { readonly kind: 'foreign' | 'none' };

const MAX_FOREIGN = 20;
const MAX_SAID = 200;
/** Files that are checked for one call; a mail carries ten at most. */
const MAX_FILES = 50;
const MAX_PATH = 1024;

/**
 * Nothing is kept: what was shown is on record (the prompt, the run's own turns), so after a restart the same comes
 * out; and what the governor is told of it goes on record with its answer.
 */
export function createProvenance(options: {
  /** Texts of those who run the gateway: the prompt's system part, who is known, what owners answered. */
  readonly trusted: readonly string[];
  readonly shown: readonly ShownPiece[];
  readonly state: Pick<LoopState, 'messages' | 'outcomes'>;
  /** Null: a tool that is not there any more. */
  factsOf(tool: string): ToolFacts | null;
  /** Whose file this is: one that the persona has written may hold its own words. */
  fileOf(path: string): Promise<FileOf>;
  /** Whether the persona has written this, in a mail or a file, and did not take it from what it had read. */
  wroteItself(url: string): Promise<boolean>;
}): ShownToRun {
  const { trusted, shown, state, factsOf, fileOf, wroteItself } = options;
  const indexed = new Map<string, TextValues>();
  const indexOf = (text: string): TextValues => {
    const known = indexed.get(text) ?? valuesInText(text);
    indexed.set(text, known);
    return known;
  };
  const trustedTexts = [...trusted, ...shown.filter((piece) => piece.trusted).map(({ text }) => text)];
  const isTrusted = (value: Value): boolean =>
    trustedTexts.some(
      (text) =>
        has(indexOf(text), value) ||
        (nameOf(value) !== null && standsIn(text, nameOf(value))) ||
        (value.phrase !== undefined && ` ${phraseOf(text)} `.includes(` ${value.phrase} `)),
    );

  const isExposed = (): boolean =>
    shown.some(({ foreign }) => foreign) || state.outcomes.some((outcome) => taints(outcome, factsOf(outcome.tool)));

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
    if (scope.startsWith('web:')) return false;
    if (tool === 'resolve_ref') return isOwnRest(paths, all, at);
    if (scope.startsWith('mail:')) return isOwnTable(tool, paths);
    if (all.slice(0, at).some((earlier) => earlier.tool !== undefined && isShell(factsOf(earlier.tool)))) return true;
    // Only of a file that was named is it known who wrote it: a name in a list can be the persona's own words, too.
    const files = await filesAt(paths);
    return !files.some(({ kind }) => kind === 'foreign') || files.some(({ kind }) => kind === 'own');
  }

  /** A table is a file of the persona's as often as somebody's attachment; of an earlier mail nobody knows any more. */
  const isOwnTable = async (tool: string, paths: readonly string[]): Promise<boolean> =>
    (tool === 'query_table' && paths.length === 0) || (await filesAt(paths)).some(({ kind }) => kind === 'own');

  const filesAt = (paths: readonly string[]): Promise<FileOf[]> => Promise.all(paths.slice(0, MAX_FILES).map(fileOf));

  /** The rest of a result is as that result was; of one that is not there it is not known. */
  async function isOwnRest(refs: readonly string[], all: readonly Piece[], at: number): Promise<boolean> {
    for (const [before, piece] of all.slice(0, at).entries())
      if (refs.some((ref) => ref !== '' && piece.text.includes(ref))) return isOwn(piece, all, before);
    return true;
  }

  /** Whether a URL stands, as a whole, in what was read, before the model said it by itself. */
  async function wasRead(key: string): Promise<boolean> {
    const all = pieces();
    for (const [at, piece] of all.entries()) {
      const isThere = indexOf(piece.text).urls.has(key);
      // What it wrote in a mail comes back: found again, quoted, or passed on to it.
      if (isThere && !(await isOwn(piece, all, at))) return !(await wroteItself(key));
      if (isThere || (piece.own && mentions(piece.text, key))) return false;
    }
    return false;
  }

  /** A number of which only what was read says that it is money: one that it says nothing of is none. */
  const isMoney = ({ keys }: Value): boolean =>
    pieces().some(({ own, text }) => !own && keys.some((key) => indexOf(text).money.has(key)));

  /** Where it was read. What the tool for answers gives back are the model's own words; no number comes from a time or an id. */
  const originOf = (value: Value): string | null => {
    const read = pieces().filter(({ own, tool }) => !own && tool !== ANSWER);
    const isNumber = value.kind === 'amount';
    const inWords = ({ tool, text }: Piece) => (isNumber && tool !== undefined ? withoutTimesAndIds(text) : text);
    return read.find((piece) => has(indexOf(inWords(piece)), value))?.origin ?? null;
  };

  /** Whether a value needs nobody's word: a trusted text has it, or it is a page that was named as a whole. */
  async function isFree(value: Value, reads: boolean): Promise<boolean> {
    if (isTrusted(value)) return true;
    if (value.isBare === true) return !isMoney(value);
    return reads && value.kind === 'url' && wasRead(value.keys[0] ?? '');
  }

  /** A file that goes along and that the persona wrote says what the persona says, as the call's own words do. */
  async function valuesOfFiles(args: Json): Promise<Value[]> {
    const names = stringsOf(args).filter((text) => text.length <= MAX_PATH && !text.includes('\n'));
    const values: Value[] = [];
    for (const name of [...new Set(names)].slice(0, MAX_FILES)) {
      const file = await fileOf(name);
      if (file.kind !== 'own') continue;
      const read = valuesOfArguments(file.text, { changes: true, connects: false });
      values.push(...read.filter(({ isBare }) => isBare !== true).map((value) => ({ ...value, at: name })));
    }
    return values;
  }

  return {
    isExposed,
    isOwnFile: async (path) => (await fileOf(path)).kind === 'own',
    async foreignIn(tool, args) {
      if (tool.leaves !== true || tool.asks || !isExposed()) return [];
      const reads = tool.risk === 'read' && tool.scope === 'web:read';
      const reading = {
        changes: tool.risk !== 'read',
        connects: connects(tool),
        plans: tool.scope.startsWith('schedule:'),
      };
      // The id of a mail has the shape of an address. In our own tool it picks a mail that is known, and reaches nobody by itself.
      const isReached = ({ kind, at }: Value) => kind !== 'address' || tool.bundled !== true || !isId(tool.name, at);
      const values = [
        ...valuesOfArguments(args, reading).filter(isReached),
        ...(reading.changes ? await valuesOfFiles(args) : []),
      ];
      const found: ForeignValue[] = [];
      for (const value of values) {
        if (await isFree(value, reads)) continue;
        const { kind, said, at } = value;
        if (found.length >= MAX_FOREIGN) {
          found.push({ kind: 'words', value: 'and more of the kind', at, origin: null });
          break;
        }
        found.push({ kind, value: shortened(said), at, origin: originOf(value) });
      }
      return found;
    },
    valuesIn: async (args) => [
      ...valuesOfArguments(args, { changes: true, connects: false }),
      ...(await valuesOfFiles(args)),
    ],
    isNamed(address) {
      const key = addressKey(address);
      return key !== null && isTrusted({ kind: 'address', said: address, at: 'to', keys: [key] });
    },
    async mayFollow(url) {
      const value: Value = { kind: 'url', said: url, at: 'url', keys: [url] };
      return !isExposed() || isTrusted(value) || wasRead(url);
    },
  };
}

/** Both ends of what is long: where a URL leads can stand at either. */
const shortened = (said: string): string =>
  said.length <= MAX_SAID ? said : `${said.slice(0, MAX_SAID / 2)} … ${said.slice(-MAX_SAID / 2)}`;

type Piece = ShownPiece & { readonly paths: readonly string[] };

function piecesOf(message: ModelMessage, calls: ReadonlyMap<string, ToolCall>): Piece[] {
  if (message.role === 'assistant') {
    const said = message.toolCalls.map((call) => textOf(call.arguments ?? call.rawArguments ?? ''));
    const text = [message.text, ...said].join('\n');
    return [{ origin: 'the model itself', text, trusted: false, foreign: false, own: true, paths: [] }];
  }
  if (message.role !== 'tool') return [];
  return message.results.map((result) => pieceOf(result, calls.get(result.callId)));
}

/** As a program writes a time, the id of a mail and any other id. */
const TIMES_AND_IDS =
  /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?|<[^<>\s]{1,998}>|\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi;

const withoutTimesAndIds = (text: string): string => text.replace(TIMES_AND_IDS, ' ');

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
export const textOf = (value: Json): string => stringsOf(value).join('\n');

const MAX_STRINGS = 20_000;

export function stringsOf(value: Json): string[] {
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
  const value = readJson(anyJson, content);
  return value === undefined ? content : value;
}

const SETS = { url: 'urls', address: 'addresses', amount: 'amounts' } as const;

function has(values: TextValues, { kind, keys }: Value): boolean {
  if (kind === 'host' || kind === 'words') return false;
  if (kind === 'account') return keys.some((key) => key !== '' && values.hasAccount(key));
  return keys.some((key) => values[SETS[kind]].has(key));
}

/** The host that a value names and nothing besides: that much an owner says by naming the host. */
function nameOf({ kind, keys: [key = ''] }: Value): string | null {
  if (kind === 'host') return key;
  if (kind !== 'url') return null;
  const url = URL.parse(key);
  return url !== null && url.pathname === '/' && url.search === '' && url.username === '' ? url.host : null;
}

const PART_OF_NAME = /[\p{L}\p{N}@_-]/u;

/** Whether a name stands in a text as a whole: no part of a longer one, of an address or of a path. */
export function standsIn(text: string, name: string | null): boolean {
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

/** Whether the text names the address, with or without its scheme, in either spelling: written or percent-encoded. */
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

const connects = ({ scope, secrets, foreign }: ToolFacts): boolean =>
  /^(?:web|shell):/.test(scope) || secrets === true || foreign !== undefined;

// What does not taint a run, of all that calls come to. This is the one list of it: whatever does not stand in it does
// taint, whatever kind comes next. For words of mail it is `trusted` of `shown.ts`, and `clean` of our own answers. Not
// tainting never makes a value trusted: an address that stands only there is asked about.

const ATTACH = 'attach';

/** Tools of the gateway itself whose result says what the model gave, what was done with it, or what an owner typed. */
const CONFIRMING: ReadonlySet<string> = new Set([
  ...['answer_invitation', 'ask_owner', 'attach', 'delete_file', 'edit_file', 'forget', 'invite', 'propose_plan'],
  ...['propose_playbook', 'remember', 'remember_rule', 'schedule_task', 'send_email', 'write_file'],
]);

/** Failures of which the engine itself tells, in words of its own. */
const OWN_WORDS: ReadonlySet<string | null> = new Set([
  ...['policy_denied', 'policy_requires_approval', 'policy_rate_limited', 'policy_scope_missing'],
  ...['policy_quota_exceeded', 'skipped', 'side_effect_unknown', 'tool_timeout', 'tool_unknown', 'tool_not_found'],
  ...['outbound_transport_not_configured', 'unsupported_runtime_action', 'storage_failed'],
]);

/** Failures of which the code of a tool tells, also where it is only asked what a call would do. */
const OF_TOOLS: ReadonlySet<string | null> = new Set(['tool_failed', 'invalid_result']);

/** Whether somebody else's words may have come with what a call has come to. `tool`: null where it is not there any more. */
export function taints({ ok, code, made }: CallOutcome, tool: ToolFacts | null): boolean {
  if (!ok && OWN_WORDS.has(code)) return false;
  if (tool?.bundled !== true) return true;
  // Before a call of ours begins only its arguments are looked at.
  if (!ok) return made?.risk !== null || OF_TOOLS.has(code);
  // Its result says what somebody else has called the file.
  if (tool.name === ATTACH && Object.values(made?.call.arguments ?? {}).some((path) => /^\s*att_/.test(`${path}`)))
    return true;
  // A child run's answer is as clean as the run was that wrote it.
  if (tool.name === DELEGATE) return !saysClean(made?.content);
  return !CONFIRMING.has(tool.name);
}

function saysClean(content: string | undefined): boolean {
  if (content === undefined) return false;
  const { result } = shownIn(content);
  return typeof result === 'object' && result !== null && Reflect.get(result, 'tainted') === false;
}
