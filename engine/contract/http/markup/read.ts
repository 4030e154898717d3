import type { GenerateRequest, GenerateResponse, ToolCall, ToolSpec } from '../../provider.ts';
import { callOf, endOfCalls, readCalls } from './calls.ts';
import {
  DIALECTS,
  type DialectName,
  dialectsOf,
  indexOf,
  type Mark,
  type MarkTable,
  startsWith,
  tableOf,
} from './dialects.ts';
import {
  after,
  type Before,
  type BrokenBy,
  before,
  brokenBy,
  endOfResult,
  isInDocument,
  isPlaceholder,
  isQuoted,
  isSpoken,
  judgeClose,
  judgeReasoning,
  judgeResult,
  type MarkReading,
  type MarkVerdict,
  mentionTo,
  type Spot,
} from './judge.ts';
import { endOfValue, parsePythonCalls, parseValue } from './values.ts';
import { ownName, type WrittenCall } from './written-call.ts';

/** What a text of a model comes to when its own markup is read. */
interface ReadText {
  /** What is meant for whoever reads it; '' where nothing of it is an answer. */
  readonly text: string;
  readonly calls: readonly WrittenCall[];
  /** Why nothing of it is an answer, and no call was made out of it. Null: it is one. */
  readonly broken: BrokenBy | null;
  /** Whether anything was found; otherwise the text is as it came, to the byte. */
  readonly found: boolean;
}

/**
 * Takes reasoning and raw tool calls out of a text, where a model wrote them: at the start of the text or of a line, or
 * right behind a sentence. What is talked about (code, quotations, marks in the middle of a sentence, elements of a
 * document) stays as it is; what could be either is `unclear`, so that the model can be asked again.
 */
export function readMarkup(text: string, reading: MarkReading): ReadText {
  const none: ReadText = { text, calls: [], broken: null, found: false };
  const table = tableOf(reading.dialects);
  if (table.channels) {
    const said = readChannels(text, reading.tools);
    if (said.kind === 'broken') return broken(said.by);
    if (said.kind === 'read') return { text: said.text, calls: said.calls, broken: null, found: true };
  }
  const headed = withoutHeadings(text, table);
  const scanned = new Scan(headed, table, reading.tools).run();
  if (scanned.broken !== null) return broken(scanned.broken);
  const ended = withoutEnds(unwrapped(scanned, table), table);
  const bare = scanned.calls.length > 0 ? null : bareCalls(ended, reading);
  if (bare === 'cut') return broken('call');
  if (bare !== null) return { ...bare, broken: null, found: true };
  if (ended === text && scanned.calls.length === 0) return none;
  // Nothing was said beside it.
  if (ended.trim() === '' && scanned.calls.length === 0 && text.trim() !== '') return broken('reasoning');
  return { ...scanned, text: ended, found: true };
}

const broken = (by: BrokenBy): ReadText => ({ text: '', calls: [], broken: by, found: true });

/** The thinking has a heading of its own, the answer another one; both stand in lines of their own. */
function withoutHeadings(text: string, { headings }: MarkTable): string {
  for (const { open, close } of headings) {
    if (close === null || !text.trimStart().startsWith(open)) continue;
    const at = text.indexOf(`\n${close}`);
    if (at >= 0) return text.slice(at + close.length + 1).trimStart();
  }
  return text;
}

/** Marks of a special token count wherever they stand around it all; a tag only where thinking stood before it. */
function unwrapped({ text, found }: Pick<ReadText, 'text' | 'found'>, { wraps }: MarkTable): string {
  const trimmed = text.trim();
  for (const { open, close } of wraps) {
    const isToken = open.includes('|');
    if (close === null || !(isToken || found) || !startsWith(trimmed, open, 0)) continue;
    const isEnded = trimmed.toLowerCase().endsWith(close.toLowerCase());
    return trimmed.slice(open.length, isEnded ? -close.length : undefined).trim();
  }
  return text;
}

/** A token that ends a turn, right behind the text or in a line of its own. */
function withoutEnds(text: string, { ends }: MarkTable): string {
  for (let rest = text, tries = 0; tries < 5; tries++) {
    const trimmed = rest.trimEnd();
    const end = ends.find((mark) => trimmed.endsWith(mark));
    if (end === undefined) return rest;
    const at = trimmed.length - end.length;
    const place = before(trimmed, at, 0);
    if (place === 'spaced' || (place === 'sentence' && trimmed[at - 1] === ' ')) return rest;
    rest = trimmed.slice(0, at).trimEnd();
  }
  return text;
}

/** What was asked, as far as its answer is read by it. */
export interface AskedOf {
  readonly model: string;
  readonly tools?: GenerateRequest['tools'] | undefined;
  /** Dialects beside the usual ones, by the beginning of a model's id: `markup` of an adapter's config. */
  readonly markup?: Readonly<Record<string, readonly DialectName[]>> | undefined;
  /** An id for the call at this place of the turn, as the vendor takes it back. */
  idOf(index: number): string;
}

/** Which call of a vendor an answer is to. `turn` counts the assistant messages before it. */
export interface AnsweredCall extends Omit<AskedOf, 'idOf'> {
  readonly name: string;
  readonly turn: number;
}

/** The words and the calls of an answer. `markup`: what its text came to (`GenerateResponse`). */
export interface PlainAnswer {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly markup: NonNullable<GenerateResponse['markup']>;
  /** False where the text begins or ends within markup. */
  readonly whole: boolean;
}

/**
 * An answer without the model's own markup in its text. Calls that the vendor has read are all the calls there are; where
 * there are none, whole ones of the text take their place.
 */
export function plainAnswer(text: string, toolCalls: readonly ToolCall[], asked: AskedOf): PlainAnswer {
  const asItIs = { text, toolCalls, markup: 'none', whole: true } as const;
  if (text === '') return asItIs;
  const more = Object.entries(asked.markup ?? {}).flatMap(([start, names]) =>
    asked.model.startsWith(start) ? names : [],
  );
  const read = readMarkup(text, { dialects: [...dialectsOf(asked.model), ...more], tools: asked.tools ?? [] });
  if (!read.found) return asItIs;
  if (toolCalls.length > 0) return { text: read.text, toolCalls, markup: 'read', whole: true };
  if (read.broken !== null) return { text: '', toolCalls, markup: read.broken, whole: false };
  const calls = read.calls.map(({ name, arguments: given, raw }, index): ToolCall => {
    const id = asked.idOf(index);
    return given === undefined ? { id, name, arguments: given, rawArguments: raw } : { id, name, arguments: given };
  });
  return { text: read.text, toolCalls: calls, markup: 'read', whole: true };
}

/** The names of all dialects, for the settings of an adapter. */
export const DIALECT_NAMES = Object.keys(DIALECTS) as [DialectName, ...DialectName[]];

/** With more marks than this a text is no answer. */
const MOST_MARKS = 200;

/** One pass over a text, mark by mark; what is cut out leaves two texts that are looked at one after the other. */
class Scan {
  readonly #text: string;
  readonly #table: MarkTable;
  readonly #tools: MarkReading['tools'];
  readonly #zones: Zones;
  #begin = 0;
  #kept: string[] = [];
  #hasWords = false;
  #calls: WrittenCall[] = [];
  /** Opening marks that are talked about, so that their closing marks are, too. */
  readonly #mentioned = new Set<string>();
  #found = false;

  constructor(text: string, table: MarkTable, tools: MarkReading['tools']) {
    this.#text = text;
    this.#table = table;
    this.#tools = tools;
    this.#zones = new Zones(text);
  }

  run(): ReadText {
    const text = this.#text;
    let marks = 0;
    for (let at = 0; at < text.length; ) {
      const mark = this.#markAt(at);
      if (!mark) {
        at++;
        continue;
      }
      marks++;
      const verdict = marks > MOST_MARKS ? brokenBy('unclear') : this.#judge(mark, at);
      if (verdict.is === 'broken') return { text: '', calls: [], broken: verdict.by, found: true };
      if (verdict.is !== 'mention') this.#take(verdict, at);
      else if (mark.kind === 'reasoning') this.#mentioned.add(mark.open);
      at = verdict.to;
    }
    if (!this.#found) return { text, calls: [], broken: null, found: false };
    // What a model writes behind its calls is what it imagines to be told.
    if (this.#calls.length === 0) this.#keep(text.length);
    return { text: joined(this.#kept), calls: this.#calls, broken: null, found: true };
  }

  #take(verdict: Exclude<MarkVerdict, { is: 'mention' | 'broken' }>, at: number): void {
    this.#found = true;
    if (verdict.is === 'begun_inside') {
      this.#kept = [];
      this.#hasWords = false;
      this.#calls = [];
    } else if (this.#calls.length === 0) this.#keep(at);
    if (verdict.is === 'calls') this.#calls.push(...verdict.calls);
    this.#begin = verdict.to;
    this.#zones.restart(verdict.to);
  }

  #keep(to: number): void {
    const piece = this.#text.slice(this.#begin, to);
    this.#kept.push(piece);
    this.#hasWords ||= piece.trim() !== '';
  }

  #markAt(at: number): Mark | undefined {
    const first = this.#text.slice(at, at + 2).toLowerCase();
    return this.#table.marks.get(first)?.find(({ open }) => startsWith(this.#text, open, at));
  }

  #judge(mark: Mark, at: number): MarkVerdict {
    const text = this.#text;
    const to = at + mark.open.length;
    const [place, next] = [this.#place(at), after(text, to)];
    const spot: Spot = { text, mark, begin: this.#begin, at, to, place, next };
    if (mark.open.startsWith('```') && place !== 'line' && place !== 'start') return mentionTo(to);
    if (this.#zones.isProtected(at)) {
      const isLost = mark.kind === 'close' && next === 'line' && !this.#zones.isInClosedFence(at);
      return isLost ? brokenBy('unclear') : mentionTo(to);
    }
    if (isQuoted(text, at, to)) return mentionTo(to);
    switch (mark.kind) {
      case 'reasoning':
        return judgeReasoning(spot);
      case 'close':
        return this.#mentioned.has(mark.close ?? '') ? mentionTo(to) : judgeClose(spot);
      case 'call':
        return judgeCall(spot, this.#tools);
      case 'result':
        return this.#calls.length > 0 ? { is: 'cut', to: endOfResult(spot) } : judgeResult(spot);
    }
  }

  /** Right behind what was cut out of a text with words a mark begins a line, and not the text. */
  #place(at: number): Before {
    const isBehind = this.#hasWords && this.#text.slice(this.#begin, at).trim() === '';
    return isBehind ? 'line' : before(this.#text, at, this.#begin);
  }
}

/** What is left of a text, without a gap where something was taken out. */
function joined(pieces: readonly string[]): string {
  let text = '';
  for (const piece of pieces) {
    if (text === '') {
      text = piece.trim() === '' ? '' : piece;
      continue;
    }
    if (piece.trim() === '') continue;
    const gap = /\n[ \t]*$/.test(text) || /^[ \t]*\n/.test(piece) ? '\n\n' : ' ';
    text = text.trimEnd() + gap + piece.trimStart();
  }
  return text.trim();
}

type Tools = MarkReading['tools'];

/** What a call's marks hold, and where it ends. */
interface Body {
  readonly body: string;
  readonly to: number;
}

function judgeCall(spot: Spot, tools: Tools): MarkVerdict {
  const found = bodyOf(spot, tools);
  if (found !== undefined && isQuoted(spot.text, spot.at, found.to)) return mentionTo(found.to);
  const calls = found === undefined ? undefined : readCalls(found.body, tools);
  return found && calls ? judgeWhole(spot, { ...found, calls }, tools) : judgeUnread(spot, found, tools);
}

function judgeWhole(
  spot: Spot,
  { to, calls }: Body & { readonly calls: readonly WrittenCall[] },
  tools: Tools,
): MarkVerdict {
  const { mark, place, text } = spot;
  const areOffered = calls.every(({ name }) => tools.some((tool) => tool.name === name));
  if (mark.onlyOffered && !areOffered) return mentionTo(spot.to);
  if (isInDocument(spot, to)) return mentionTo(to);
  // A model that calls says nothing more in that line: a sentence that goes on behind it is about the call.
  const goesOn = isSpoken(after(text, to));
  if (goesOn && place === 'start') return mentionTo(to);
  return place === 'spaced' || goesOn ? brokenBy('unclear') : { is: 'calls', to, calls };
}

/** Marks around something that is no call: one that was cut off, one that went wrong, or a word about them. */
function judgeUnread({ mark, text, to, place, next }: Spot, found: Body | undefined, tools: Tools): MarkVerdict {
  const inside = text.slice(to).trimStart();
  const isCut = beginsCall(inside.replace(/^print\(/, ''), tools) && endOfValue(inside, 0) < 0;
  if (mark.onlyOffered) return isCut ? brokenBy('call') : mentionTo(to);
  const isTold = isSpoken(next) && !isCut;
  if (place === 'spaced' || (isTold && place !== 'start')) return mentionTo(to);
  if (found !== undefined && isPlaceholder(found.body)) return mentionTo(found.to);
  return brokenBy(isTold ? 'unclear' : 'call');
}

const isPrefix = ({ open }: Mark): boolean => open.endsWith('=') || open.endsWith('"');

function bodyOf(spot: Spot, tools: Tools): Body | undefined {
  const { text, mark, at, to } = spot;
  const from = isPrefix(mark) ? at : to;
  const closed = closedBody(spot, tools);
  if (closed) return closed;
  // The closing mark is often the token that a server stops at.
  const rest = text.slice(from).trim();
  if (readCalls(rest, tools)) return { body: rest, to: text.length };
  const ended = endOfCalls(text, from);
  const body = ended > 0 ? text.slice(from, ended) : '';
  if (readCalls(body, tools)) return { body, to: ended };
  const end = mark.close === null ? -1 : indexOf(text, mark.close, to);
  return end < 0 ? undefined : { body: text.slice(to, end), to: end + (mark.close ?? '').length };
}

const MOST_CLOSES = 20;

/** Up to the first closing mark with which it is a call: a value may hold the mark, too. */
function closedBody({ text, mark, at, to }: Spot, tools: Tools): Body | undefined {
  const { close } = mark;
  if (close === null) return undefined;
  const starts = isPrefix(mark);
  let end = indexOf(text, close, to);
  for (let tries = 0; end >= 0 && tries < MOST_CLOSES; tries++) {
    const past = end + close.length;
    const body = text.slice(starts ? at : to, starts ? past : end);
    if (readCalls(body, tools)) return { body, to: past };
    end = indexOf(text, close, end + 1);
  }
  return undefined;
}

/** Calls without any mark: what stands before them, or a text that goes no further than into one. */
type Bare = { readonly text: string; readonly calls: readonly WrittenCall[] } | 'cut';

/** With more lines than this that may begin one a text holds none. */
const MOST_LINES = 200;

/** Llama and others write a call without any mark: as all of the text, or from a line on to its end. */
function bareCalls(text: string, { tools }: MarkReading): Bare | null {
  const trimmed = text.trim();
  if (tools.length === 0) return null;
  const inner = withoutFence(trimmed);
  if (inner.startsWith('{') || inner.startsWith('[')) {
    const calls = readCalls(inner, tools);
    if (calls && (calls.every(({ name }) => isOffered(name, tools)) || isOnlyCalls(inner, tools))) {
      return { text: '', calls };
    }
    if (beginsCall(inner, tools) && endOfValue(inner, 0) < 0) return 'cut';
  } else if (beginsCall(inOpenFence(inner), tools) && endOfValue(inOpenFence(inner), 0) < 0) {
    return 'cut';
  } else if (/^[\w.]{1,64}\(/.test(inner)) {
    const calls = parsePythonCalls(inner);
    const own = calls?.map((call) => ({ name: ownName(call.name, tools), arguments: call.arguments, raw: '' }));
    if (own?.every(({ name }) => isOffered(name, tools))) return { text: '', calls: own };
  }
  return trailingCall(text, tools);
}

const isOffered = (name: string, tools: MarkReading['tools']): boolean => tools.some((tool) => tool.name === name);

const CALL_KEYS: ReadonlySet<string> = new Set(['type', 'id', 'name', 'arguments', 'parameters']);

/** An object with a name and arguments and nothing else is a call also of a tool that there is none of. */
function isOnlyCalls(text: string, tools: MarkReading['tools']): boolean {
  const value = parseValue(text);
  const items = Array.isArray(value) ? value : [value];
  return items.every((item) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return false;
    const keys = Object.keys(item);
    const hasBoth = keys.includes('name') && (keys.includes('arguments') || keys.includes('parameters'));
    const isName = 'name' in item && typeof item.name === 'string' && /^[\w.-]{1,64}$/.test(item.name);
    return hasBoth && isName && keys.every((key) => CALL_KEYS.has(key)) && callOf(item, tools) !== undefined;
  });
}

/** A text that goes no further than into a call of a tool that was offered. */
function beginsCall(text: string, tools: MarkReading['tools']): boolean {
  const [, inJson, inPython] =
    /^\[?\s{0,20}(?:\{\s{0,20}(?:"type"\s{0,20}:\s{0,20}"function"\s{0,20},\s{0,20})?"(?:name|tool_name|function|tool)"\s{0,20}:\s{0,20}"([\w.:-]{1,100})"|([\w.]{1,100})\()/.exec(
      text,
    ) ?? [];
  const name = inJson ?? inPython;
  return name !== undefined && isOffered(ownName(name, tools), tools);
}

/** A fence that is not closed, and holds nothing but the beginning of a call. */
const inOpenFence = (text: string): string => text.replace(/^```(?:json|tool_code|python)?[ \t]{0,4}\n/, '');

function withoutFence(text: string): string {
  const fence = /^```(?:json|tool_code|python)?[ \t]{0,4}\n/.exec(text);
  if (!fence || !text.endsWith('```')) return text;
  const inner = text.slice(fence[0].length, -3);
  return inner.includes('```') ? text : inner.trim();
}

function trailingCall(text: string, tools: MarkReading['tools']): Bare | null {
  const zones = new Zones(text);
  for (let at = text.indexOf('\n'), tries = 0; at >= 0 && tries < MOST_LINES; at = text.indexOf('\n', at + 1)) {
    const from = at + 1;
    if (text[from] !== '{' && text[from] !== '[') continue;
    tries++;
    const rest = text.slice(from);
    if (!beginsCall(rest, tools) || zones.isProtected(from)) continue;
    const calls = readCalls(rest, tools);
    if (calls?.every(({ name }) => isOffered(name, tools))) {
      return { text: text.slice(0, from).trimEnd(), calls };
    }
    if (endOfValue(rest, 0) < 0) return 'cut';
  }
  return null;
}

/** Where a text is code or a quotation, so that marks in it are talked about. It only goes forward. */
class Zones {
  readonly #text: string;
  /** The fence that is open, as it was opened; '' outside of any. */
  #fence = '';
  /** Start of the line that was looked at last, and where what is looked at began. */
  #line: number;
  #begin: number;
  #spans: readonly (readonly [number, number])[] = [];
  #spansOf = -1;

  constructor(text: string, begin = 0) {
    this.#text = text;
    this.#begin = begin;
    this.#line = begin;
  }

  /** What comes from here on is a text of its own. */
  restart(begin: number): void {
    this.#fence = '';
    this.#begin = begin;
    this.#line = begin;
    this.#spansOf = -1;
  }

  /** Whether a mark at this place is code or quoted, by the lines before it and its own. */
  isProtected(at: number): boolean {
    this.#walkTo(at);
    if (this.#fence !== '') return true;
    const line = this.#text.slice(this.#line, at);
    if (/^ {0,3}>/.test(line) || /^(?: {4}|\t)/.test(line)) return true;
    if (this.#text[at - 1] === '\\') return true;
    if (this.#spansOf !== this.#line) {
      this.#spans = codeSpans(this.#text, this.#line, endOfLine(this.#text, this.#line));
      this.#spansOf = this.#line;
    }
    return this.#spans.some(([from, to]) => from <= at && at < to);
  }

  /** Whether the fence that is open at this place is closed further on. */
  isInClosedFence(at: number): boolean {
    this.#walkTo(at);
    if (this.#fence === '') return true;
    for (let line = endOfLine(this.#text, at) + 1; line < this.#text.length; line = endOfLine(this.#text, line) + 1) {
      if (closes(this.#text.slice(line, endOfLine(this.#text, line)), this.#fence)) return true;
    }
    return false;
  }

  #walkTo(at: number): void {
    for (;;) {
      const end = endOfLine(this.#text, this.#line);
      if (end >= at) return;
      const line = this.#text.slice(this.#line, end);
      if (this.#fence === '') this.#fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line.slice(0, 200))?.[1] ?? '';
      else if (closes(line, this.#fence)) this.#fence = '';
      this.#line = end + 1;
    }
  }

  get begin(): number {
    return this.#begin;
  }
}

const closes = (line: string, fence: string): boolean => {
  const text = line.slice(0, 200).trim();
  return text.length >= fence.length && text === (fence[0] ?? '').repeat(text.length);
};

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

/** Runs of backticks, each with the next run as long as it. */
function codeSpans(text: string, from: number, to: number): readonly (readonly [number, number])[] {
  const runs: { readonly at: number; readonly length: number }[] = [];
  for (let at = text.indexOf('`', from); at >= 0 && at < to; ) {
    let end = at;
    while (text[end] === '`') end++;
    runs.push({ at, length: end - at });
    at = text.indexOf('`', end);
  }
  const spans: (readonly [number, number])[] = [];
  const lastOf = new Map<number, number>();
  for (const [index, run] of runs.entries()) lastOf.set(run.length, index);
  for (let index = 0; index < runs.length; index++) {
    const open = runs[index];
    if (!open || (lastOf.get(open.length) ?? -1) <= index) continue;
    const close = runs.findIndex((run, other) => other > index && run.length === open.length);
    const end = runs[close];
    if (!end) continue;
    spans.push([open.at, end.at + end.length]);
    index = close;
  }
  return spans;
}

const CHANNEL = '<|channel|>';
const MESSAGE = '<|message|>';
const START = '<|start|>';
const ENDS = ['<|end|>', '<|return|>', '<|call|>', START, CHANNEL] as const;
const NAMES = ['analysis', 'commentary', 'final'] as const;

/** What is said in which channel; `none`: the text holds no channels. */
type Channels =
  | { readonly kind: 'none' }
  | { readonly kind: 'read'; readonly text: string; readonly calls: readonly WrittenCall[] }
  | { readonly kind: 'broken'; readonly by: 'reasoning' | 'call' };

interface Message {
  readonly channel: string;
  readonly to: string | null;
  readonly text: string;
  readonly isEnded: boolean;
}

/**
 * A text with the channels of gpt-oss (OpenAI's harmony format), or what is left of them where a server has taken the
 * special tokens out: `analysis…assistantfinal…`. The final channel is the answer.
 */
function readChannels(text: string, tools: readonly Pick<ToolSpec, 'name'>[]): Channels {
  const whole = withTokens(text);
  const first = firstHeader(whole);
  if (first < 0) return { kind: 'none' };
  const before = whole.slice(0, first).trim();
  const messages = messagesFrom(whole, first);
  const calls = messages.filter(({ to }) => to !== null).map((message) => channelCallOf(message, tools));
  const finals = messages.filter(({ channel, to }) => channel === 'final' && to === null);
  const last = messages.at(-1);
  if (calls.length > 0) {
    const whole = calls.flatMap((call) => (call?.arguments === undefined ? [] : [call]));
    return whole.length < calls.length ? { kind: 'broken', by: 'call' } : { kind: 'read', text: before, calls: whole };
  }
  if (finals.length > 0)
    return { kind: 'read', text: finals.map((message) => message.text.trim()).join('\n\n'), calls: [] };
  // A preamble is for whoever reads; what stands before all channels is, too, unless the first of them was cut off it.
  const said = messages.filter(({ channel }) => channel === 'commentary').map((message) => message.text.trim());
  if (last?.channel === 'analysis' && !last.isEnded) return { kind: 'broken', by: 'reasoning' };
  const words = [before, ...said].filter((each) => each !== '').join('\n\n');
  return words === '' ? { kind: 'broken', by: 'reasoning' } : { kind: 'read', text: words, calls: [] };
}

/** Only a channel's name with the mark of its message behind it is a header; the mark alone may be what a mail is about. */
function firstHeader(text: string): number {
  for (let at = text.indexOf(CHANNEL); at >= 0; at = text.indexOf(CHANNEL, at + 1)) {
    const isMentioned = /[`"'“„«]$/.test(
      text.slice(Math.max(0, at - START.length - 10), at).replace(`${START}assistant`, ''),
    );
    if (!isMentioned && isAtStart(text, at) && headerAt(text, at)) {
      const start = text.lastIndexOf(START, at);
      return start >= 0 && at - start < 80 ? start : at;
    }
  }
  return -1;
}

/** At the start of the text or of a line, behind another mark, or right behind a sentence. */
function isAtStart(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 80), at).replace(/<\|start\|>assistant[^<]{0,60}$/, '');
  return /(?:^|\n|[.!?…。:]|\|>)[ \t]{0,4}$/.test(before) && !isInFence(text, at);
}

function isInFence(text: string, at: number): boolean {
  let count = 0;
  for (let from = text.indexOf('```'); from >= 0 && from < at; from = text.indexOf('```', from + 3)) count++;
  return count % 2 === 1;
}

function headerAt(
  text: string,
  at: number,
): { readonly channel: string; readonly to: string | null; readonly end: number } | undefined {
  const from = at + CHANNEL.length;
  const end = text.indexOf(MESSAGE, from);
  if (end < 0 || end - from > 200) return undefined;
  const header = text.slice(from, end);
  const channel = NAMES.find((name) => header.trimStart().startsWith(name));
  if (channel === undefined || header.includes('\n')) return undefined;
  const before = text.slice(Math.max(0, at - 100), at);
  const to =
    /to=([\w.:-]{1,100})/.exec(header)?.[1] ?? /<\|start\|>assistant to=([\w.:-]{1,100})$/.exec(before)?.[1] ?? null;
  return { channel, to, end: end + MESSAGE.length };
}

function messagesFrom(text: string, first: number): readonly Message[] {
  const messages: Message[] = [];
  let at = text.indexOf(CHANNEL, first);
  while (at >= 0) {
    const header = headerAt(text, at);
    if (!header) break;
    const ends = ENDS.map((mark) => text.indexOf(mark, header.end)).filter((place) => place >= 0);
    const end = ends.length === 0 ? text.length : Math.min(...ends);
    messages.push({ ...header, text: text.slice(header.end, end), isEnded: end < text.length });
    at = text.indexOf(CHANNEL, end);
  }
  return messages;
}

function channelCallOf({ to, text }: Message, tools: readonly Pick<ToolSpec, 'name'>[]): WrittenCall | undefined {
  if (to === null) return undefined;
  const name = ownName(
    to,
    tools.map((tool) => ({ ...tool, inputSchema: {} })),
  );
  return { name, arguments: text.trim() === '' ? {} : parseValue(text), raw: text };
}

const BARE = /assistant(analysis|commentary|final)(?: to=([\w.:-]{1,100}))?(?: ?(?:json|code))?/g;

/** Puts the tokens back where all of them are gone, in a text that begins with a channel's name and no blank behind it. */
function withTokens(text: string): string {
  const begun = /^\s{0,20}(analysis|commentary)(?= to=|[^\s\w]|[A-Z0-9])/.exec(text);
  if (!begun || text.includes(CHANNEL)) return withStart(text);
  const rest = text.slice(begun[0].length);
  const isMarked = begun[1] === 'commentary' || /assistant(?:final|commentary|analysis)/.test(rest);
  if (!isMarked) return text;
  const to = /^ to=([\w.:-]{1,100}?)(?: ?(?:json|code))?(?=\{)/.exec(rest);
  if (begun[1] === 'commentary' && !to && !/assistant(?:final|commentary|analysis)/.test(rest)) return text;
  const head = `${CHANNEL}${begun[1]}${to ? ` to=${to[1]}` : ''}${MESSAGE}`;
  const body = rest.slice(to?.[0].length ?? 0);
  return (
    head +
    body.replaceAll(BARE, (_, channel: string, recipient?: string) => {
      const target = recipient === undefined ? '' : ` to=${recipient.replace(/(?:json|code)$/, '')}`;
      return `<|end|>${START}assistant${CHANNEL}${channel}${target}${MESSAGE}`;
    })
  );
}

/** The first token may be lost alone: `analysis<|message|>…`. */
function withStart(text: string): string {
  const begun = text.trimStart();
  // Nothing but `<|constrain|>` stands between the two.
  if (/^(?:analysis|commentary|final)[^\n<]{0,100}(?:<\|constrain\|>[^\n<]{0,40})?<\|message\|>/.test(begun))
    return CHANNEL + begun;
  if (/^to=[\w.:-]{1,100}[^\n<]{0,40}(?:<\|constrain\|>[^\n<]{0,40})?<\|message\|>/.test(begun))
    return `${CHANNEL}commentary ${begun}`;
  if (begun.startsWith(MESSAGE)) return `${CHANNEL}final${begun}`;
  return /^assistantfinal[A-Z*#]/.test(begun) ? CHANNEL + begun.replace('assistantfinal', `final${MESSAGE}`) : text;
}
