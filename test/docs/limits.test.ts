import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { personaSchema } from '../../engine/config/persona-schema.ts';
import { gatewaySchema, inferenceSchema, securitySchema } from '../../engine/config/schemas.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Numbers that bound no mail: ports, and how a model answers and what it costs. */
const NO_LIMITS = [/(?:^|\.|_)port$/, /(?:^|\.)temperature$/, /^prices\./];

interface Node {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | boolean;
  readonly items?: Node;
}

/** Each number of a file, by its key. */
function* numbersOf(node: Node, key = ''): Generator<string> {
  const types = [node.type].flat();
  if (types.includes('number') || types.includes('integer')) yield key;
  for (const one of node.anyOf ?? []) yield* numbersOf(one, key);
  for (const [name, inner] of Object.entries(node.properties ?? {}))
    yield* numbersOf(inner, key === '' ? name : `${key}.${name}`);
  if (typeof node.additionalProperties === 'object') yield* numbersOf(node.additionalProperties, `${key}.*`);
  if (node.items) yield* numbersOf(node.items, `${key}[]`);
}

/** A persona's choice of models has the limits of the workspace; all stages have the same. */
const asListed = (key: string): string =>
  key.replace(/^inference\./, '').replace(/^stages\.\w+\.(?!max_iter)/, 'stages.*.');

const SCHEMAS = {
  inference: inferenceSchema,
  persona: personaSchema,
  security: securitySchema,
  gateway: gatewaySchema,
};
const declared = new Set(
  Object.values(SCHEMAS)
    .flatMap((schema) => [...numbersOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Node)])
    .map(asListed)
    .filter((key) => !NO_LIMITS.some((one) => one.test(key))),
);

const page = readFileSync(join(ROOT, 'docs/limits.md'), 'utf8');
const [, table = ''] = page.split('## Limits of mail');
const rows = (table.split('## ')[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()));
const listed = rows.flatMap(([, keys = '']) => [...keys.matchAll(/`([^`]+)`/g)].map(([, key = '']) => key));

/** The tests that meet limits with fifty mails each. */
const HELD_BY: readonly (readonly [string, RegExp])[] = [
  ['spent', /^budget\.(?!runs_per_sender)|^max_(?!output)|^step_caps|quotas|^calls_per_sender/],
  ['limits', /runs_per_sender|^loop_guard/],
  ['unread', /max_mime_parts|max_attachments$/],
];

describe('the limits of mail', () => {
  it('are each listed with what becomes of a mail above it, and who is told', () => {
    expect([...listed].sort()).toEqual([...declared].sort());
    for (const cells of rows) expect(cells.slice(1, -1).every((cell) => cell.length > 3)).toBe(true);
  });

  it.each(HELD_BY)('are met by fifty mails: %s', (name, keys) => {
    const test = readFileSync(join(ROOT, `test/flow/waiting/${name}.test.ts`), 'utf8');
    const met = listed.filter((key) => keys.test(key)).map((key) => key.split('.').at(-1) ?? '');
    expect(met.length).toBeGreaterThan(1);
    for (const key of met) expect(test).toContain(key);
  });
});
