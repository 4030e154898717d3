import type { JsonSchema } from '#contract';
import type { RegisteredTool } from '../../extensions/types.ts';
import { sha256 } from '../../lib/ids.ts';
import { canonicalJson } from '../../lib/json.ts';

/**
 * What makes a tool the one that was asked for. The words of a tool that came with the gateway do not count: they tell a
 * model how to call it, what a call does changes with its arguments, settings, risk or version, and its code comes from
 * where the gateway itself comes from. Of any other tool the words are all that anybody here has seen of what it does,
 * so one that describes itself otherwise is another.
 */
export const fingerprintOf = (tool: RegisteredTool): string =>
  tool.source.isBundled === true
    ? hashOf(tool, { inputSchema: withoutWords(tool.inputSchema) })
    : hashOf(tool, { description: tool.definition.description, inputSchema: tool.inputSchema });

/** Whether an owner was asked about this very tool, by this build or by one before it. */
export const isFingerprintOf = (tool: RegisteredTool, fingerprint: string): boolean =>
  fingerprint === fingerprintOf(tool) ||
  fingerprint === fingerprintOf(takingAsBefore(tool)) ||
  fingerprint === fingerprintBefore(tool);

/** By the build before, to which the words of its own tools counted as well, as they were then. */
export function fingerprintBefore(tool: RegisteredTool): string {
  const { name, source, definition, inputSchema } = takingAsBefore(tool);
  const before = source.isBundled === true ? WORDS_BEFORE[name] : undefined;
  return hashOf(tool, {
    description: before?.description ?? definition.description,
    inputSchema: Object.entries(before?.parameters ?? {}).reduce(describedAs, inputSchema),
  });
}

function hashOf(
  { manifest, definition: { risk, scope }, config }: RegisteredTool,
  told: { readonly description?: string; readonly inputSchema: JsonSchema },
): string {
  return sha256(
    canonicalJson({ name: manifest.name, version: manifest.version ?? null, risk, scope, config, ...told }),
  );
}

/** What it took before it took more: what an owner was asked about then is taken now as well, and does the same. */
function takingAsBefore(tool: RegisteredTool): RegisteredTool {
  const added = tool.source.isBundled === true ? ADDED[tool.name] : undefined;
  return added === undefined ? tool : { ...tool, inputSchema: without(tool.inputSchema, added) };
}

/** One more kind of entry in a list that a tool takes, by a property that it alone has; without a list, one more argument. */
interface Added {
  readonly list?: string;
  readonly property: string;
}

const ADDED: Readonly<Record<string, Added>> = {
  ask_owner: { property: 'words' },
  delegate: { list: 'context', property: 'attachment' },
};

function without(schema: JsonSchema, { list, property }: Added): JsonSchema {
  const { properties } = schema;
  if (list === undefined) {
    const rest = Object.entries(isObject(properties) ? properties : {}).filter(([name]) => name !== property);
    return { ...schema, properties: Object.fromEntries(rest) };
  }
  const field = isObject(properties) ? properties[list] : undefined;
  const items = isObject(field) ? field.items : undefined;
  if (!isObject(properties) || !isObject(field) || !isObject(items) || !Array.isArray(items.anyOf)) return schema;
  const anyOf = items.anyOf.filter((one) => !(isObject(one) && isObject(one.properties) && property in one.properties));
  return { ...schema, properties: { ...properties, [list]: { ...field, items: { ...items, anyOf } } } };
}

interface Words {
  readonly description?: string;
  /** Null: it had none. */
  readonly parameters?: Readonly<Record<string, string | null>>;
}

/** What tools that came with the build before said otherwise. */
const WORDS_BEFORE: Readonly<Record<string, Words>> = {
  answer_invitation: {
    description:
      'Answer an invitation by its id. Its organiser gets the answer; it cannot be taken back, only answered anew.',
  },
  ask_owner: {
    description:
      'Ask your owner what only a person can answer; your work waits until then. The sender you ask in your final text.',
  },
  attach: {
    description: 'Attach one of your files to your answer, as it is now. After a later change attach it again.',
  },
  calculate: {
    description:
      'Exact arithmetic and dates in place of your head: + - * / ^ 19%, round(x, 2) min max sum avg abs; "12.50 EUR"; ' +
      'days("2026-01-31", "2026-03-01") add_days add_months workdays add_workdays weekday.',
  },
  delegate: { parameters: { context: 'texts, {file: path}, {ref: of a result}' } },
  delete_file: { description: 'Delete one of your files. Needs approval; the owner can undo it for seven days.' },
  edit_file: {
    description:
      'Change one place of a text file: old_text, copied exactly, must occur once. Files that you did not write need ' +
      'approval.',
  },
  forget: {
    description: 'Erase something that you remember, when the sender asks for it.',
    parameters: { id: 'Such as f0123456789' },
  },
  invite: {
    description:
      'Invite people to a meeting by a mail that their calendars understand. With the id of one that you sent: ' +
      'change it (what you leave out stays) or cancel it.',
    parameters: { duration_min: '60 unless given', note: 'For those invited' },
  },
  list_files: {
    description: 'List your files and folders with sizes: one level, or all below with `recursive`.',
  },
  propose_playbook: {
    description:
      'Only where the owner says how mail is to be worked on from now on ("when an invoice comes, …"): keeps that for all ' +
      'later mail of the kind. Every text in it has to be words of the owner’s mail, or a template.',
    parameters: {
      words: 'The sentence of the owner that asks for it, word for word',
      steps:
        '{"tool", "arguments" (texts may hold {{mail.subject}}), "when": [{"of": "mail.subject", "is": "containing", "value"}]}',
      deny: '{"rule": "no-files", "tool", "reason", "when"}',
    },
  },
  query_table: {
    description:
      'Count, add up, filter, group and sort rows of a table exactly, in place of doing it in your head: CSV, XLSX, ' +
      'Markdown, HTML. Without select: the columns and first rows.',
    parameters: {
      source: 'attachment id, id/file within it, path, or "mail": this mail',
      attach_as: 'orders.xlsx, or .csv: your answer carries all rows as this file',
    },
  },
  read_attachment: { description: 'Read the text of an attachment by its id; next_offset leads on.' },
  read_file: {
    description: 'Read one of your text files, a page of lines at a time; next_offset leads on.',
    parameters: { offset: 'Lines to skip' },
  },
  read_mail: {
    description: 'Open a mail by its message_id: who, when, the text by pages, and attachments for read_attachment.',
    parameters: { part: 'Default: what its sender wrote' },
  },
  remember: {
    description:
      'Keep what the sender asks you to remember, to do from now on, or to correct. ' +
      '`quote`: their words that say so, copied exactly from this mail.',
    parameters: {
      text: 'One sentence, with dates in place of words such as tomorrow',
      everyone: "An owner's wish for mail to everybody",
      replaces: 'Id of what is no longer so',
    },
  },
  resolve_ref: {
    description: 'Read an earlier result of this thread that was shown in part, by its ref.',
  },
  schedule_task: {
    description:
      'A task that you do by yourself at its time; `prompt` is all you are told then. An unknown id is answered with those ' +
      'that exist.',
    parameters: {
      schedule: '`0 9 * * 1` (cron), `every 30m` or `at 2026-12-01T09:00`',
      task: 'Such as monday-report',
      deliver: '`owner` (default), `none` or addresses',
      condition: 'Run only if this read call finds something: /read_file {"path": "todo.md"}',
    },
  },
  search_mail: {
    description:
      'Search earlier mail, sent and received: by words (of names, subject, text, attachment names), ' +
      'by sender, recipient and date, or newest first. read_mail opens a result.',
    parameters: { query: 'Key words; one of them is enough', since: 'ISO date' },
  },
  send_email: {
    description:
      'Mail somebody else than the sender (who gets your final text). Mail to new people waits for approval.',
    parameters: { to: null, in_reply_to: null, body: 'Markdown' },
  },
  web_fetch: { description: 'Read one page of the public web as text, by its whole http(s) URL.' },
  write_file: {
    description:
      'Write a whole text file. Replacing one that you did not write needs approval. For a small change use edit_file.',
    parameters: { path: 'Such as notes/plan.md' },
  },
};

/** Keywords that only say something of what is passed. */
const WORDS: ReadonlySet<string> = new Set(['title', 'description', 'examples', '$comment']);
/** Keywords whose names are names of parameters or of definitions, whatever they are called. */
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
/** Keywords whose values are values, in which nothing is a keyword. */
const VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'default']);

/** The schema as far as it decides what may be passed. */
function withoutWords(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).filter(([key]) => !WORDS.has(key));
  return Object.fromEntries(
    entries.map(([key, value]) => [key, VALUES.has(key) ? value : inner(value, NAMED.has(key))]),
  );
}

function inner(value: unknown, isNamed: boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => inner(each, false));
  if (!isObject(value)) return value;
  return isNamed
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each, false)]))
    : withoutWords(value);
}

const isObject = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null;

function describedAs(schema: JsonSchema, [parameter, words]: readonly [string, string | null]): JsonSchema {
  const { properties } = schema;
  if (!isObject(properties) || !isObject(properties[parameter])) return schema;
  const { description: _, ...rest } = properties[parameter];
  const described = words === null ? rest : { ...rest, description: words };
  return { ...schema, properties: { ...properties, [parameter]: described } };
}
