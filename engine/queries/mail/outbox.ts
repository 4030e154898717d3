import { EngineError } from '#contract';
import { draftsMailbox } from '../../config/mailboxes/drafts-mailbox.ts';
import { senderOf } from '../../config/mailboxes/sending-mailbox.ts';
import { iso } from '../../lib/clock.ts';
import { readHeaders } from '../../mail/mime/headers.ts';
import { headerText } from '../../mail/mime/words.ts';
import type { Store } from '../../storage/ports/store.ts';
import { UNSENT_STATES } from '../../storage/types/outbox.ts';
import type { Overview } from '../../storage/types/overview.ts';
import { type About, withAbout } from '../about.ts';
import { findAcross } from '../find-across.ts';
import { idNamed } from '../id-named.ts';
import { listAcross, type Page } from '../list-across.ts';
import type { QueryPorts } from '../ports.ts';
import { type DraftShape, draftShape, type OutboxShape, outboxShape } from '../shapes.ts';

/** With the mail that it answers or is about; what is about none, such as a notice, with its own subject. */
export interface ListedOutbox extends OutboxShape, About {
  readonly created_at: string;
}

export interface OutboxPage {
  readonly outbox: readonly ListedOutbox[];
  readonly next: string | null;
}

/** Our own header is written before the text, and is shorter. */
const HEAD_BYTES = 16 * 1024;

/** What mails of ours that are about none have as their subject, by their ids. */
export async function ownSubjects(store: Store, ids: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
  return new Map((await store.outboxHeads(ids, HEAD_BYTES)).map(({ id, head }) => [id, subjectIn(head)]));
}

function subjectIn(head: Uint8Array): string | null {
  const line = readHeaders(Buffer.from(head)).lines.find(({ name }) => name === 'subject');
  return line ? headerText(line.value) : null;
}

export async function listOutbox(ports: QueryPorts, page: Page): Promise<OutboxPage> {
  const { rows, next } = await listAcross(ports, page, { of: newestIn, read: mailsOf });
  const outbox = rows.map(({ persona, row }) => ({
    ...outboxShape(persona, row, row.recipients),
    ...row.about,
    created_at: iso(row.created_at),
  }));
  return { outbox, next };
}

/** Of mail that has left the newest of all is as good as the newest of its state. */
const newestIn = ({ outbox, newest }: Overview, status: string | undefined): string | null =>
  isUnsent(status) && !outbox.some(({ state }) => state === status) ? null : newest.outbox;

const isUnsent = (state: string | undefined): boolean => UNSENT_STATES.some((one) => one === state);

async function mailsOf(store: Store, wanted: Pick<Page, 'limit' | 'after' | 'status'>) {
  const mails = await withAbout(store, await store.listOutbox(wanted), ({ run_id: run }) => run);
  const recipients = await store.outboxRecipients(mails.map(({ id }) => id));
  const aboutNone = mails.filter(({ about }) => about.subject === null).map(({ id }) => id);
  const own = await ownSubjects(store, aboutNone);
  return mails.map((mail) => ({
    ...mail,
    recipients,
    about: { ...mail.about, subject: mail.about.subject ?? own.get(mail.id) ?? null },
  }));
}

interface OutboxSource extends OutboxShape {
  /** The mail itself. */
  readonly raw: string;
  /** Of a mail that is put into Drafts. */
  readonly draft?: DraftShape;
}

/** By its id, a part of it, or the `last`. Throws `not_found`, and `usage` where several fit. */
export async function outboxMail(ports: QueryPorts, given: string): Promise<OutboxSource> {
  const id = await idNamed(ports, 'outbox', given);
  const found = await findAcross(ports, async (store) => {
    const mail = await store.getOutbox(id);
    if (!mail) return undefined;
    const [recipients, source, draft] = [store.outboxRecipients([id]), store.outboxRaw(id), store.getDraft(id)];
    return { mail, recipients: await recipients, source: await source, draft: await draft };
  });
  if (!found) throw new EngineError('not_found', `no outgoing mail has the id ${id}; see \`epistle outbox list\``);
  const { mail, recipients, source, draft } = found.row;
  const raw = Buffer.from(source?.raw ?? new Uint8Array()).toString('utf8');
  const entry = ports.live.personas().get(found.persona);
  const persona = entry ? senderOf(entry) : { address: source?.envelope_from ?? '', aliases: [], mailbox: null };
  const sender = { ...persona, mailbox: source?.mailbox ?? persona.mailbox };
  const shape = draft && draftShape(draft, draftsMailbox(ports.live.current().gateway.mailboxes, sender));
  return { ...outboxShape(found.persona, mail, recipients), raw, ...(shape ? { draft: shape } : {}) };
}
