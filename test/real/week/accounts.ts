import type { ParsedMail } from 'mailparser';
import { type Office, PEOPLE, type Who } from './office.ts';
import { OF_PROXY } from './vendor.ts';

const kindOf = (mail: ParsedMail) => String(mail.headers.get('x-epistle-kind'));

/** What is wrong with the accounts of the week: a letter without an answer, with two, one that nobody knows, a mail that did not leave. */
export async function accounted(office: Office): Promise<string[]> {
  const { mails } = (await office.command('mail', 'list', '--limit', '500')).json;
  const known = new Set(mails.map(({ message_id: id }: { message_id: string }) => id));
  const wrong: string[] = [];
  const people = Object.keys(PEOPLE) as Who[];
  const received = await Promise.all(people.map((who) => office.inbox(who)));
  const replies = new Map(
    people.map((who, at) => [who, (received[at] ?? []).filter((mail) => kindOf(mail) === 'reply')]),
  );
  for (const { id, from, subject, fate } of office.letters) {
    if (!known.has(id)) wrong.push(`nobody knows of "${subject}"`);
    const answers = (replies.get(from) ?? []).filter(({ inReplyTo }) => inReplyTo === id);
    if (answers.length !== (fate === undefined ? 1 : 0)) wrong.push(`"${subject}" has ${answers.length} answers`);
  }
  for (const persona of ['ada', 'ben', 'cleo']) {
    for (const { state, in_reply_to: to } of office.site.outbox(persona))
      if (state !== 'sent') wrong.push(`the mail of ${persona} about ${to} is ${state}`);
  }
  return wrong;
}

/** No person reads any of these. Commands, which stand between backticks, and the reference of a question may have an id. */
const NEVER: readonly RegExp[] = [
  /\d{4}-\d\d-\d\dT\d\d/,
  /[0-9a-f]{8}-[0-9a-f]{4}-/,
  /\b(?:req|run|msg|toolu|call|inv)_\w+/,
  /\bundefined\b|\bNaN\b|\[object|\{"/,
  /provider_\w+|model_gone|bad_request|message_too_large|E[A-Z]{5,}\b|ended early/,
  ...OF_PROXY.map((word) => new RegExp(word, 'i')),
];

/** Mails that people got in which something stands that is none of theirs: who, and what. */
export async function outOfPlace(office: Office): Promise<string[]> {
  const wrong: string[] = [];
  for (const who of Object.keys(PEOPLE) as Who[]) {
    for (const { subject = '', text = '' } of await office.inbox(who)) {
      const read = `${subject}\n${text}`.replaceAll(/`[^`]*`/g, '').replaceAll(/^Reference: .*$/gm, '');
      for (const never of NEVER) {
        const found = never.exec(read);
        if (found) wrong.push(`${who}, "${subject}": ${found[0]}`);
      }
    }
  }
  return wrong;
}
