import { LANGUAGES, type Language } from '../languages/language.ts';
import { say, type Under } from '../languages/say.ts';

/**
 * The arguments that a question to an owner shows under a name of their own, and not under the one that models know: an
 * owner who changes something goes by what the mail shows.
 */
const LABELS: Readonly<Record<string, Readonly<Record<string, Under<'mails.labels'>>>>> = {
  send_email: { to: 'to', cc: 'cc', subject: 'subject', body: 'text', attachments: 'attached' },
  invite: { to: 'to', title: 'title', start: 'when', duration_min: 'duration', location: 'place', note: 'note' },
  answer_invitation: { comment: 'note', answer: 'answer' },
  write_file: { path: 'file', content: 'text' },
  edit_file: { path: 'file' },
  delete_file: { path: 'file' },
  schedule_task: {
    ...{ name: 'task', task: 'task', action: 'action', schedule: 'when', prompt: 'prompt', deliver: 'to' },
    ...{ timezone: 'timezone', window: 'window', missed: 'missed', overlap: 'overlap', condition: 'condition' },
  },
  remember: { text: 'text', quote: 'words' },
  remember_rule: { quote: 'words' },
  propose_playbook: { words: 'words' },
  shell: { command: 'command' },
  web_fetch: { url: 'page' },
};

/** Null where it has none. */
export function labelOf(tool: string, key: string, language: Language): string | null {
  const label = LABELS[tool]?.[key];
  return label === undefined ? null : say(language, `mails.labels.${label}`);
}

/**
 * Arguments that are the id of something: which mail is gone on with, in which conversation a task writes. An owner can judge
 * none of it, and what it comes to is said by the rest.
 */
const IDS: Readonly<Record<string, readonly string[]>> = { send_email: ['in_reply_to'], schedule_task: ['thread'] };

export const isId = (tool: string, key: string): boolean => IDS[tool]?.includes(key) === true;

/** What an owner can write in words as they stand in the mail; when something is due has a form of its own. */
const WRITTEN: ReadonlySet<string> = new Set([
  ...['to', 'cc', 'subject', 'path', 'name', 'task', 'prompt', 'title', 'location', 'note', 'duration_min'],
  ...['comment', 'answer', 'text', 'quote', 'words', 'command', 'url'],
]);

/** Whether an owner can change it under the name that the mail shows. */
export const isWritten = (tool: string, key: string): boolean => WRITTEN.has(key) && LABELS[tool]?.[key] !== undefined;

/** The arguments of a call by the names that any language shows them under, in small letters. */
export function keysByLabel(tool: string, keys: readonly string[]): ReadonlyMap<string, string> {
  // Of two under one name the first is shown: a task goes by its name.
  const first = Object.keys(LABELS[tool] ?? {}).filter(
    (key) => keys.includes(key) && (WRITTEN.has(key) || key === 'start'),
  );
  const found = new Map<string, string>();
  for (const key of first)
    for (const language of LANGUAGES) {
      const label = labelOf(tool, key, language)?.toLowerCase();
      if (label !== undefined && !found.has(label)) found.set(label, key);
    }
  return found;
}
