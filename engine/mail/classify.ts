import { isAutomaticSubject } from './automatic-subject.ts';
import { type Bounce, parseBounce } from './bounce.ts';
import { decodeCharset } from './charset/charset.ts';
import { isNoReplyAddress, saysMachine } from './machine-marks.ts';
import { firstHeader, headerValues } from './mime/headers.ts';
import { readParams } from './mime/params.ts';
import type { ParsedMail, SilenceCode } from './mime/types.ts';

export interface ClassifyContext {
  /** MAIL FROM; null or empty for `<>`, undefined where it is unknown (then the Return-Path header is read). */
  readonly returnPath: string | null | undefined;
  isOwnAddress(address: string): boolean;
  isOwnMessageId(id: string): boolean;
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
  if (context.isOwnMessageId(mail.messageId)) return 'own_message';
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
