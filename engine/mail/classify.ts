import type { Persona } from '../config/types.ts';
import { type Bounce, parseBounce } from './bounce.ts';
import { decodeCharset } from './charset/charset.ts';
import { matchesPattern } from './mime/address.ts';
import { readParams } from './mime/content-type.ts';
import { firstHeader, type HeaderLine, headerValues } from './mime/headers.ts';
import type { ParsedMail, SilenceCode } from './mime/types.ts';
import { isAutomaticSubject } from './text/subject.ts';

export interface ClassifyContext {
  /** MAIL FROM; null or empty for `<>`, undefined where it is unknown (then the Return-Path header is read). */
  readonly returnPath: string | null | undefined;
  isOwnAddress(address: string): boolean;
  /** List-Ids that the persona takes mail from. */
  readonly lists: readonly string[];
  /** From is proven and belongs to an owner or member. */
  readonly authenticatedMember: boolean;
}

const MAX_HOPS = 50;
/** Bytes of a calendar that are read for its METHOD, which stands near the top. */
const MAX_CALENDAR = 65_536;

/**
 * Why a mail is recorded and never answered (RFC 3834 section 2, design section 6 "Loops"); null when it may be.
 * Reports come first, because the outbox wants them whatever else they carry.
 */
export function classify(mail: ParsedMail, context: ClassifyContext): SilenceCode | null {
  return (
    reportKind(mail) ??
    ownKind(mail, context) ??
    machineKind(mail, context) ??
    listKind(mail, context.lists) ??
    senderKind(mail) ??
    askingKind(mail, context)
  );
}

function reportKind(mail: ParsedMail): SilenceCode | null {
  const type = readParams(firstHeader(mail.headers, 'content-type') ?? '');
  const report = type.value === 'multipart/report' ? (type.params.get('report-type') ?? '').toLowerCase() : '';
  if (report === 'disposition-notification' || hasPart(mail, 'message/disposition-notification')) return 'read_receipt';
  if (report === 'feedback-report' || hasPart(mail, 'message/feedback-report')) return 'delivery_report';
  const bounce = parseBounce(mail);
  if (bounce) return isFailure(bounce) ? 'bounce' : 'delivery_report';
  return type.value === 'multipart/report' || isAggregateReport(mail) ? 'delivery_report' : null;
}

/** A DMARC aggregate report, by the subject and the file that RFC 7489 section 7.2.1.1 demands: it is no multipart/report. */
const isAggregateReport = ({ subject, attachments }: ParsedMail): boolean =>
  /^\s*Report Domain:\s*\S/i.test(subject) &&
  attachments.some(
    ({ type, name }) =>
      /^application\/(?:x-)?(?:gzip|zip|zip-compressed)$/.test(type) || /\.(?:xml|xml\.gz|zip)$/i.test(name),
  );

const isFailure = ({ recipients }: Bounce): boolean =>
  recipients.length === 0 || recipients.some(({ action }) => action === 'failed');

const hasPart = (mail: ParsedMail, type: string): boolean => mail.attachments.some((part) => part.type === type);

function ownKind(mail: ParsedMail, context: ClassifyContext): SilenceCode | null {
  if (mail.from.kind === 'one' && context.isOwnAddress(mail.from.mailbox.address)) return 'own_message';
  return headerValues(mail.headers, 'received').length > MAX_HOPS ? 'hop_limit' : null;
}

function machineKind(mail: ParsedMail, context: ClassifyContext): SilenceCode | null {
  if (isCalendarReply(mail)) return 'calendar_reply';
  const path = context.returnPath === undefined ? firstHeader(mail.headers, 'return-path') : (context.returnPath ?? '');
  if (path !== null && /^(?:<\s*>)?$/.test(path.trim())) return 'null_return_path';
  // A list that is let in writes its own address there, so that it knows its mail again.
  const isLetIn = isOfLists(mail, context.lists);
  const says = mail.headers.filter((header) => saysMachine(header) && !(isLetIn && header.name === 'x-loop'));
  return says.length > 0 ? 'auto_submitted' : null;
}

/** RFC 3834 section 5. */
export const isAutoSubmitted = (headers: ParsedMail['headers']): boolean =>
  headers.some((header) => header.name === 'auto-submitted' && saysMachine(header));

const precedence = (mail: ParsedMail): string => (firstHeader(mail.headers, 'precedence') ?? '').toLowerCase();

/** Only an answer to an invitation; the invitation itself is a request like any other. */
function isCalendarReply(mail: ParsedMail): boolean {
  const type = readParams(firstHeader(mail.headers, 'content-type') ?? '');
  if (type.value === 'text/calendar' && type.params.get('method')?.toLowerCase() === 'reply') return true;
  const calendars = mail.attachments.filter((part) => part.type === 'text/calendar');
  return calendars.some(({ content, charset }) => {
    const { text } = decodeCharset(content.subarray(0, MAX_CALENDAR), charset);
    return text.split(/\r\n?|\n/).some((line) => /^METHOD: ?REPLY *$/i.test(line));
  });
}

function listKind(mail: ParsedMail, lists: readonly string[]): SilenceCode | null {
  if (isOfLists(mail, lists)) return null;
  const names = new Set(mail.headers.map(({ name }) => name));
  if (names.has('list-id') || names.has('list-post') || names.has('mailing-list') || precedence(mail) === 'list')
    return 'mailing_list';
  return precedence(mail) === 'bulk' || precedence(mail) === 'junk' ? 'bulk' : null;
}

const isOfLists = ({ headers }: ParsedMail, lists: readonly string[]): boolean =>
  headerValues(headers, 'list-id').some((value) => lists.some((list) => listId(list) === listId(value)));

/** `Name <id.example.com>` and a bare id are the same list (RFC 2919). */
export const listId = (value: string): string => (/<([^<>]*)>\s*$/.exec(value)?.[1] ?? value).trim().toLowerCase();

const senderKind = ({ from }: ParsedMail): SilenceCode | null =>
  from.kind === 'one' && isNoReplyAddress(from.mailbox.address) ? 'no_reply_sender' : null;

/**
 * Exchange asks for silence on every mail of some people, and a CRM lets people unsubscribe from what somebody has typed:
 * that alone makes no machine of a proven member. Together with the subject of an automatic answer it does.
 */
function askingKind(mail: ParsedMail, { authenticatedMember, lists }: ClassifyContext): SilenceCode | null {
  const suppresses = asksForSilence(mail.headers);
  const isSentToMany = !isOfLists(mail, lists) && mail.headers.some(({ name }) => TO_MANY.has(name));
  if (!suppresses && !isSentToMany) return null;
  const isPerson = authenticatedMember && mail.newText.trim() !== '' && !isAutomaticSubject(mail.subject);
  if (isPerson) return null;
  return isSentToMany ? 'bulk' : 'auto_submitted';
}

const TO_MANY: ReadonlySet<string> = new Set(['list-unsubscribe', 'list-unsubscribe-post', 'feedback-id', 'list-help']);

/** X-Auto-Response-Suppress names what its sender does not want to get by itself. */
export const asksForSilence = (headers: ParsedMail['headers']): boolean =>
  headerValues(headers, 'x-auto-response-suppress')
    .join(',')
    .toLowerCase()
    .split(/[\s,;]+/)
    .some((word) => word === 'all' || word === 'oof' || word === 'autoreply');

/**
 * Whether an answer is sent or lies in Drafts: the first rule that names its sender, else the persona's mode. A rule that
 * lets mail leave wants the sender proven, since anybody can claim to be an address.
 */
export function replyMode(
  { mode, rules }: Persona['reply'],
  { sender, isProven }: { readonly sender: string; readonly isProven: boolean },
): Persona['reply']['mode'] {
  const rule = rules.find((one) => matchesPattern(sender, one.sender) && (isProven || one.mode === 'draft'));
  return rule?.mode ?? mode;
}

/** Something of a mail's own header or structure that says a program wrote it. */
interface Mark {
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
