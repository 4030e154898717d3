import { z } from 'zod';
import type { Language } from '../../languages/language.ts';
import { isKey, say } from '../../languages/say.ts';
import { scheduleInWords } from '../../languages/schedule.ts';
import { ownToolInWords, toolInWords } from '../../languages/tools.ts';
import type { Field, LetterBlock } from '../../mail/compose/compose.ts';
import { isId, labelOf } from '../../suspensions/labels.ts';
import { boxOf, inLine, textOfArgument, visible } from './approval-text.ts';

// One call as a person reads it: what it comes to in words, then each of its arguments. The arguments that everybody
// knows have their names and their order; of any other tool they stand as they are.

interface CallView {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** What it would change, as the tool shows it. */
  readonly preview: string | null;
}

interface ShownTo {
  readonly language: Language;
  /** Addresses that the persona has never written to. */
  readonly fresh: ReadonlySet<string>;
  /** The name that a long argument has beside the mail. */
  enclosedAs(key: string): string | null;
}

const MAX_IN_SUBJECT = 60;
const MAX_IN_LINE = 400;
const MAX_ONE_BY_ONE = 5;

const known = z.object({
  to: z.array(z.string()).optional().catch(undefined),
  subject: z.string().catch(''),
  path: z.string().catch(''),
  name: z.string().optional().catch(undefined),
  task: z.string().catch(''),
  quote: z.string().catch(''),
  answer: z.enum(['accepted', 'declined', 'tentative']).optional().catch(undefined),
});

/** The question that a mail asks about it, as a clause: `may I send "Offer" to carl@example.com?` */
export function questionOf({ tool, args }: Pick<CallView, 'tool' | 'args'>, language: Language): string {
  const { to, subject, path, name, task, quote } = known.parse(args);
  const short = (text: string) => inLine(text, MAX_IN_SUBJECT);
  if (tool === 'send_email' && to)
    return say(language, 'mails.may.mail', { subject: short(subject), to: recipientsInShort(to) });
  if (tool === 'write_file' && path !== '') return say(language, 'mails.may.write', { path: short(path) });
  if (tool === 'edit_file' && path !== '') return say(language, 'mails.may.edit', { path: short(path) });
  if (tool === 'delete_file' && path !== '') return say(language, 'mails.may.delete', { path: short(path) });
  if (tool === 'schedule_task' && task !== '')
    return say(language, `mails.may.${isNewTask({ tool, args }) ? 'newTask' : 'schedule'}`, {
      task: short(name ?? task),
    });
  if (tool === 'remember_rule' && quote !== '') return say(language, 'mails.may.rule', { text: short(quote) });
  const own = ownQuestion({ tool, args }, language);
  if (own !== null) return own;
  const what = ownToolInWords(tool, language);
  return what === null
    ? say(language, 'mails.may.use', { tool: short(toolInWords(tool, language)) })
    : say(language, 'mails.may.do', { what });
}

/** What a tool of ours is asked for in words of its own; null for one that somebody added. */
function ownQuestion({ tool, args }: Pick<CallView, 'tool' | 'args'>, language: Language): string | null {
  const { to, answer } = known.parse(args);
  if (tool === 'invite') {
    if (args.cancel === true) return say(language, 'mails.may.cancelMeeting');
    return to?.length
      ? say(language, 'mails.may.invite', { to: recipientsInShort(to) })
      : say(language, 'mails.may.changeMeeting');
  }
  if (tool === 'answer_invitation') return answer === undefined ? null : say(language, `mails.may.${answer}`);
  const key = OWN_QUESTIONS[tool];
  return key === undefined ? null : say(language, key);
}

const OWN_QUESTIONS: Readonly<
  Record<
    string,
    | 'mails.may.forget'
    | 'mails.may.remember'
    | 'mails.may.run'
    | 'mails.may.playbook'
    | 'mails.may.fetch'
    | 'mails.may.search'
  >
> = {
  forget: 'mails.may.forget',
  remember: 'mails.may.remember',
  shell: 'mails.may.run',
  propose_playbook: 'mails.may.playbook',
  web_fetch: 'mails.may.fetch',
  web_search: 'mails.may.search',
};

/** The same of several calls as one question; null where they are of several kinds. */
export function questionOfAll(calls: readonly Pick<CallView, 'tool' | 'args'>[], language: Language): string | null {
  const count = calls.length;
  if (calls.every(({ tool }) => tool === 'send_email')) return say(language, 'mails.may.mails', { count });
  if (calls.every(({ tool }) => tool === 'delete_file')) return say(language, 'mails.may.deletes', { count });
  return null;
}

/** The question about steps that are decided together. */
export const planQuestion = (
  steps: readonly { readonly tool: string; readonly arguments: CallView['args'] }[],
  language: Language,
): string =>
  questionOfAll(
    steps.map(({ tool, arguments: args }) => ({ tool, args })),
    language,
  ) ?? say(language, 'mails.may.plan', { count: steps.length });

const recipientsInShort = ([first = '', ...more]: readonly string[]): string =>
  more.length === 0 ? inLine(first, MAX_IN_SUBJECT) : `${inLine(first, MAX_IN_SUBJECT)} +${more.length}`;

/** The same as a line of its own, with its number where there are several. */
export function headingOf(question: string, number: string | null): string {
  const [first = '', ...rest] = question;
  const sentence = `${first.toUpperCase()}${rest.join('')}`;
  return number === null ? sentence : `${number} ${sentence}`;
}

/** The same over a step of a plan, which is decided with the others. */
export const stepHeading = (call: Pick<CallView, 'tool' | 'args'>, index: number, language: Language): string =>
  headingOf(questionOf(call, language), `${say(language, 'mails.labels.step')} ${index + 1}:`);

/** The sentence that stands before it: `To do that I would send this mail:`; null where the question says all. */
export function sentenceOf({ tool, args }: Pick<CallView, 'tool' | 'args'>, language: Language): string | null {
  const sentences: Readonly<Record<string, string>> = {
    send_email: say(language, 'mails.would.mail'),
    write_file: say(language, 'mails.would.write'),
    edit_file: say(language, 'mails.would.edit'),
    delete_file: say(language, 'mails.would.delete'),
    schedule_task: isNewTask({ tool, args })
      ? say(language, 'mails.would.newTask')
      : say(language, 'mails.would.schedule'),
    forget: say(language, 'mails.would.forget'),
    remember_rule: say(language, 'mails.would.rule'),
    shell: say(language, 'mails.would.run'),
  };
  const said = sentences[tool];
  if (said !== undefined) return said;
  // The question has said it.
  if (ownQuestion({ tool, args }, language) !== null || ownToolInWords(tool, language) !== null) return null;
  return say(language, 'mails.would.use', { tool: inLine(toolInWords(tool, language), MAX_IN_SUBJECT) });
}

/** Every argument as it was frozen, and what it would change. */
export function callBlocks(call: CallView, seen: ShownTo): LetterBlock[] {
  const fields: Field[] = [];
  const boxes: LetterBlock[] = [];
  for (const key of keysInOrder(call)) {
    const value = call.args[key];
    if (
      isToldWhole(call) ||
      isId(call.tool, key) ||
      isInQuestion(call, key) ||
      isNothing(call, key, value) ||
      isShownBy(call, key) ||
      isFileOfNamed(call, key)
    )
      continue;
    const label = nameOfArgument(call.tool, key, seen.language);
    const text = asText(call.tool, key, value, seen);
    if (isBody(call.tool, key) || text.length > MAX_IN_LINE || text.includes('\n')) {
      const box = {
        label: BARE.has(`${call.tool} ${key}`) ? null : label,
        text,
        as: looksLike(call.tool, key),
      } as const;
      boxes.push(boxOf(box, seen.enclosedAs(key), seen.language));
    } else fields.push(...fieldsOf(label, value, text, seen));
  }
  return [...(fields.length > 0 ? [{ kind: 'fields', rows: fields } as const] : []), ...boxes];
}

const ORDER: Readonly<Record<string, readonly string[]>> = {
  send_email: ['to', 'cc', 'subject', 'attachments', 'body'],
  write_file: ['path', 'content'],
  edit_file: ['path', 'old_text', 'new_text'],
  schedule_task: ['name', 'task', 'action', 'schedule', 'prompt'],
};

function keysInOrder({ tool, args }: CallView): string[] {
  const first = (ORDER[tool] ?? []).filter((key) => Object.hasOwn(args, key));
  return [...first, ...Object.keys(args).filter((key) => !first.includes(key))];
}

/** What people read is shown as they will read it; a file and a command letter for letter. */
function looksLike(tool: string, key: string): 'code' | 'mail' | 'lines' {
  if (key === 'body') return tool === 'send_email' ? 'mail' : 'lines';
  return tool === 'schedule_task' || tool === 'remember' ? 'lines' : 'code';
}

/** Whether what a call would change is told in sentences, and not as lines of a file. */
export const isInWords = (tool: string | null): boolean =>
  tool === 'schedule_task' || tool === 'delete_file' || (tool !== null && TOLD_WHOLE.has(tool));

const isNewTask = ({ tool, args }: Pick<CallView, 'tool' | 'args'>): boolean =>
  tool === 'schedule_task' && args.action === 'create';

/** A path that the question above has in full. */
const isInQuestion = ({ tool, args }: CallView, key: string): boolean =>
  tool === 'delete_file' &&
  key === 'path' &&
  typeof args.path === 'string' &&
  inLine(args.path, MAX_IN_SUBJECT) === args.path;

/** A task goes by its name; what it is filed under stands beside that only where it has none. That it is new has been said. */
const isFileOfNamed = (call: CallView, key: string): boolean =>
  isNewTask(call) && (key === 'action' || (key === 'task' && typeof call.args.name === 'string'));

/**
 * A list that may be left out, left out; of a tool that nobody knows here, an empty list may mean much. Of files to be
 * sent the preview tells by name, and the files themselves are beside the mail.
 */
function isNothing({ tool, preview }: CallView, key: string, value: unknown): boolean {
  // As it is where nothing is said of it.
  if (tool === 'schedule_task' && key === 'deliver') return value === 'owner';
  if (tool !== 'send_email' || (key !== 'cc' && key !== 'attachments') || !Array.isArray(value)) return false;
  return value.length === 0 || (key === 'attachments' && preview !== null);
}

/** Their previews say every argument in words. */
const TOLD_WHOLE: ReadonlySet<string> = new Set(['invite', 'answer_invitation', 'propose_playbook']);
const isToldWhole = ({ tool, preview }: CallView): boolean => TOLD_WHOLE.has(tool) && preview !== null;

/** What a preview shows word for word need not stand there twice; a word or two stand in any text by chance. */
function isShownBy({ tool, args, preview }: CallView, key: string): boolean {
  const value = args[key];
  // The preview says in words what these arguments come to.
  if (tool === 'remember_rule' && preview !== null) return true;
  if (preview === null || typeof value !== 'string' || value.trim() === '') return false;
  if (!isBody(tool, key) && !value.includes('\n')) return false;
  const lines = preview.split('\n').map((line) => line.replace(/^[-+ ] /, ''));
  return lines.join('\n').includes(value.trimEnd());
}

const BODIES = new Set([
  'send_email body',
  'write_file content',
  'edit_file old_text',
  'edit_file new_text',
  'shell command',
]);
/** Those that the sentence before them names. */
const BARE = new Set(['send_email body', 'write_file content', 'shell command']);

const isBody = (tool: string, key: string): boolean =>
  BODIES.has(`${tool} ${key}`) || `${tool} ${key}` === 'schedule_task prompt';

const nameOfArgument = (tool: string, key: string, language: Language): string => {
  if (tool === 'edit_file' && (key === 'old_text' || key === 'new_text')) return key === 'old_text' ? '−' : '+';
  return (
    labelOf(tool, key, language) ??
    visible(key)
      .replace(/_+/g, ' ')
      .replace(/[^\p{L}\p{N}. -]/gu, '?')
  );
};

function asText(tool: string, key: string, value: unknown, { language }: ShownTo): string {
  if (tool === 'schedule_task' && key === 'schedule' && typeof value === 'string') {
    return scheduleInWords(value, language);
  }
  return (
    (tool === 'schedule_task' ? ofTask(key, value, language) : null) ?? plainly(value, say(language, 'mails.none'))
  );
}

/** What the words of a task's settings mean; null for what says it itself. */
function ofTask(key: string, value: unknown, language: Language): string | null {
  const action = `mails.actions.${String(value)}` as const;
  const planned = `mails.planned.${String(value)}` as const;
  if (key === 'deliver' && value === 'none') return say(language, 'mails.none');
  if (key === 'action' && isKey(action)) return say(language, action);
  return (key === 'missed' || key === 'overlap') && isKey(planned) ? say(language, planned) : null;
}

/** A value without the signs of JSON, as long as that leaves no doubt what it is. */
function plainly(value: unknown, none: string): string {
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return none;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string' && !/[,\n]/.test(one)))
    return value.join(', ');
  return textOfArgument(value);
}

function fieldsOf(label: string, value: unknown, text: string, { fresh, language }: ShownTo): Field[] {
  if (!Array.isArray(value) || !value.some((one) => typeof one === 'string' && fresh.has(one))) {
    return [{ label, value: visible(text) }];
  }
  // One by one where somebody should look at them; of many, in two lists.
  const fresher = value.filter((one) => fresh.has(one)).map((one) => visible(String(one)));
  const others = value.filter((one) => !fresh.has(one)).map((one) => visible(String(one)));
  const news = fresher.length > MAX_ONE_BY_ONE ? [fresher.join(', ')] : fresher;
  return [
    ...news.map((one) => ({ label, value: one, note: say(language, 'mails.isNew') })),
    ...(others.length === 0 ? [] : [{ label, value: others.join(', ') }]),
  ];
}
