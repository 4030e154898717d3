import type { Json } from '#contract';
import { keyOf, type SettingChange } from '../../config/writing/settings.ts';
import { jsonObject } from '../../lib/json.ts';

/** Pure. A value as JSON: on one line where it fits into so many columns, else each member on lines of its own. */
export function jsonLines(value: Json, width: number): readonly string[] {
  const line = JSON.stringify(value);
  const members = Array.isArray(value)
    ? value.map((one: Json) => ['', one] as const)
    : Object.entries(jsonObject.safeParse(value).data ?? {}).map(
        ([key, one]) => [`${JSON.stringify(key)}: `, one] as const,
      );
  if (line.length <= width || members.length === 0) return [line];
  const [open = '', close = ''] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const inside = members.flatMap(([key, one], index) => {
    const [first = '', ...rest] = jsonLines(one, width - 3 - key.length);
    const lines = [key + first, ...rest];
    const isLast = index === members.length - 1;
    return lines.map((each, at) => `  ${each}${at === lines.length - 1 && !isLast ? ',' : ''}`);
  });
  return [open, ...inside, close];
}

/** Pure. What is written, for somebody who reads it on so many columns: what is, and what it becomes. */
export function changesShown(changes: readonly SettingChange[], width: number): readonly string[] {
  return changes.flatMap((one) => {
    const name = `${one.file}  ${keyOf(one)}:`;
    const [from, to] = [shown(one.from), shown(one.to)];
    const line = one.from === undefined ? `${name} ${to}` : `${name} ${from} -> ${to}`;
    if (line.length <= width) return [line];
    const inside = (value: Json | undefined) =>
      value === undefined ? [NOTHING] : jsonLines(value, width - 5).map((each) => each);
    const becomes = inside(one.to).map((each) => `  ${each}`);
    if (one.from === undefined) return [name, ...becomes];
    return [name, ...inside(one.from).map((each) => `  ${each}`), '  ->', ...becomes];
  });
}

const NOTHING = '(nothing)';

const shown = (value: Json | undefined): string => (value === undefined ? NOTHING : JSON.stringify(value));
