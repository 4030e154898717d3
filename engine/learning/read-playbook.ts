import { z } from 'zod';
import { messageOf } from '../lib/error-message.ts';
import { anyJson, readJson } from '../lib/json.ts';
import {
  MAX_PLAYBOOK_CHARS,
  type NotLoaded,
  type Playbook,
  type PlaybookMeta,
  playbookBody,
  playbookMeta,
} from '../record/codec/playbook.ts';
import { beyondCeiling, type Ceiling } from './ceiling.ts';

export type ReadPlaybook =
  | { readonly ok: true; readonly playbook: Playbook }
  | {
      readonly ok: false;
      readonly reason: Extract<NotLoaded, 'syntax' | 'meta_threw' | 'meta_invalid'>;
      readonly detail: string;
    };

const withMeta = z.looseObject({ meta: anyJson.optional() });

/**
 * The playbook in a text, where it is one for this kind and stays within what the persona may use; only the parts that
 * its meta names. Never throws.
 */
export function readPlaybook(text: string, kind: string, ceiling: Ceiling): ReadPlaybook {
  const refused = (reason: Extract<ReadPlaybook, { ok: false }>['reason'], detail: string): ReadPlaybook => ({
    ok: false,
    reason,
    detail: detail.slice(0, 500),
  });
  try {
    if (text.length > MAX_PLAYBOOK_CHARS) return refused('syntax', `it has more than ${MAX_PLAYBOOK_CHARS} characters`);
    const raw = readJson(withMeta, text);
    if (raw === undefined) return refused('syntax', 'it is no JSON object');
    const { meta: rawMeta, ...rest } = raw;
    const body = playbookBody.safeParse(rest);
    if (!body.success) return refused('syntax', playbookProblems(body.error.issues, rest, []));
    const meta = playbookMeta.safeParse(rawMeta);
    if (!meta.success) return refused('meta_invalid', playbookProblems(meta.error.issues, rawMeta, ['meta']));
    if (meta.data.kind !== kind) return refused('meta_invalid', `it is for ${meta.data.kind}, not for ${kind}`);
    const playbook = exposed({ ...body.data, meta: meta.data });
    const beyond = beyondCeiling(playbook, ceiling);
    if (beyond.length > 0) return refused('meta_invalid', `the persona may not use ${beyond.join(', ')}`);
    return { ok: true, playbook };
  } catch (error) {
    return refused('meta_threw', messageOf(error));
  }
}

/** Nothing of it but what its meta names. */
function exposed(playbook: Playbook): Playbook {
  const has = (name: PlaybookMeta['capabilities'][number]) => playbook.meta.capabilities.includes(name);
  return {
    meta: playbook.meta,
    advice: has('advice') ? playbook.advice : '',
    steps: has('steps') ? playbook.steps : [],
    narrow: { deny: has('narrow') ? playbook.narrow.deny : [] },
    defaults: has('defaults') ? playbook.defaults : {},
    requires: has('requires') ? playbook.requires : [],
    stop: has('stop') ? playbook.stop : [],
    answer: has('answer') ? playbook.answer : '',
  };
}

/** Pure. What is wrong with a playbook that a person or a model wrote, each key once, by its path from the top. */
const playbookProblems = (issues: readonly z.core.$ZodIssue[], input: unknown, above: readonly string[]): string =>
  issues.flatMap((issue) => problemsOf(issue, input, above)).join('; ');

function problemsOf(issue: z.core.$ZodIssue, input: unknown, above: readonly string[]): string[] {
  const key = [...above, ...issue.path.map(String)].join('.') || 'the playbook';
  const isAbsent = issue.path.reduce<unknown>(valueAt, input) === undefined;
  if (isAbsent) return [`${key}: is missing`];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map(
        (name) => `${[...above, ...issue.path.map(String), name].join('.')}: is no key of a playbook`,
      );
    case 'invalid_type':
      return [`${key}: expected ${issue.expected}`];
    case 'invalid_value':
      return [`${key}: expected ${issue.values.map((one) => JSON.stringify(one)).join(' or ')}`];
    case 'too_big':
      return [`${key}: at most ${issue.maximum}${issue.origin === 'string' ? ' characters' : ''}`];
    case 'too_small':
      return [`${key}: at least ${issue.minimum}${issue.origin === 'string' ? ' characters' : ''}`];
    default:
      return [`${key}: is nothing that may stand there`];
  }
}

const valueAt = (value: unknown, key: PropertyKey): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
