import { z } from 'zod';
import { EngineError } from '#contract';
import type { Configs, Persona } from '../../config/types.ts';
import type { Language } from '../../languages/language.ts';
import type { ReadersOf } from '../../languages/owner-language.ts';
import { say } from '../../languages/say.ts';
import { signatureOf } from '../../languages/signature.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { sha256 } from '../../lib/ids.ts';
import { composeMail, type LetterBlock } from '../../mail/compose/compose.ts';
import { withoutDirections } from '../../mail/text/invisible.ts';
import { defineJob } from '../../record/jobs/jobs.ts';
import type { Store } from '../../storage/ports/store.ts';
import { queuedMail } from '../../storage/queued-mail.ts';
import type { ApprovalNotice } from '../../storage/types/approvals.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import type { MailKind, OutgoingMail } from '../../storage/types/outbox.ts';
import type { Enclosed } from '../questions/enclosures.ts';

export interface OwnerMailDeps {
  configs(): Configs;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Our own words, with the commands in them as they are typed here; absent: they stay as they are. */
  hint?(text: string): string;
}

/** The readers of mail to owners: the owners, or the administrator where there are none. */
export function readersOf({ configs }: Pick<OwnerMailDeps, 'configs'>, persona: Persona): readonly string[] {
  const { admin_contact: admin } = configs().system;
  return persona.owners.length > 0 || admin === null ? persona.owners : [admin];
}

export interface MailToOwner {
  readonly kind: MailKind;
  readonly purpose: string;
  readonly subject: string;
  readonly text: string | readonly LetterBlock[];
  /** In which it is written; absent: the persona's. */
  readonly language?: Language;
  /** The subject says by itself who writes. */
  readonly namesItself?: boolean;
  readonly replyTo: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly to?: readonly string[];
  /** The notice that this mail is about. Who answers this mail answers the notice, found by its References. */
  readonly about?: string;
  /** The mail of a thread that this one goes on with, in place of a subject of its own. */
  readonly inThread?: { threadId: string | null; inReplyTo: string; references: readonly string[] };
  readonly runId?: string;
  /** To look at beside it. */
  readonly files?: readonly Enclosed[];
}

/**
 * A mail to the owners, or to `to`, that answers nobody's mail. Throws `not_found` where there is nobody to write to.
 */
export async function writeOwnerMail(deps: OwnerMailDeps, persona: Persona, mail: MailToOwner): Promise<OutgoingMail> {
  const { gateway } = deps.configs();
  const recipients = mail.to ?? readersOf(deps, persona);
  if (recipients.length === 0) throw nobodyToAsk(persona);
  const { language = persona.language } = mail;
  const now = deps.clock.now();
  const id = deps.ids.next();
  const messageId = `<${id}@${gateway.domain}>`;
  const raw = await composeMail({
    from: { name: persona.name, address: persona.address },
    to: recipients.map((address) => ({ name: '', address })),
    cc: [],
    subject: withoutDirections(mail.inThread || mail.namesItself ? mail.subject : `[${persona.name}] ${mail.subject}`),
    messageId,
    inReplyTo: mail.inThread?.inReplyTo ?? mail.about ?? null,
    references: mail.inThread?.references ?? (mail.about === undefined ? [] : [mail.about]),
    date: now,
    kind: mail.kind,
    runId: mail.runId ?? null,
    autoSubmitted: 'auto-generated',
    replyTo: mail.replyTo,
    recursion: null,
    text: textOf(mail.text, deps.hint ?? ((text) => text)),
    signature: signatureOf(persona, language),
    language,
    quote: null,
    attachments: mail.files ?? [],
    extraHeaders: mail.headers,
  });
  return {
    row: queuedMail({
      id,
      messageId,
      runId: mail.runId ?? '',
      purpose: mail.purpose,
      kind: mail.kind,
      inReplyTo: mail.inThread?.inReplyTo ?? null,
      threadId: mail.inThread?.threadId ?? null,
      raw,
      now,
      persona,
    }),
    recipients: [...recipients],
  };
}

/**
 * One mail for each language that its readers are written to in; all of them answer to the same. `write`: what it says, and
 * the persona with that language as its own. Throws as `writeOwnerMail` does.
 */
export async function writeInEach(
  deps: OwnerMailDeps,
  persona: Persona,
  readers: readonly ReadersOf[],
  write: (persona: Persona) => MailToOwner | Promise<MailToOwner>,
): Promise<OutgoingMail> {
  const mails: OutgoingMail[] = [];
  for (const { language, to } of readers) {
    const mail = await write({ ...persona, language });
    const purpose = mails.length === 0 ? mail.purpose : `${mail.purpose}:${language}`;
    mails.push(await writeOwnerMail(deps, persona, { ...mail, purpose, language, to }));
  }
  const [first, ...also] = mails;
  if (!first) throw nobodyToAsk(persona);
  return also.length === 0 ? first : { ...first, also };
}

const textOf = (text: MailToOwner['text'], hint: (text: string) => string): MailToOwner['text'] =>
  typeof text === 'string'
    ? hint(withoutDirections(text))
    : text.map((block) => (block.kind === 'small' ? { ...block, text: hint(block.text) } : block));

/** What is kept of a mail that owners may answer under `token`. */
export const noticeOf = ({ clock, ids }: OwnerMailDeps, mail: OutgoingMail, token: string): ApprovalNotice => ({
  id: ids.next(),
  token_sha256: sha256(token),
  message_id: mail.row.message_id,
  created_at: clock.now(),
  reminded_at: null,
  again_json: null,
});

export const approvalReminder = defineJob('approval_reminder', z.object({ notice_id: z.string() }));

/** The one reminder of it, where the configuration wants any. */
export function remindersOf({ configs }: OwnerMailDeps, { id, created_at }: ApprovalNotice): readonly NewJob[] {
  const remindMs = configs().security.approvals.reminder_hours * 3_600_000;
  if (remindMs === 0) return [];
  const dueAt = created_at + remindMs;
  return [approvalReminder.job({ id: `approval_reminder:${id}`, due_at: dueAt, payload: { notice_id: id } })];
}

/** Tells an owner what became of their answer to a notice, or asks them again; the job that asked for it ends with it. */
export async function writeBack(
  deps: OwnerMailDeps,
  persona: Persona,
  {
    store,
    jobId,
    to,
    ...mail
  }: Pick<MailToOwner, 'kind' | 'text' | 'about' | 'files'> & {
    readonly language: Language;
    readonly store: Pick<Store, 'queueClarification'>;
    readonly jobId: string;
    readonly to: string;
  },
): Promise<void> {
  const rest = { purpose: jobId, subject: say(mail.language, 'clarify.subject'), replyTo: null, headers: {}, to: [to] };
  await store.queueClarification(jobId, await writeOwnerMail(deps, persona, { ...mail, ...rest }));
}

const nobodyToAsk = (persona: Persona): EngineError =>
  new EngineError('not_found', `${persona.id} has no owner who could be asked`);
