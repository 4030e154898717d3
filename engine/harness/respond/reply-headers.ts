<<<<<<< HEAD
import type { Persona } from '../../config/types.ts';
import { referencesFor, replySubject } from '../../mail/compose/compose.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import { languageOf } from '../../wording/language.ts';
import { mailWords } from '../../wording/mails.ts';
import { dayAndTime } from '../../wording/times.ts';

const MAX_QUOTE_CHARS = 600;

/** Where a reply stands in its thread: the headers that place it, and the mail that it quotes. */
=======
/** How the mail lies in its conversation. */
>>>>>>> fc9466eb441f79e4f56bf9d2a7b1790c2a016f92
export interface ReplyHeaders {
  readonly kind: 'reply' | 'task';
  readonly subject: string;
  readonly inReplyTo: string | null;
  readonly references: readonly string[];
  readonly quote: { attribution: string; text: string } | null;
}
<<<<<<< HEAD

export const replyHeaders = (message: LoadedRun['message'], persona: Voice): ReplyHeaders => ({
  kind: 'reply',
  subject: replySubject(message.subject),
  inReplyTo: message.message_id,
  references: referencesFor({
    messageId: message.message_id,
    references: message.references,
    inReplyTo: message.in_reply_to === null ? [] : [message.in_reply_to],
  }),
  quote: quoteOf(message, persona),
});

/** What of a persona's settings its mails are worded by. */
export type Voice = Pick<Persona, 'language' | 'signature' | 'timezone'>;

/** In the words of the mail that is quoted, on the clocks of the persona. */
function quoteOf(message: LoadedRun['message'], persona: Voice): ReplyHeaders['quote'] {
  const text = message.new_text.trim();
  if (text === '') return null;
  const short = text.length > MAX_QUOTE_CHARS ? `${text.slice(0, MAX_QUOTE_CHARS).trimEnd()} …` : text;
  const language = languageOf([message.new_text], persona.language);
  const when = dayAndTime(message.date ?? message.received_at, { language, zone: persona.timezone }, true);
  const who = message.from_name || message.from_address || '?';
  return { attribution: mailWords(language).wrote(who, when), text: short };
}
=======
>>>>>>> fc9466eb441f79e4f56bf9d2a7b1790c2a016f92
