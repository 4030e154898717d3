import { withDeadline } from '../../lib/deadline.ts';
import type { StoredAttachment } from '../../storage/types/mail.ts';
import { factsInWords } from '../documents/in-words.ts';
import type { Library, LibraryEntry } from '../documents/library.ts';

/** How long a run waits for its attachments; what is not read by then is read when a tool asks for it. */
const MAX_WAIT_MS = 30_000;

/**
 * Told before the model asks for it: a scan that was offered to read_attachment cost a call to hear that it has no text.
 * Below the line of a document stands how much there is of it. `pictures` are those that the model is shown.
 */
export async function attachmentLines(
  attachments: readonly StoredAttachment[],
  { pictures, library }: { readonly pictures: readonly StoredAttachment[]; readonly library: Pick<Library, 'open'> },
): Promise<readonly string[]> {
  const lines = await Promise.all(
    attachments.map(async (attachment) => {
      const { id, name, type, bytes, unreadable } = attachment;
      const line = `[attachment ${id}] ${name}, ${type}, ${bytes} bytes`;
      if (unreadable !== null) return [`${line}, unreadable: ${unreadable}`];
      if (pictures.includes(attachment)) return [`${line}, shown to you as a picture`];
      const entry = await openInTime(library, attachment);
      if (entry === null) return [line];
      if (!entry.ok) return [`${line}, unreadable: ${entry.refusal.message}`];
      const { kind } = entry.facts;
      return kind === 'text' || kind === 'markdown' ? [line] : [line, `(${factsInWords(entry.facts)})`];
    }),
  );
  return lines.flat();
}

/** Null: not now. That is no reason to keep the mail waiting. */
const openInTime = (library: Pick<Library, 'open'>, attachment: StoredAttachment): Promise<LibraryEntry | null> =>
  withDeadline(() => library.open(attachment), {
    ms: MAX_WAIT_MS,
    code: 'timeout',
    what: 'reading an attachment',
  }).catch(() => null);
