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

/** What says when something happens: no mail is stopped by it. */
const STOPS_NO_MAIL = [
  ...['retry.first_retry_s', 'retry.max_retry_s', 'retry.late_note_min', 'learning.max_versions'],
  ...['approvals.reminder_hours', 'approvals.batch_window_s'],
  ...['delivery.first_retry_s', 'delivery.max_retry_s', 'delivery.watch_drafts_days'],
];

/** The tests of `test/flow/waiting` that meet limits with fifty mails each. */
const MET_BY: Readonly<Record<string, readonly string[]>> = {
  spent: [
    ...['budget.runs_per_day', 'budget.usd_per_day', 'budget.usd_per_run', 'budget.tokens_per_run'],
    ...['max_tool_turns', 'max_tool_calls', 'max_calls_per_turn', 'max_consecutive_failures'],
    ...['step_caps.read', 'step_caps.mutate', 'calls_per_sender_per_hour'],
    ...['tool_policy.quotas.*.max_per_run', 'tool_policy.quotas.*.max_per_day'],
  ],
  limits: [
    ...['budget.runs_per_sender_per_hour', 'loop_guard.max_replies_per_thread_per_hour'],
    ...['loop_guard.max_replies_per_sender_per_hour', 'loop_guard.max_fast_replies', 'loop_guard.fast_reply_s'],
  ],
  unread: [...['limits.max_message_bytes', 'limits.max_attachments', 'limits.max_mime_depth', 'limits.max_mime_parts']],
  'cut-short': [
    ...['run_timeout_s', 'tool_timeout_s', 'max_output_tokens', 'retry.give_up_hours', 'approvals.ttl_hours'],
    'limits.max_files_bytes',
  ],
  'goes-on': [
    ...['model_timeout_s', 'stages.*.timeout_s', 'stages.*.max_output_tokens', 'stages.frame.max_iterations'],
    ...['delegation.max_children', 'delegation.max_depth', 'limits.max_attachment_bytes'],
  ],
  kept: ['recursion_depth', 'quarantine_days', 'signature_max_age_days'],
  undelivered: ['delivery.give_up_hours'],
};

describe('the limits of mail', () => {
  it('are each listed with what becomes of a mail above it, and who is told', () => {
    expect([...listed].sort()).toEqual([...declared].sort());
    for (const cells of rows) expect(cells.slice(1, -1).every((cell) => cell.length > 3)).toBe(true);
  });

  it('are each met by fifty mails, but for what stops none', () => {
    expect([...STOPS_NO_MAIL, ...Object.values(MET_BY).flat()].sort()).toEqual([...listed].sort());
  });

  it.each(Object.entries(MET_BY))('are named where fifty mails meet them: %s', (name, keys) => {
    const test = readFileSync(join(ROOT, `test/flow/waiting/${name}.test.ts`), 'utf8');
    for (const key of keys) expect(test).toContain(key.split('.').at(-1));
  });
});
