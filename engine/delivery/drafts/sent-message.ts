import type { ParsedMail } from '../../mail/mime/types.ts';
import { readMessages } from '../../record/codec/messages.ts';
import type { UnsentMessage } from '../../storage/types/drafts.ts';
import type { NewMessage } from '../../storage/types/mail.ts';

export interface SentAnswer {
  readonly message: NewMessage;
  readonly viewers: readonly string[];
  readonly edited: boolean;
}

/** Programs wrap lines anew, and write blanks as they like. */
const words = (text: string): string => text.replace(/\s+/g, ' ').trim();

/**
 * The row of the thread for a draft that was sent: with the words that were sent, to those who were written to, under the
 * Message-ID by which answers name it. `draft` is ours as it was put there, read like any mail; `sent` null: nobody can
 * read the copy.
 */
export function sentMessage(
  message: UnsentMessage,
  draft: ParsedMail | null,
  sent: ParsedMail | null,
  now: number,
): SentAnswer {
  if (sent === null) {
    const text = '[the copy of what was sent cannot be read]';
    return { message: said(message, text, now), viewers: [...message.to, ...message.cc], edited: true };
  }
  const edited = draft === null || words(draft.newText) !== words(sent.newText);
  const [to, cc] = [addressesOf(sent.to), addressesOf(sent.cc)];
  const own = edited ? said(message, sent.newText.trim(), now) : { ...message, received_at: now };
  return {
    message: {
      ...{ ...own, to, cc, message_id: sent.messageId, subject: sent.subject, date: sent.date ?? now },
      ...(sent.inReplyTo[0] ? { in_reply_to: sent.inReplyTo[0] } : {}),
      ...(sent.references.length > 0 ? { references: sent.references } : {}),
    },
    viewers: [...to, ...cc],
    edited,
  };
}

const addressesOf = (boxes: ParsedMail['to']): readonly string[] => boxes.map(({ address }) => address.toLowerCase());

/** The same row with other words; what was called for it stays. */
function said(message: UnsentMessage, text: string, now: number): NewMessage {
  const shown = message.rendered_json === null ? [] : readMessages(message.rendered_json);
  const rendered = JSON.stringify([...shown.slice(0, -1), { role: 'assistant', text, toolCalls: [] }]);
  return { ...message, text, new_text: text, rendered_json: rendered, received_at: now };
}
