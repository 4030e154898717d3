import { isAutomaticSubject } from './automatic-subject.ts';
import type { HeaderLine } from './mime/headers.ts';
import { readParams } from './mime/params.ts';
import type { ParsedMail } from './mime/types.ts';

/** Something of a mail's own header or structure that says a program wrote it. */
export interface Mark {
  /** `asks`: programs put it into the mail of people, too. */
  readonly kind: 'says' | 'asks' | 'list' | 'subject' | 'sender';
  /** For whoever asks why. */
  readonly text: string;
}

const MAX_SHOWN = 80;
const MAX_MARKS = 10;

/** All of them, in the order of the header: two kinds that prove nothing alone do so together. Pure. */
export function marksOf(mail: Pick<ParsedMail, 'headers' | 'subject' | 'from' | 'reaction'>): readonly Mark[] {
  const { headers, subject, from } = mail;
  const shown = ({ name, value }: HeaderLine) => `${name}: ${value}`.slice(0, MAX_SHOWN);
  const marks: Mark[] = headers.flatMap((header): Mark[] => {
    if (saysMachine(header)) return [{ kind: 'says', text: shown(header) }];
    if (LISTS.has(header.name) || (header.name === 'precedence' && MANY.test(header.value.trim())))
      return [{ kind: 'list', text: shown(header) }];
    return ASKING.has(header.name) ? [{ kind: 'asks', text: shown(header) }] : [];
  });
  if (mail.reaction) marks.push({ kind: 'says', text: 'a reaction' });
  if (isAutomaticSubject(subject)) marks.push({ kind: 'subject', text: `subject: ${subject}`.slice(0, MAX_SHOWN) });
  if (from.kind === 'one' && isNoReplyAddress(from.mailbox.address)) {
    marks.push({ kind: 'sender', text: `from ${from.mailbox.address}`.slice(0, MAX_SHOWN) });
  }
  return marks.slice(0, MAX_MARKS);
}

const LISTS: ReadonlySet<string> = new Set(['list-id', 'list-post', 'mailing-list']);
const MANY = /^(?:bulk|junk|list)$/i;

/** Put on by programs that people write with: Exchange, CRM, newsletters. */
const ASKING: ReadonlySet<string> = new Set([
  'x-auto-response-suppress',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'list-help',
  'feedback-id',
]);

/** Whether a header says that a program wrote the mail: by its name where that speaks of such, else by what it declares. */
export function saysMachine({ name, value }: HeaderLine): boolean {
  if (OTHERWISE.has(name)) return false;
  const said = value
    .replace(/\([^()]{0,200}\)/g, '')
    .trim()
    .toLowerCase();
  if (NO.has(said)) return false;
  if (name === 'auto-submitted') return readParams(value).value !== 'no' && readParams(value).value !== '';
  return namesMachine(name) || (declaresKind(name) && DECLARED.test(said));
}

/** What a server notes on people's mail, or what is asked of us and not said of the mail. */
const OTHERWISE: ReadonlySet<string> = new Set([
  'x-auto-response-suppress',
  'autocrypt',
  'x-ms-exchange-forwardingloop',
]);
const NO: ReadonlySet<string> = new Set(['', 'no', 'n', 'none', 'false', '0', 'off', 'never', 'disabled']);

/** Not what programs do to the words of people: `Autocrypt`, `X-Spam-Autolearn`, and an author in other languages. */
const AUTO =
  /^auto(?!crypt|learn|white|ri[sz]|desk|ssl|tls|encrypt|sign|save|correct|r(?:e|es|en)?$)|auto(?:repl|resp|gener|submit|mat)/;

/** Also as a part of a longer word: `x-fc-machinegenerated`. */
function namesMachine(name: string): boolean {
  const words = name.split(/[-_.]/);
  if (words.some((word) => AUTO.test(word) || /vacation|responder/.test(word))) return true;
  // Exchange counts there how often its own rules have seen a mail; only what a rule of a mailbox made is a program's.
  if (name.startsWith('x-ms-exchange-')) return name === 'x-ms-exchange-inbox-rules-loop';
  return words.some((word) => /loop|machine/.test(word));
}

/** Headers in which programs declare what a mail is. */
const declaresKind = (name: string): boolean =>
  name.endsWith('precedence') ||
  name === 'user-agent' ||
  /^x-.{0,80}(?:type|class|kind|source|category|reason|mailer|agent)$/.test(name);

const DECLARED =
  /\bauto[-_. ]?(?:repl|resp|gen|sub|ans|not|ack)|\bvacation\b|responder|rules agent|\bout[-_. ]?of[-_. ]?office|\boof\b/;

/** Whose sender reads no answers, in the languages of shops; letters alone, since each puts other signs between them. */
const NO_REPLY: ReadonlySet<string> = new Set([
  ...['noreply', 'notreply', 'donotreply', 'donoreply', 'dontreply', 'pleasedonotreply', 'noreplies', 'neverreply'],
  ...['unattended', 'unmonitored', 'nichtantworten', 'nichtbeantworten', 'bittenichtantworten', 'keineantwort'],
  ...['keineantworten', 'antwortenichtmoeglich', 'nepasrepondre', 'nerepondezpas', 'nepasrépondre', 'pasdereponse'],
  ...['noresponder', 'nocontestar', 'noresponda', 'norespondas', 'sinrespuesta', 'norespondre', 'nonrispondere'],
  ...['nonrispondete', 'nonrispondi', 'naoresponder', 'nãoresponder', 'naoresponda', 'nãoresponda', 'nietbeantwoorden'],
  ...['nietantwoorden', 'nietreageren', 'geenantwoord', 'svarej', 'svarainte', 'intesvara', 'ejsvar', 'ikkesvar'],
  ...['svarikke', 'ingensvar', 'eivastausta', 'alavastaa', 'älävastaa', 'nieodpowiadaj', 'nieodpowiadac'],
  ...['brakodpowiedzi', 'neodpovidat', 'neodpovidejte', 'neodpovedat', 'neodpovedajte', 'nevalaszoljon', 'nevalaszolj'],
  ...['nuraspunde', 'nuraspundeti', 'neodgovaraj', 'neodgovarajte', 'neotvechat', 'neotvechaite', 'yanitlamayin'],
  ...['cevaplamayin', 'cevapyok'],
]);
const SYSTEMS: ReadonlySet<string> = new Set(['mailerdaemon', 'maildaemon', 'postmaster', 'bounce', 'bounces']);

/** `no-reply`, `shop.no-reply`, `noreply+17`, `info@noreply.shop.test`: an address that says so in a word of its own. */
export function isNoReplyAddress(address: string): boolean {
  const at = address.lastIndexOf('@');
  const words = address
    .slice(0, at)
    .toLowerCase()
    .split(/[-_.+=]/);
  const begins = words.map((_, index) => words.slice(0, index + 1).join('')).slice(0, 6);
  const ends = words.map((_, index) => words.slice(index).join('')).slice(-6);
  if (begins.some((word) => SYSTEMS.has(word) || NO_REPLY.has(word)) || ends.some((word) => NO_REPLY.has(word)))
    return true;
  const labels = address
    .slice(at + 1)
    .toLowerCase()
    .split('.')
    .slice(0, -2);
  return labels.some((label) => NO_REPLY.has(label.replaceAll('-', '')));
}
