import { createTransport } from 'nodemailer';
import type { Turn } from '../../fakes/model-script.ts';
import { type Modelled, openModelled, type Says } from '../acceptance/office-with-model.ts';
import { ADA, CARL, MEMBER, OWNER, type Sent } from '../governance-rig.ts';

export type File = NonNullable<Parameters<Modelled['office']['post']>[0]['attachments']>[number];

/** Bytes that no text is, so that whatever is lost on the way is seen. */
export const pdf = (filename: string, mark: string): File => ({
  filename,
  content: Buffer.concat([Buffer.from(`%PDF-1.4 ${mark}\n`), Buffer.from([0, 255, 13, 10, 128, 13])]),
  contentType: 'application/pdf',
});

export const asking = (to: string, body: string, more: object = {}): Turn => ({
  calls: [{ name: 'send_email', arguments: { to: [to], subject: 'A request', body, ...more } }],
});

/** All that a request says, in its order, with no escapes in it. */
export const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value.startsWith('{"') ? textOf(JSON.parse(value)) : value;
  return typeof value === 'object' && value !== null ? Object.values(value).map(textOf).join('\n') : '';
};

/** The newest attachment of that name that a text lists. */
export const idOf = (text: string, name: string): string | null =>
  [...text.matchAll(/\[attachment (att_\w+)\] ([^\n",]+)/g)].findLast(([, , called]) => called === name)?.[1] ?? null;

/** Writes to Carl when she is asked to, and answers everything else. */
export const askingCarl: Says = (_turn, mail, results) =>
  results.length === 0 && mail.includes('Ask Carl') ? asking(CARL, 'Please send the proof.') : { text: 'Thank you.' };

/** Mail as a person's program sends it in answer to one of ours. */
export const inAnswerTo = ({ mail }: Sent) => ({
  subject: `Re: ${mail.subject}`,
  inReplyTo: mail.messageId ?? '',
  references: [mail.references ?? [], mail.messageId ?? ''].flat(),
});

/** A member has had Carl asked, and what Carl was sent. */
export async function carlAsked(modelled: Modelled, text = 'Ask Carl for the proof, please.', from = MEMBER) {
  const { office } = modelled;
  await office.post({ from, subject: 'The proof', text });
  if (from !== OWNER) await office.answer(await office.arrival('approval', OWNER), 'approve');
  const sent = await office.arrival('reply', CARL);
  await office.arrival('reply', from);
  return sent;
}

export async function openAsked(says: Says = askingCarl) {
  const modelled = await openModelled(says);
  return { ...modelled, sent: await carlAsked(modelled) };
}

/** What a mail of ours carries, by name. */
export const carried = ({ mail }: Sent) =>
  mail.attachments.map(({ filename, contentType, content }) => ({ filename, contentType, content }));

/** The words of the mail, without what is put below all mails. */
export const wordsOf = ({ mail }: Sent): string => (mail.text ?? '').split('\n-- ')[0]?.trim() ?? '';

/** Whether the gateway takes a mail that comes over the net with nothing to prove who wrote it. */
export async function takesUnproven(
  { office }: Modelled,
  mail: { from: string; text: string; attachments: File[] } & ReturnType<typeof inAnswerTo>,
): Promise<boolean> {
  const { host, port } = office.ready().smtp;
  const transport = createTransport({ host, port, secure: false, ignoreTLS: true });
  try {
    await transport.sendMail({ to: ADA, ...mail });
    return true;
  } catch {
    return false;
  } finally {
    transport.close();
  }
}
