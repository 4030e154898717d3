import type { ListResponse, SearchObject } from 'imapflow';
import { DAY_MS } from '../../../lib/time.ts';
import { firstHeader, type HeaderLine, headerValues, readHeaders } from '../../../mail/mime/headers.ts';
import { messageIds } from '../../../mail/mime/message-ids.ts';
import type { AppendedDraft, DraftPlace, DraftsFolder, SeenDraft, WantedDraft } from '../../../storage/types/drafts.ts';
import { type ImapLine, type OpenLine, select } from './line.ts';
import { asEngineError } from './sent.ts';
import { describe, fetchByUid, type ImapSession, isRefusedByServer, required, searchUids } from './session.ts';

/** The flags that mail programs store a draft with. */
const FLAGS = ['\\Draft', '\\Seen'];
const MARKS = ['message-id', 'in-reply-to', 'references', 'auto-submitted', 'x-epistle-run'];
const MAX_CANDIDATES = 20;
const MAX_SENT_BYTES = 32 * 1024 * 1024;
/** The server's clock may be behind ours, and SINCE knows days alone. */

/** The folder for drafts at the end of `line`. */
export function createDraftsFolder(line: ImapLine): DraftsFolder {
  return {
    append: (raw) =>
      line
        .use((opened) => append(opened, raw))
        .catch((error: unknown) => {
          const { code, message } = asEngineError(error);
          return { kind: code === 'auth' ? 'auth' : 'unreachable', message };
        }),
    look: (wanted) =>
      line
        .use((opened) => look(opened, wanted))
        .catch((error: unknown) => {
          throw asEngineError(error);
        }),
  };
}

/** The path of the folder for this use: by SPECIAL-USE (RFC 6154), else by imapflow's list of localized names. */
export const folderFor = (use: '\\Drafts' | '\\Sent', folders: readonly ListResponse[]): string | null =>
  folders.find(({ specialUse }) => specialUse === use)?.path ?? null;

const pathOf = async ({ folders }: OpenLine, use: Parameters<typeof folderFor>[0]): Promise<string | null> =>
  folderFor(use, await folders());

async function append(opened: OpenLine, raw: Uint8Array): Promise<AppendedDraft> {
  const { session } = opened;
  const folder = await pathOf(opened, '\\Drafts');
  if (folder === null) return { kind: 'no_folder' };
  // imapflow leaves out flags that the selected folder does not have.
  const uidvalidity = await select(session, folder);
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  try {
    const done = required(
      await session.call('APPEND', (client) => client.append(folder, bytes, FLAGS), bytes.length),
      'APPEND',
    );
    // Without APPENDUID (RFC 4315) the next search finds it by its Message-ID.
    return {
      kind: 'lies',
      place: { folder, uidvalidity: String(done.uidValidity ?? uidvalidity), uid: done.uid ?? 0 },
    };
  } catch (error) {
    if (!session.closed.aborted && isRefusedByServer(error)) return { kind: 'refused', message: describe(error) };
    session.client.close();
    return { kind: 'unknown', message: describe(error) };
  }
}

async function look(opened: OpenLine, wanted: readonly WantedDraft[]): Promise<ReadonlyMap<string, SeenDraft>> {
  const seen = new Map<string, SeenDraft>();
  const folder = await pathOf(opened, '\\Drafts');
  if (folder !== null) {
    for (const [key, place] of await placesOf(opened.session, folder, wanted)) seen.set(key, { in: 'drafts', place });
  }
  const missing = wanted.filter(({ key }) => !seen.has(key));
  const sent = missing.length > 0 ? await pathOf(opened, '\\Sent') : null;
  for (const one of missing) {
    const raw = sent === null ? null : await copyIn(opened.session, sent, one);
    seen.set(one.key, raw === null ? { in: 'neither' } : { in: 'sent', raw });
  }
  return seen;
}

/** Those that lie in Drafts: by UID, all at once; what is not there any more by what it answers. */
async function placesOf(
  session: ImapSession,
  folder: string,
  wanted: readonly WantedDraft[],
): Promise<ReadonlyMap<string, DraftPlace>> {
  const uidvalidity = await select(session, folder);
  const uidOf = ({ place }: WantedDraft): number =>
    place?.folder === folder && place.uidvalidity === uidvalidity ? place.uid : 0;
  const uids = wanted.map(uidOf).filter((uid) => uid > 0);
  const there = new Set(uids.length === 0 ? [] : await searchUids(session, { uid: uids.join(','), deleted: false }));
  const places = new Map<string, DraftPlace>();
  for (const one of wanted) {
    const uid = there.has(uidOf(one)) ? uidOf(one) : (await versionsOf(session, one, { deleted: false })).at(-1);
    if (uid !== undefined) places.set(one.key, { folder, uidvalidity, uid });
  }
  return places;
}

async function copyIn(session: ImapSession, folder: string, wanted: WantedDraft): Promise<Uint8Array | null> {
  await select(session, folder);
  const uid = (await versionsOf(session, wanted, { since: new Date(wanted.since - DAY_MS) })).at(-1);
  if (uid === undefined) return null;
  const [mail] = await fetchByUid(session, String(uid), { source: { maxLength: MAX_SENT_BYTES } }, MAX_SENT_BYTES);
  // Moved away between two commands.
  return mail?.source ?? null;
}

/** UIDs in the selected folder under which it may lie now, the newest last. */
async function versionsOf(session: ImapSession, wanted: WantedDraft, within: SearchObject): Promise<readonly number[]> {
  const own = await searchUids(session, { ...within, header: { 'message-id': wanted.messageId } });
  if (own.length > 0 || wanted.inReplyTo === null) return own;
  const answered = wanted.inReplyTo;
  const found = await searchUids(session, {
    ...within,
    or: [{ header: { 'in-reply-to': answered } }, { header: { references: answered } }],
  });
  if (found.length === 0) return [];
  const range = found.slice(-MAX_CANDIDATES).join(',');
  const mails = await fetchByUid(session, range, { headers: MARKS });
  return mails
    .filter(({ headers }) => headers !== undefined && isVersionOf(wanted, readHeaders(headers).lines))
    .map(({ uid }) => uid)
    .toSorted((a, b) => a - b);
}

/** By what an answer in Drafts is known again, whatever a mail program has made of it. */
interface DraftMarks {
  readonly messageId: string;
  /** The mail that it answers. */
  readonly inReplyTo: string | null;
  readonly runId: string;
}

const AUTOMATIC = /^\s*auto-/i;

/**
 * Whether a mail in Drafts or Sent is this draft, perhaps changed. Mail programs replace a draft by a new message, often
 * under a new Message-ID; what stays is which mail it answers (RFC 5322 section 3.6.4). Drafts of other runs are not it,
 * and neither is what a program answered by itself.
 */
export function isVersionOf({ messageId, inReplyTo, runId }: DraftMarks, head: readonly HeaderLine[]): boolean {
  if (firstHeader(head, 'message-id')?.trim() === messageId) return true;
  if (AUTOMATIC.test(firstHeader(head, 'auto-submitted') ?? '')) return false;
  const run = firstHeader(head, 'x-epistle-run')?.trim() ?? '';
  if (run !== '') return run === runId;
  if (inReplyTo === null) return false;
  const answers = messageIds(headerValues(head, 'in-reply-to'));
  // Some programs keep References alone; the last of them is the mail that is answered.
  return answers.length > 0
    ? answers.includes(inReplyTo)
    : messageIds(headerValues(head, 'references')).at(-1) === inReplyTo;
}
