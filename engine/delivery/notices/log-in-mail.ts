import type { Persona } from '../../config/types.ts';
import type { Language } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { composeMail } from '../../mail/compose/compose.ts';

/**
 * The bytes of the mail that lets an owner into the console. They are handed to a mail server and kept nowhere: no row, no file
 * and no folder has them, so that nobody finds later what let somebody in.
 */
export const writeLogInMail = (mail: {
  /** In whose name it leaves. */
  readonly persona: Persona;
  readonly to: string;
  readonly language: Language;
  /** The address of the page of the console that takes the code; the code goes behind its #. */
  readonly page: string;
  readonly code: string;
  readonly minutes: number;
  readonly messageId: string;
  readonly now: number;
}): Promise<Uint8Array> => {
  const { persona, language, minutes } = mail;
  return composeMail({
    from: { name: 'Epistle', address: persona.address },
    to: [{ name: '', address: mail.to }],
    cc: [],
    replyTo: null,
    subject: say(language, 'logIn.subject'),
    messageId: mail.messageId,
    inReplyTo: null,
    references: [],
    date: mail.now,
    kind: 'notice',
    runId: null,
    autoSubmitted: 'auto-generated',
    recursion: null,
    text: [
      say(language, 'logIn.asked', { minutes }),
      `${mail.page}#${mail.code}`,
      say(language, 'logIn.code'),
      `    ${mail.code}`,
      say(language, 'logIn.otherwise'),
    ].join('\n\n'),
    signature: [],
    language,
    quote: null,
    attachments: [],
    extraHeaders: {},
  });
};
