import { type Accounted, accountFor } from '../../mail/approval/accounted/accounted.ts';
import { doubtfulLine, doubtfulSubject } from '../../mail/approval/accounted/beside.ts';
import { valuesIn } from '../../mail/approval/accounted/value-kinds.ts';
import { besideCommand } from '../../mail/approval/owner-command.ts';
import { readSentMail } from '../../mail/reading/sent-mail.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { Approval, ApprovalNotice } from '../../storage/types/approvals.ts';
import type { Doubt, Said } from '../../suspensions/answers/read-answer.ts';
import type { MailFacts } from '../facts.ts';

type Given = Pick<MailFacts, 'mail' | 'identity'>;
type Rows = Pick<Store, 'mailsQuotable' | 'earlierTexts'>;

/** What a proven owner's answer to a notice says, with every line of it accounted for. */
export async function saidIn(
  store: Rows,
  { notice, items }: { readonly notice: ApprovalNotice; readonly items: readonly Approval[] },
  given: Given,
): Promise<Said> {
  const { sent, accounted } = await account(store, given, [notice.message_id]);
  const { typed } = accounted;
  if (given.mail.attachments.some(({ type }) => REACTION.test(type))) return { typed, doubt: A_REACTION };
  // What was cut off may say anything.
  if (given.mail.isCut) return { typed, doubt: { why: 'too_long', detail: null } };
  const asked = valuesIn(items.map(({ arguments_json: values }) => values).join('\n'));
  const subject = doubtfulSubject(given.mail.subject, sent);
  if (subject !== null) return { typed, doubt: { why: 'beside', detail: subject } };
  const line = doubtfulLine(accounted, { earlier: await earlierOf(store, given, accounted), asked });
  return { typed, doubt: line === null ? null : { why: 'beside', detail: line } };
}

/** A line of a mail with an owner's command that may change it; null where the command is all that it says. */
export async function saidBeside(store: Rows, given: Given): Promise<string | null> {
  const { accounted } = await account(store, given, []);
  const besides = { earlier: await earlierOf(store, given, accounted), asked: new Set<never>() };
  return besideCommand(accounted.typed) ?? doubtfulLine(accounted, besides) ?? (given.mail.isCut ? '…' : null);
}

async function account(store: Rows, { mail }: Given, about: readonly string[]) {
  const ids = [...about, ...mail.inReplyTo, ...mail.references.toReversed()];
  const sent = (await store.mailsQuotable([...new Set(ids)])).flatMap(
    ({ raw, created_at: at }) => readSentMail(raw, at) ?? [],
  );
  return { sent, accounted: accountFor(mail.pieces, sent) };
}

/** They are asked for only where they may tell a signature. */
const earlierOf = (store: Rows, { identity: { address } }: Given, { unexplained }: Accounted) =>
  address !== null && unexplained.some(({ kind }) => kind === 'signature')
    ? store.earlierTexts(address)
    : Promise.resolve([]);

/** As Gmail sends them: `text/vnd.google.email-reaction+json`. */
const REACTION = /\breaction\b/i;
const A_REACTION: Doubt = { why: 'reaction', detail: null };
