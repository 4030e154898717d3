import type { GenerateRequest, GenerateResponse, ToolCall } from '../../provider.ts';
import { DIALECTS, type DialectName, dialectsOf } from './dialects.ts';
import { readMarkup } from './read.ts';

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
