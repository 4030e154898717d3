import type { Persona } from '../../config/types.ts';
import { causeOfStatus } from '../../languages/causes.ts';
import type { Language } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { matchesPattern } from '../../mail/mime/address.ts';
import type { Undelivered } from '../../record/jobs/notice-job.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { StoredMessage } from '../../storage/types/mail.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import { inLine } from '../questions/approval-text.ts';
import { requestOf, whoOf } from '../questions/requests.ts';

export interface UndeliveredNotice {
  readonly subject: string;
  readonly text: string;
  readonly language: Language;
  readonly to?: string;
}

/** What owners are told of a mail of ours that did not arrive; null where it is on record no more. */
export async function undeliveredToOwners(
  persona: Persona,
  store: Store,
  facts: Undelivered,
): Promise<UndeliveredNotice | null> {
  const found = await mailOf(persona, store, facts);
  if (!found) return null;
  const { subject, asker } = found;
  const { language } = persona;
  const text = [
    ...facts.failed.map((one) => lineOf(one, subject, language, 'notices.undelivered')),
    ...(asker === null ? [] : [say(language, 'notices.sentFor', { who: asker.who })]),
    say(language, 'notices.again', { outboxId: facts.outbox_id }),
  ].join('\n\n');
  return { subject: say(language, 'notices.undeliveredSubject', { subject }), text, language };
}

/** The same to the one for whom it was sent; null where that is nobody, or an owner, who hears of it anyway. */
export async function undeliveredToAsker(
  persona: Persona,
  store: Store,
  facts: Undelivered,
): Promise<UndeliveredNotice | null> {
  const found = await mailOf(persona, store, facts);
  if (!found?.asker) return null;
  const { subject, language, asker } = found;
  const lines = facts.failed.map((one) => lineOf(one, subject, language, 'notices.sentForYou'));
  return {
    subject: say(language, 'notices.undeliveredSubject', { subject }),
    text: lines.join('\n\n'),
    language,
    to: asker.address,
  };
}

async function mailOf(persona: Persona, store: Store, { outbox_id, failed }: Undelivered) {
  const mail = await store.getOutbox(outbox_id);
  if (!mail) return null;
  const request = mail.run_id === '' ? null : await requestOf(store, persona, mail.run_id);
  const [message] = await store.messagesByMessageId(mail.message_id);
  const subject = inLine(message?.subject ?? '', 120);
  const asker = request ? askerOf(persona, request, failed) : null;
  return { subject, language: request?.language ?? persona.language, asker };
}

/** Whoever belongs here and asked for it; not the one whom it did not reach, and no owner. */
function askerOf(
  persona: Persona,
  { run, message }: { run: StoredRun; message: StoredMessage | undefined },
  failed: Undelivered['failed'],
): { who: string; address: string } | null {
  const address = message?.reply_to ?? message?.from_address;
  if (!message || !address || run.kind === 'task' || (run.tier !== 'member' && run.tier !== 'owner')) return null;
  if (persona.owners.some((owner) => matchesPattern(run.sender ?? '', owner))) return null;
  const same = (one: string) => one.toLowerCase() === address.toLowerCase();
  return failed.some((one) => same(one.address)) ? null : { who: whoOf(message), address };
}

type Failure = Undelivered['failed'][number];

function lineOf(
  failure: Failure,
  subject: string,
  language: Language,
  key: 'notices.undelivered' | 'notices.sentForYou',
): string {
  const to = inLine(failure.address, 200);
  return failure.why === 'uncertain'
    ? say(language, 'notices.uncertain', { subject, to })
    : say(language, key, { subject, to, cause: causeOf(failure, language) });
}

/** The status in words, and as it was said. */
function causeOf({ status, why }: Failure, language: Language): string {
  const cause = say(
    language,
    `notices.mailCauses.${causeOfStatus(status) ?? (why === 'refused' ? 'refused' : 'unreachable')}`,
  );
  return status === null ? cause : `${cause} (${inLine(status, 20)})`;
}
