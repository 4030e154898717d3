import type { Json } from '#contract';
import { type Evidence, nameOfSource } from './evidence.ts';

/** What one name in a declaration stands for: results of the run, newest state of their source. */
export interface NamedEvidence {
  readonly named: string;
  /** Empty where nothing of the run is called so. */
  readonly items: readonly Evidence[];
}

const KEYS = ['id', 'path', 'url', 'message_id', 'ref', 'name'];

/** A result that lists things under ids is called by each of them, such as the sections of a file. */
const lists = (result: Json, id: string): boolean =>
  typeof result === 'object' &&
  result !== null &&
  Object.values(result).some((value) => Array.isArray(value) && value.some((entry) => field(entry, 'id') === id));

const field = (result: Json, key: string): unknown =>
  typeof result === 'object' && result !== null ? Reflect.get(result, key) : undefined;

/**
 * The results that a name means: a call's id, a ref, or what the result itself says that it is from (path, URL, attachment
 * id, the id of one of its entries), by its whole name or by its last part; or the one result of a tool. Of a source that was read anew only what
 * still holds.
 */
export function foundBy(named: string, evidence: readonly Evidence[], drifted: ReadonlySet<string>): NamedEvidence {
  const name = named
    .trim()
    .replace(/^\[|\]$/g, '')
    .replace(/^(?:attachment|call|ref|source)[: ]\s*/i, '')
    .trim();
  const byId = evidence.filter((item) => item.id === name);
  if (byId.length > 0) return { named, items: byId };
  const bySource = evidence.filter(
    (item) =>
      item.ref === name ||
      item.source === name ||
      KEYS.some((key) => field(item.result, key) === name) ||
      lists(item.result, name),
  );
  const byEnd =
    bySource.length > 0 ? bySource : evidence.filter((item) => nameOfSource(item) === name && item.tool !== name);
  const byTool = evidence.filter((item) => item.tool === name);
  const items = byEnd.length > 0 ? byEnd : byTool.length === 1 ? byTool : [];
  const holding = items.filter((item) => item.ok && !drifted.has(item.id) && item.risk === 'read');
  return { named, items: holding.length > 0 ? holding : items };
}

/** Results as they were read, pages of one text put together so that a table goes on from one to the next. */
export function resultsOf(items: readonly Evidence[]): readonly Json[] {
  const groups = Map.groupBy(items, (item) => `${item.tool} ${item.source}`);
  return [...groups.values()].flatMap((group) =>
    group.length > 1 ? joined(group) : group.map(({ result }) => result),
  );
}

function joined(group: readonly Evidence[]): readonly Json[] {
  const texts = group.flatMap(({ result }) => {
    const text = field(result, 'text');
    return typeof text === 'string' ? [text] : [];
  });
  if (texts.length < group.length) return group.map(({ result }) => result);
  const byLines = group.some(({ result }) => field(result, 'total_lines') !== undefined);
  const [first] = group;
  return [{ ...(Object(first?.result) as Record<string, Json>), text: [...new Set(texts)].join(byLines ? '\n' : '') }];
}
