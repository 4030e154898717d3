import type { GenerateRequest, GenerateResponse, ToolCall } from '../../provider.ts';
import { bareCalls } from './bare.ts';
import { readChannels } from './channels.ts';
import { DIALECTS, type DialectName, dialectsOf, startsWith, type Table, tableOf } from './dialects.ts';
import { type BrokenBy, before, type Reading } from './judge.ts';
import { Scan } from './scan.ts';
import type { WrittenCall } from './written-call.ts';

/** What a text of a model comes to when its own markup is read. */
export interface ReadText {
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
export function readMarkup(text: string, reading: Reading): ReadText {
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
function withoutHeadings(text: string, { headings }: Table): string {
  for (const { open, close } of headings) {
    if (close === null || !text.trimStart().startsWith(open)) continue;
    const at = text.indexOf(`\n${close}`);
    if (at >= 0) return text.slice(at + close.length + 1).trimStart();
  }
  return text;
}

/** Marks of a special token count wherever they stand around it all; a tag only where thinking stood before it. */
function unwrapped({ text, found }: Pick<ReadText, 'text' | 'found'>, { wraps }: Table): string {
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
function withoutEnds(text: string, { ends }: Table): string {
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
