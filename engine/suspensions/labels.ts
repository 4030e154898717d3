import { LANGUAGES, type Language } from '../languages/language.ts';
import { say, type Under } from '../languages/say.ts';

/**
 * The arguments that a question to an owner shows under a name of their own, and not under the one that models know: an
 * owner who changes something goes by what the mail shows.
 */
const LABELS: Readonly<Record<string, Readonly<Record<string, Under<'mails.labels'>>>>> = {
  send_email: { to: 'to', cc: 'cc', subject: 'subject', attachments: 'attached' },
  write_file: { path: 'file' },
  edit_file: { path: 'file' },
  delete_file: { path: 'file' },
  schedule_task: { name: 'task', task: 'task', action: 'action', schedule: 'when', prompt: 'prompt' },
};

/** Null where it has none. */
export function labelOf(tool: string, key: string, language: Language): string | null {
  const label = LABELS[tool]?.[key];
  return label === undefined ? null : say(language, `mails.labels.${label}`);
}

/** What an owner can write in words as they stand in the mail; when a task is due has a form of its own. */
const WRITTEN: ReadonlySet<string> = new Set(['to', 'cc', 'subject', 'path', 'name', 'task', 'prompt']);

/** The arguments of a call by the names that any language shows them under, in small letters. */
export function keysByLabel(tool: string, keys: readonly string[]): ReadonlyMap<string, string> {
  // Of two under one name the first is shown: a task goes by its name.
  const first = Object.keys(LABELS[tool] ?? {}).filter((key) => keys.includes(key) && WRITTEN.has(key));
  const found = new Map<string, string>();
  for (const key of first)
    for (const language of LANGUAGES) {
      const label = labelOf(tool, key, language)?.toLowerCase();
      if (label !== undefined && !found.has(label)) found.set(label, key);
    }
  return found;
}
