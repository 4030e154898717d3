import { reasonInWords } from '../state-words.ts';
import type { OneMail } from './one-mail.ts';

/** What became of a mail and why, as one person would tell another. Pure; `personaName`: null for mail of no persona. */
export function whyInWords({ mail, run }: Pick<OneMail, 'mail' | 'run'>, personaName: string | null): string {
  const persona = personaName ?? 'Nobody';
  const who = mail.who ?? 'somebody who is not named';
  const because = mail.code === null ? '' : `: ${reasonInWords(mail.code)}`;
  switch (mail.fate) {
    case 'answered':
      return `${persona} answered it.`;
    case 'at_work':
      return `${persona} is at work on it.`;
    case 'asks':
      return `${persona} has asked its owners something, and waits for their answer.`;
    case 'waits':
      return `It waits${because}.`;
    case 'read':
      return `It was taken in, and needs no answer${because}.`;
    case 'again':
      return 'It came once more, and was taken in the first time.';
    case 'unreadable':
      return `It could not be read${because}.`;
    case 'not_answered':
      return run?.status === 'cancelled'
        ? `The work on it was ended early, so ${who} got no answer.`
        : `${persona} did not answer it${because}.`;
    case 'refused':
      return refusedInWords(mail.code, who, persona);
    case 'sent':
      return `It was sent to ${who}, and their server took it.`;
    case 'not_sent':
      return `It did not reach ${who}: their server refused it, or nobody could hand it over. Nothing of it arrived.`;
    case 'uncertain':
      return `Nobody knows whether it reached ${who}: the connection broke while it was being handed over.`;
  }
}

function refusedInWords(code: string | null, who: string, persona: string): string {
  switch (code) {
    case 'sender_not_allowed':
      return `It is proven to come from ${who}, but no rule lets that address write to ${persona}, so it was refused. No work was begun and nobody was answered.`;
    case 'auth_failed':
      return `It says that it is from ${who}, and nothing proves that, so it was refused. No work was begun and nobody was answered.`;
    case 'sender_denied':
      return `A rule keeps ${who} out, so it was refused.`;
    case 'unknown_recipient':
      return 'It was sent to an address that no persona has, so it was refused.';
    case null:
      return 'It was refused.';
    default:
      return `It was refused: ${reasonInWords(code)}.`;
  }
}
