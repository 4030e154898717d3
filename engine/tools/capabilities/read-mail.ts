import { EngineError, type MailCapability, type MailPart, type OpenedMail } from '#contract';
import { localTime } from '../../lib/schedule/zone.ts';
import type { Store } from '../../storage/ports/store.ts';
import { writtenAt } from '../../storage/search/written-at.ts';
import type { OpenedMessage, StoredMessage, Viewer } from '../../storage/types/mail.ts';
import type { Library } from '../documents/library.ts';
import { attachmentLines } from './attachment-lines.ts';
import { inPages } from './mail-pages.ts';

/** With what JSON adds, below what the engine would cut a result to. */
const PAGE_CHARACTERS = 10_000;

const PARTS: readonly MailPart[] = ['new', 'forwarded', 'quoted'];

/** One mail that `viewer` may see, by the Message-ID that a search or a thread names. */
export function createMailReader(options: {
  readonly store: Pick<Store, 'openMail'>;
  readonly viewer: Viewer;
  readonly timezone: string;
  readonly library: Pick<Library, 'open'>;
}): MailCapability['read'] {
  const { store, viewer, timezone, library } = options;
  return async ({ message_id, part, page = 1 }) => {
    const found = await store.openMail(message_id.trim(), viewer);
    if (!found) throw new EngineError('not_found', 'there is no such mail among those that this sender may see');
    const texts = textsOf(found.message);
    const chosen = part ?? PARTS.find((one) => texts[one] !== '') ?? 'new';
    const pages = inPages(texts[chosen], PAGE_CHARACTERS);
    const text = pages[page - 1];
    if (text === undefined) {
      throw new EngineError('invalid_arguments', `there is no page ${page}; the last one is ${pages.length}`);
    }
    const others = PARTS.filter((one) => one !== chosen && texts[one] !== '');
    return {
      ...headOf(found, timezone),
      attachments: await attachmentLines(found.attachments, { pictures: [], library }),
      ...{ part: chosen, text, page, pages: pages.length },
      other_parts: others.map((one) => ({ part: one, pages: inPages(texts[one], PAGE_CHARACTERS).length })),
    };
  };
}

const headOf = (
  { message }: OpenedMessage,
  timezone: string,
): Omit<OpenedMail, 'text' | 'attachments' | PageFields> => ({
  message_id: message.message_id,
  thread_id: message.thread_id,
  direction: message.direction,
  from: message.from_address ?? '',
  from_name: message.from_name,
  proven: message.tier !== 'unauthenticated',
  to: message.to,
  cc: message.cc,
  subject: message.subject,
  date: localTime(timezone, writtenAt(message)),
});

type PageFields = 'part' | 'page' | 'pages' | 'other_parts';

/** Mail from before it was divided stands in one text. */
function textsOf({ new_text, forwarded_text, quoted_text, text }: StoredMessage): Readonly<Record<MailPart, string>> {
  const parts = { new: new_text.trim(), forwarded: forwarded_text.trim(), quoted: quoted_text.trim() };
  return PARTS.every((part) => parts[part] === '') ? { ...parts, new: text.trim() } : parts;
}
