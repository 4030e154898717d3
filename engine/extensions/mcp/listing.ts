import type { JsonSchema } from '#contract';
import { isObject } from './lines.ts';

/** A tool as a server describes it. All of it is the server's word. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly onlyReads: boolean;
  readonly destroys: boolean;
  /** Why it cannot be used as it is described, in our words. Absent: it can, as far as can be seen here. */
  readonly wrong?: string;
}

export interface Listing {
  readonly tools: readonly ListedTool[];
  /** What was left out and has no name to call it by, in our words. */
  readonly left: readonly string[];
}

/** One page of `tools/list` as it came; rejects where it could not be had. */
export type AskPage = (cursor: string | undefined) => Promise<Readonly<Record<string, unknown>>>;

const MAX_PAGES = 20;

/**
 * The list of a server, tool by tool: what is wrong with one is said of that one. Of a list that breaks off, that has no
 * end or that begins again the tools so far are taken. Rejects where there is no list at all.
 */
export async function readList(ask: AskPage): Promise<Listing> {
  const { raw, ending } = await readPages(ask);
  const tools: ListedTool[] = [];
  const left: string[] = [];
  const names = new Set<string>();
  for (const [index, one] of raw.entries()) {
    const tool = readTool(one);
    if (tool === null) left.push(`tool ${index + 1} of its list has no name`);
    else if (names.has(tool.name)) left.push(`tool ${index + 1} of its list has the name of an earlier one`);
    else tools.push(tool);
    if (tool !== null) names.add(tool.name);
  }
  return { tools, left: ending === null ? left : [...left, ending] };
}

/** `ending`: how it ended where that is not its end. */
async function readPages(ask: AskPage): Promise<{ readonly raw: readonly unknown[]; readonly ending: string | null }> {
  const first = await ask(undefined);
  if (!Array.isArray(first.tools)) throw new NoList();
  const raw: unknown[] = [...first.tools];
  const seen = new Set<string>();
  let cursor = cursorOf(first);
  // The same once more would be read for ever.
  while (cursor !== null && !seen.has(cursor)) {
    if (seen.size + 1 >= MAX_PAGES) return { raw, ending: `its list has no end: what comes after tool ${raw.length}` };
    seen.add(cursor);
    const answer = await ask(cursor).catch((): Awaited<ReturnType<AskPage>> => ({}));
    if (!Array.isArray(answer.tools)) return { raw, ending: `its list breaks off after tool ${raw.length}` };
    for (const one of answer.tools) raw.push(one);
    cursor = cursorOf(answer);
  }
  return { raw, ending: null };
}

/** Some write null, or an empty text, at the end. */
const cursorOf = ({ nextCursor }: Awaited<ReturnType<AskPage>>): string | null =>
  typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : null;

/** What it answered is no list of tools. */
export class NoList extends Error {}

function readTool(raw: unknown): ListedTool | null {
  if (!isObject(raw) || typeof raw.name !== 'string' || raw.name.trim() === '') return null;
  const { name, description, inputSchema, annotations } = raw;
  const hints = isObject(annotations) ? annotations : {};
  const schema = readSchema(inputSchema);
  return {
    name,
    description: typeof description === 'string' ? description : '',
    inputSchema: schema ?? NO_ARGUMENTS,
    onlyReads: hints.readOnlyHint === true,
    destroys: hints.destructiveHint === true,
    ...(schema === null ? { wrong: 'the MCP server describes its arguments in a way that cannot be used' } : {}),
  };
}

const NO_ARGUMENTS: JsonSchema = { type: 'object', properties: {} };

/** Arguments are an object, whatever a server leaves unsaid; null where it says that they are something else. */
function readSchema(raw: unknown): JsonSchema | null {
  if (raw === undefined || raw === null) return NO_ARGUMENTS;
  if (!isObject(raw)) return null;
  if (raw.type === undefined || raw.type === null) return { ...raw, type: 'object' };
  return raw.type === 'object' ? raw : null;
}
