import type { Json } from '../../json.ts';
import type { ToolSpec } from '../../provider.ts';

/** A call that stood in a text. */
export interface WrittenCall {
  readonly name: string;
  /** Undefined where they could not be read; then `raw` has them. */
  readonly arguments: Json | undefined;
  readonly raw: string;
}

export type Tools = readonly Pick<ToolSpec, 'name' | 'inputSchema'>[];
/** Undefined where the text holds anything but calls of its form. */
export type CallReader = (body: string, tools: Tools) => readonly WrittenCall[] | undefined;

/** The name as the tool was offered: models put a namespace, a number or a channel beside it. */
export function ownName(name: string, tools: Tools): string {
  const known = (one: string) => tools.some((tool) => tool.name === one);
  const trimmed = name.trim();
  if (known(trimmed)) return trimmed;
  const [bare = ''] = trimmed.split(/[:<\s]/, 1);
  const short = bare.slice(bare.lastIndexOf('.') + 1);
  return [bare, short].find(known) ?? (short === '' ? trimmed : short);
}

/** More than any turn has. */
export const MOST_CALLS = 100;

export const isObject = (value: unknown): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
