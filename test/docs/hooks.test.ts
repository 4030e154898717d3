import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { HOOK_EVENT_NAMES } from '#contract';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/hooks.md'), 'utf8');
const contract = readFileSync(join(root, 'engine/contract/hook-events.ts'), 'utf8');

const rows = [...page.matchAll(/^\| `(\w+)` \| (.+?) \| (.+) \|$/gm)].map(([, name = '', , data = '']) => ({
  name,
  data: [...data.matchAll(/`(\w+)`/g)].map(([, key]) => key).sort(),
}));

/** The names of fields in the types of one event, those that it shares with others counted in. */
function fieldsOf(name: string): string[] {
  const inside = (text: string): string[] => [...text.matchAll(/readonly (\w+):/g)].map(([, key = '']) => key);
  const declared =
    new RegExp(`readonly ${name}: ([\\s\\S]*?);\\n(?:  readonly |  /\\*\\*|})`).exec(contract)?.[1] ?? '';
  const shared = ['RunBegun', 'Delivery'].filter((type) => new RegExp(`\\b${type}\\b`).test(declared));
  const fields = shared.flatMap((type) =>
    inside(new RegExp(`interface ${type} \\{([\\s\\S]*?)\\n\\}`).exec(contract)?.[1] ?? ''),
  );
  return [...fields, ...inside(declared)].sort();
}

it('lists every event of hooks, in the order of the contract', () => {
  expect(rows.map(({ name }) => name)).toEqual([...HOOK_EVENT_NAMES]);
});

it.each(HOOK_EVENT_NAMES)('says what %s carries', (name) => {
  expect(rows.find((row) => row.name === name)?.data).toEqual(fieldsOf(name));
});
