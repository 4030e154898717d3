import type { Persona, SecurityConfig } from '../../config/types.ts';
import { localDay } from '../../lib/schedule/local-day.ts';
import { standingOf } from '../../mail/access.ts';
import { addressKey, stripPlusTag } from '../../mail/mime/address.ts';
import { isToldOfAnswer, recipientsIn } from '../../mail/told-of-answer.ts';
import { answeredRequestOf } from '../../record/trigger.ts';
import type { AnsweredRequest, LoadedRun } from '../../storage/ports/runs.ts';

type Access = SecurityConfig['gateway_access'];

/**
 * What the model is told of a mail that answers one of ours, which somebody had asked for. The request is a mail to us
 * alone, and what the model writes goes to whoever answers: so only where nobody but owners and the one who asked reads
 * along is it named, and before anybody else no more of who asked than our own mail said. Null: it answers none.
 */
export function answersInWords(loaded: LoadedRun, persona: Persona, access: Access): string | null {
  const { message } = loaded;
  const asked = answeredRequestOf(loaded);
  if (asked === null) return null;
  const { sent, run, request } = asked;
  if (!hasSeen(loaded, asked)) return UNSEEN;
  const dayOf = (at: number) => localDay(at, persona.timezone);
  const to = recipientsIn(sent)
    .slice(0, 3)
    .map((address) => address.slice(0, 80))
    .join(', ');
  const mail = `your mail ${quoted(sent.subject)} of ${dayOf(sent.received_at)} to ${to}`;
  const among = isAmongThemselves(loaded, asked, persona, access);
  // An owner was told of it by the run of a correspondent, who had asked for nothing.
  if (run.tier === 'known') return among ? `${mail}, which you sent about a mail of ${nameOf(request)}` : mail;
  const whom = among
    ? `${nameOf(request)}, who asked for it on ${dayOf(request.received_at)} in the mail ${quoted(request.subject)}`
    : `${namedIn(asked)}. Who asked for it, and in which words, is not for others to know beyond what your mail said`;
  const told = isToldOfAnswer({ asker: run, sent, answer: message }, persona, access)
    ? '. Whoever asked for it is sent this answer by the gateway itself'
    : '';
  return `${mail}, which you sent for ${whom}${told}`;
}

/** Of those who were named in a later mail of its thread alone. */
const UNSEEN =
  'in a thread that a mail of yours began. It did not go to this sender, so say nothing of it, of whom it went to or of who asked for it';

/** It went to them, or it was they who asked for it; an owner sees all. */
function hasSeen({ run, message }: LoadedRun, { sent, run: asker }: AnsweredRequest): boolean {
  if (run.tier === 'owner') return true;
  if (run.tier === 'unauthenticated') return false;
  const from = addressKey(message.from_address ?? '');
  const named = [...recipientsIn(sent), ...(asker.tier === 'unauthenticated' ? [] : [asker.sender ?? ''])];
  return from !== null && named.some((address) => addressKey(address) === from);
}

/** Everybody who may see the mail that is answered now is an owner, the one who asked, or the persona. */
function isAmongThemselves(
  { message, run }: LoadedRun,
  asked: AnsweredRequest,
  persona: Persona,
  access: Access,
): boolean {
  if (run.tier === 'unauthenticated') return false;
  const asker = asked.run.tier === 'unauthenticated' ? null : addressKey(asked.run.sender ?? '');
  const own = [persona.address, ...persona.aliases].flatMap((address) => addressKey(address) ?? []);
  return [message.from_address ?? '', ...recipientsIn(message)].every((address) => {
    const key = addressKey(address);
    if (key === null) return false;
    if (key === asker || own.includes(key) || own.includes(stripPlusTag(key))) return true;
    return standingOf(key, persona, access) === 'owner';
  });
}

/** As far as our own mail named them. */
function namedIn({ sent, request }: AnsweredRequest): string {
  const text = [sent.subject, sent.text, ...recipientsIn(sent)].join('\n').toLowerCase();
  const { from_name: name, from_address: address } = request;
  if (address !== null && text.includes(address.toLowerCase())) return nameOf(request);
  return name.length > 2 && text.includes(name.toLowerCase()) ? quoted(name) : 'somebody else';
}

const nameOf = ({ from_name: name, from_address: address }: AnsweredRequest['request']): string =>
  name === '' ? (address ?? '?') : `${quoted(name)} <${address ?? '?'}>`;

const quoted = (text: string): string => JSON.stringify(text.slice(0, 80).replace(/[\ud800-\udbff]$/, ''));
