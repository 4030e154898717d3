import {
  EngineError,
  type FoundMails,
  type MailCapability,
  type MailHit,
  type MailPart,
  type OpenedMail,
} from '#contract';
import { iso } from '../../lib/clock.ts';
import { instantIn, localTime } from '../../lib/schedule/zone.ts';
import { bracketed } from '../../mail/mime/message-ids.ts';
import type { Store } from '../../storage/ports/store.ts';
import { writtenAt } from '../../storage/search/written-at.ts';
import type { FoundAttachment, FoundMessage, OpenedMessage, StoredMessage, Viewer } from '../../storage/types/mail.ts';
import type { ThreadsWanted } from '../../storage/types/thread-overview.ts';
import type { Library } from '../documents/library.ts';
import { endOfPage, pastTheLast, textPage } from '../documents/page.ts';
import { attachmentLines, attachmentsInPlace } from './attachment-lines.ts';
import { createThreadLister, type RefusedSight } from './threads.ts';

/** With whose eyes mail is looked for, and in which zone its dates are read and shown. */
interface MailSight {
  readonly store: Pick<Store, 'search'>;
  readonly viewer: Viewer;
  /** Message-ID of the mail that is answered: the first result of each search otherwise, and read by then. */
  readonly current: string | null;
  readonly timezone: string;
}

/** Earlier mail as the sender of the current one may see it. */
export function createMail(
  options: MailSight & {
    store: Pick<Store, 'findAttachment' | 'search' | 'openMail' | 'seenThreads'>;
    library: Pick<Library, 'open'>;
    asker: ThreadsWanted['asker'];
    /** Whether the run may read attachments. */
    mayOpen: boolean;
    /** Null where others than owners read what it finds. */
    refused?: RefusedSight | null;
  },
): MailCapability {
  const { store, library, viewer } = options;
  return {
    search: createMailSearch(options),
    find: createMailFinder(options),
    threads: createThreadLister(options),
    read: createMailReader(options),

    async readAttachment({ id, part = '', page, offset, limit }) {
      const row = await store.findAttachment(id, viewer);
      if (!row) throw noAttachment(id);
      const { name, type, bytes } = row;
      const entry = row.unreadable === null ? await library.open({ ...row, part }) : null;
      if (!entry?.ok) {
        const what = part === '' ? `${name} (${type})` : `${JSON.stringify(part)} in ${name}`;
        const why = row.unreadable ?? entry?.refusal.message;
        throw new EngineError('tool_failed', `${what} cannot be read as text: ${why}`);
      }
      const { title, note, parts, pages } = entry.facts;
      const shown = textPage(await entry.text(), pages, { page, offset, limit });
      const said = [...isReplaced(row), ...(note === null ? [] : [note])].join('; ') || null;
      return { id, name, type, bytes, part: part || null, title, note: said, parts, ...shown };
    },
  };
}

/** What a model has to know of a file that its sender sent in another version since. */
export const isReplaced = ({ newer }: Pick<FoundAttachment, 'newer'>): readonly string[] =>
  newer ? [`a later mail of this thread has another file of this name: ${newer}; this is the earlier one`] : [];

/** The search of the mailbox by words. */
export function createMailSearch(sight: MailSight): MailCapability['search'] {
  const find = createMailFinder(sight);
  return async (wanted) =>
    (await find(wanted)).messages.map(({ message_id, thread_id, direction, from, subject, date, snippet }) => ({
      message_id,
      thread_id,
      direction,
      from,
      subject,
      date,
      snippet,
    }));
}

/** The search of the mailbox by words, people, dates and threads. */
export function createMailFinder({ store, viewer, current, timezone }: MailSight): MailCapability['find'] {
  return async ({ query, since, before, has_attachment, thread, ...wanted }) => {
    const { messages, order, total, more } = await store.search({
      ...wanted,
      query: query ?? null,
      since: since === undefined ? undefined : instantIn(timezone, since, 'since'),
      before: before === undefined ? undefined : instantIn(timezone, before, 'before'),
      hasAttachment: has_attachment,
      threadId: thread,
      except: current,
      viewer,
    });
    const hits = messages.map((message) => hitOf(message, timezone));
    const isAll = total <= hits.length && !more;
    return {
      total,
      messages: hits,
      next: wayOn(messages, { order, isAll, limit: wanted.limit }),
      // "There is none" would be told to somebody who may see a part alone.
      ...(isAll && viewer !== null ? { note: viewer.also === undefined ? ONLY_THEIRS : ONLY_COMMON } : {}),
    };
  };
}

const ONLY_THEIRS = 'only mail that this sender may see is searched; there may be other mail';
const ONLY_COMMON = 'only mail that all readers of your answer may see is searched; there may be other mail';

const hitOf = (message: FoundMessage, timezone: string): MailHit => ({
  message_id: message.message_id,
  thread_id: message.thread_id,
  direction: message.direction,
  from: message.from_address ?? '',
  from_name: message.from_name,
  to: [...message.to, ...message.cc],
  subject: message.subject,
  date: localTime(timezone, message.written_at),
  proven: message.tier !== 'unauthenticated',
  attachments: message.attachments.map(({ name }) => name),
  files: message.attachments.map(({ id, name }) => ({ id, name })),
  snippet: message.snippet,
});

function wayOn(
  messages: readonly FoundMessage[],
  { order, isAll, limit }: { readonly order: 'best' | 'newest'; readonly isAll: boolean; readonly limit: number },
): FoundMails['next'] {
  const last = messages.at(-1);
  if (isAll || !last) return null;
  return order === 'newest'
    ? `before: ${iso(last.written_at)}`
    : `${limit < MOST_FOUND ? `limit: ${MOST_FOUND}, ` : ''}other words, from, to, since, before`;
}

/** As many as search_mail takes for its limit. */
const MOST_FOUND = 20;

/** With what JSON adds, below what the engine would cut a result to. */
const PAGE_CHARACTERS = 10_000;

const PARTS: readonly MailPart[] = ['new', 'forwarded', 'quoted'];

/** One mail that `viewer` may see, by the Message-ID that a search or a thread names. */
function createMailReader(options: {
  readonly store: Pick<Store, 'openMail'>;
  readonly viewer: Viewer;
  readonly timezone: string;
  readonly library: Pick<Library, 'open'>;
  readonly mayOpen: boolean;
}): MailCapability['read'] {
  const { store, viewer, timezone, library, mayOpen } = options;
  return async ({ message_id, part, page = 1 }) => {
    const found = await store.openMail(bracketed(message_id), viewer);
    if (!found) throw new EngineError('not_found', 'there is no such mail among those that this sender may see');
    const texts = textsOf(found.message);
    const chosen = part ?? PARTS.find((one) => texts[one] !== '') ?? 'new';
    const pages = inPages(texts[chosen], PAGE_CHARACTERS);
    const text = pages[page - 1];
    if (text === undefined) {
      pastTheLast(page, pages.length);
    }
    const others = PARTS.filter((one) => one !== chosen && texts[one] !== '');
    const around = { pictures: [], library };
    // With each later page they would stand there again.
    const files =
      mayOpen && page === 1
        ? await attachmentsInPlace(found.attachments, around, PAGE_CHARACTERS - text.length)
        : { lines: await attachmentLines(found.attachments, around), texts: [] };
    return {
      ...headOf(found, timezone),
      attachments: files.lines,
      ...(files.texts.length === 0 ? {} : { texts: files.texts }),
      part: chosen,
      text,
      page,
      pages: pages.length,
      other_parts: others.map((one) => ({ part: one, pages: inPages(texts[one], PAGE_CHARACTERS).length })),
    };
  };
}

const headOf = (
  { message }: OpenedMessage,
  timezone: string,
): Omit<OpenedMail, 'text' | 'texts' | 'attachments' | PageFields> => ({
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

/** All pages of a text, in order; together they are the whole. One, which is empty, of an empty text. */
function inPages(text: string, limit: number): readonly string[] {
  const pages: string[] = [];
  for (let from = 0; from < text.length || pages.length === 0; ) {
    const end = endOfPage(text, from, limit);
    pages.push(text.slice(from, end));
    if (end <= from) break;
    from = end;
  }
  return pages;
}

export const noAttachment = (id: string): EngineError =>
  new EngineError('not_found', `there is no attachment ${id.slice(0, 100)} in the mail that this sender may see`, {
    reason: 'no_file',
  });
