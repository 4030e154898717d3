import type { z } from 'zod';
import { listed } from './problem.ts';

const TYPES: Record<string, string> = {
  string: 'text in double quotes',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** What an issue says should stand there, in words for the person who edits the file. */
export function expectedIn(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return listed(issue.values.map((value) => JSON.stringify(value)));
    case 'too_small':
      return size(issue.inclusive === false ? 'more than' : 'at least', issue.minimum, issue.origin);
    case 'too_big':
      return size(issue.inclusive === false ? 'less than' : 'at most', issue.maximum, issue.origin);
    case 'invalid_format':
      return format(issue);
    case 'invalid_key':
    case 'invalid_element':
      return issue.issues.map(expectedIn).join(', ');
    case 'invalid_union':
      return union(issue);
    default:
      return issue.message;
  }
}

function size(bound: string, limit: number | bigint, origin: string): string {
  if (origin === 'string') return `${bound} ${limit} characters`;
  return origin === 'array' ? `${bound} ${limit} entries` : `${bound} ${limit}`;
}

function format(issue: Extract<z.core.$ZodIssue, { code: 'invalid_format' }>): string {
  // Zod's own sentences begin with "Invalid"; ours in schemas.ts say what would be right.
  if (!issue.message.startsWith('Invalid')) return issue.message;
  return issue.pattern ? `text that matches ${issue.pattern}` : `a valid ${issue.format}`;
}

function union(issue: Extract<z.core.$ZodIssue, { code: 'invalid_union' }>): string {
  if ('options' in issue && Array.isArray(issue.options))
    return listed(issue.options.map((option) => JSON.stringify(option)));
  return issue.errors.flatMap((branch) => branch.slice(0, 1).map(expectedIn)).join(', or ');
}

/** The value as it stands in the file, short; a secret written in the wrong place is not repeated into the log. */
export function shownValue(key: string, value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return String(value);
  if (/secret|password|token|key|env/i.test(key)) return 'another text';
  return value.length > 60 ? `a text of ${value.length} characters` : JSON.stringify(value);
}
