import { z } from 'zod';
import { nearestOf } from '../../lib/text/nearest.ts';
import type { Problem } from '../types.ts';
import { didYouMean, listed, problem } from './problem.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

interface Source {
  /** Relative to the workspace. */
  readonly file: string;
  readonly schema: z.core.$ZodType;
  readonly value: unknown;
}

/** `value` as the schema understands it, or every problem at once. */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  file: string,
): { ok: true; value: z.output<Schema> } | { ok: false; problems: Problem[] } {
  const parsed = safeParse(schema, value);
  if (parsed === null) {
    const message = 'cannot be checked: it is nested too deeply, or its schema failed';
    return { ok: false, problems: [problem({ file, code: 'invalid_value', message })] };
  }
  if (parsed.success) return { ok: true, value: parsed.data };
  return {
    ok: false,
    problems: parsed.error.issues.flatMap((issue) => problemsOf(issue, { file, schema, value }, [])),
  };
}

/** Null when checking itself fails: thousands of nested lists exhaust the stack, and an extension's schema may throw. */
function safeParse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> | null {
  try {
    return schema.safeParse(value);
  } catch {
    return null;
  }
}

function problemsOf(issue: Issue, source: Source, above: Path): Problem[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(key, path, source));
  if (issue.code === 'invalid_union') {
    const inner = fittingBranch(issue.errors);
    if (inner) return inner.flatMap((each) => problemsOf(each, source, path));
  }
  const value = valueAt(source.value, path);
  const expected = expectedIn(issue);
  const { file } = source;
  const key = path.map(String).join('.');
  if (value === undefined && path.length > 0)
    return [problem({ file, key, code: 'missing_key', message: `is required: ${expected}`, expected })];
  const nearest = typeof value === 'string' ? nearestOf(value, choicesIn(issue)) : null;
  const message = `is ${shownValue(key, value)}; expected ${expected}${didYouMean(nearest)}`;
  return [problem({ file, key, code: 'invalid_value', message, expected, nearest })];
}

function unknownKey(key: string, path: Path, { file, schema }: Source): Problem {
  const known = keysAt(schema, path);
  const nearest = nearestOf(key, known);
  const expected = known.length > 0 ? `one of the keys ${listed(known)}` : null;
  const message = `unknown key${didYouMean(nearest) || (expected ? `; expected ${expected}` : '')}`;
  return problem({ file, key: [...path, key].map(String).join('.'), code: 'unknown_key', message, expected, nearest });
}

/** The branch of a union that was meant: the one that complains of more than the type of the value itself. */
const fittingBranch = (branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined =>
  branches.find((issues) => !issues.some((issue) => issue.code === 'invalid_type' && issue.path.length === 0));

function choicesIn(issue: Issue): string[] {
  if (issue.code === 'invalid_value') return issue.values.map(String);
  if (issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options))
    return issue.options.map(String);
  return [];
}

function valueAt(value: unknown, path: Path): unknown {
  let at: unknown = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}

/** The keys that the schema knows at `path`; empty where any key may stand. */
function keysAt(schema: z.core.$ZodType, path: Path): string[] {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodUnion) return [...new Set(inner.options.flatMap((option) => keysAt(option, path)))];
  const [first, ...rest] = path;
  if (first === undefined) return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
  if (inner instanceof z.ZodArray) return keysAt(inner.element, rest);
  if (inner instanceof z.ZodRecord) return keysAt(inner.valueType, rest);
  if (!(inner instanceof z.ZodObject)) return [];
  const next: unknown = Reflect.get(inner.shape, first);
  return next instanceof z.ZodType ? keysAt(next, rest) : [];
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const wraps =
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable;
  return wraps ? unwrapped(schema.unwrap()) : schema;
}

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
function expectedIn(issue: z.core.$ZodIssue): string {
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
function shownValue(key: string, value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return String(value);
  if (/secret|password|token|key|env/i.test(key)) return 'another text';
  return value.length > 60 ? `a text of ${value.length} characters` : JSON.stringify(value);
}
