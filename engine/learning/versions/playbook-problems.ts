import type { z } from 'zod';

/** Pure. What is wrong with a playbook that a person or a model wrote, each key once, by its path from the top. */
export const playbookProblems = (
  issues: readonly z.core.$ZodIssue[],
  input: unknown,
  above: readonly string[],
): string => issues.flatMap((issue) => problemsOf(issue, input, above)).join('; ');

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
