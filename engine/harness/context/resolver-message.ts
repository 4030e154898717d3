import type { ResolverInput, ResolverMessage } from '#contract';
import type { Configs, Persona, SecurityConfig } from '../../config/types.ts';
import { iso } from '../../lib/clock.ts';
import { localDay } from '../../lib/schedule/zone.ts';
import { standingOf } from '../../mail/access.ts';
import { addressKey, stripPlusTag } from '../../mail/mime/address.ts';
import { piecesOf, writtenIn } from '../../mail/pieces/pieces-of.ts';
import { hadCopy, isOnlyCopied, isToldOfAnswer, passedOn, recipientsIn } from '../../mail/told-of-answer.ts';
import { ruleReaderOf } from '../../policy/standing-rules.ts';
import type { ToolFacts } from '../../policy/surface.ts';
import { TELLS_BACK, type ToldBack } from '../../policy/told-back.ts';
import { answeredRequestOf, taskOf, triggerFacts } from '../../record/trigger.ts';
import type { AnsweredRequest, LoadedRun } from '../../storage/ports/runs.ts';
import type { Store } from '../../storage/ports/store.ts';
import { isMadePrivate, type StoredAttachment, type Viewer } from '../../storage/types/mail.ts';
import type { Rule } from '../../storage/types/rules.ts';
import { attachmentLines, attachmentsInPlace } from '../../tools/capabilities/attachment-lines.ts';
import type { Library } from '../../tools/documents/library.ts';

interface Source {
  readonly loaded: LoadedRun;
  readonly persona: Persona;
  readonly configs: Pick<Configs, 'security'>;
  readonly library: Library;
  /** Whom the run may tell of the mail beside its sender. */
  readonly toldBack: ToldBack | null;
  readonly offered: readonly Pick<ToolFacts, 'name'>[];
  readonly store: Pick<Store, 'rulesFor'>;
  now(): number;
}

/** Looked up where somebody answers who stood in Cc. */
async function rulesOfCopies({ loaded, store, now }: Source): Promise<readonly Rule[]> {
  const asked = answeredRequestOf(loaded);
  if (asked === null || !hadCopy({ sent: asked.sent, answer: loaded.message })) return [];
  return store.rulesFor(ruleReaderOf(loaded.run, now()));
}

/**
 * The mail as resolvers get it; `pictures` are those of its attachments that the model is shown. `told`: what parts of the
 * gathering tell of it, in their order.
 */
export async function resolverMessage(
  source: Source,
  pictures: readonly StoredAttachment[],
  told: readonly Partial<ResolverMessage>[],
): Promise<ResolverMessage> {
  const { message, attachments, run } = source.loaded;
  const task = taskOf(source.loaded);
  const { answers: known, ...more }: Partial<ResolverMessage> = Object.assign({}, ...told);
  const waiting = told.flatMap((one) => one.waiting ?? []);
  const around = { pictures, library: source.library };
  // Whoever may not read attachments by a tool is not shown one either.
  const { lines, texts } =
    attachments.length === 0
      ? { lines: [], texts: [] }
      : source.offered.some(({ name }) => name === READ_ATTACHMENT)
        ? await attachmentsInPlace(attachments, around)
        : { lines: await attachmentLines(attachments, around), texts: [] };
  const { gateway_access: access } = source.configs.security;
  const rules = await rulesOfCopies(source);
  const answers = known ?? answersInWords(source.loaded, source.persona, { access, rules });
  return {
    ...more,
    messageId: message.message_id,
    subject: message.subject,
    from: message.from_address ?? '',
    fromName: message.from_name,
    to: message.to,
    cc: message.cc,
    tier: run.tier,
    receivedAt: iso(message.received_at),
    writtenAt: message.date === null ? null : iso(message.date),
    pieces: piecesOf(message),
    newText: writtenIn(message),
    quotedText: message.quoted_text,
    forwardedText: message.forwarded_text,
    attachments: lines,
    ...(texts.length === 0 ? {} : { attachmentTexts: texts }),
    ...(source.loaded.trigger.kind === 'delegation' ? { handedOnFor: run.sender ?? '' } : {}),
    limitations: [...message.limitations, ...told.flatMap(({ limitations = [] }) => limitations)],
    ...(waiting.length === 0 ? {} : { waiting }),
    answers: answers === null ? null : `${answers}${tellsBack(source)}`,
    ...(task ? { task: { dueAt: iso(task.due_at), timezone: task.timezone, previous: task.previous } } : {}),
  };
}

const READ_ATTACHMENT = 'read_attachment';

/** By words, since the model writes to a correspondent and is not told who asked. */
function tellsBack({ toldBack, offered }: Source): string {
  if (toldBack === null || !offered.some(({ name }) => name === TELLS_BACK)) return '';
  const whom =
    toldBack.asker === null ? 'your owners (to: ["owners"])' : 'your owners (to: ["owners"]) and them (to: ["asker"])';
  return `; ${TELLS_BACK} reaches ${whom} alone`;
}

/** Mails of a thread that are looked at for people, the newest first. */
const MAX_MAILS = 50;
const MAX_PEOPLE = 12;
/** Of anybody else a name is what a stranger calls themselves, and a model would take it for the person's. */
const PROVEN: ReadonlySet<string> = new Set(['owner', 'member', 'known']);

/**
 * The thread as resolvers get it, with whoever else has written in it by proven mail that the viewer may see: so that a name
 * leads to an address.
 */
export async function resolverThread(
  { loaded, persona, store }: Pick<Source, 'loaded' | 'persona'> & { readonly store: Pick<Store, 'threadPage'> },
  { messageCount, viewer }: { readonly messageCount: number; readonly viewer: Viewer },
): Promise<ResolverInput['thread']> {
  const { thread, message, trigger } = loaded;
  const { id } = thread;
  const about = { id, kind: triggerFacts(loaded).profile, messageCount, isPrivate: isMadePrivate(thread) };
  if (messageCount < 2 || trigger.kind !== 'mail') return about;
  const people = new Map<string, { name: string; address: string }>();
  const known: readonly (string | null)[] = [persona.address, message.from_address ?? ''].map(addressKey);
  for (const { direction, tier, ...row } of await store.threadPage(id, message.seq, MAX_MAILS, viewer)) {
    const [name, address] = [row.from_name, row.from_address];
    if (direction !== 'in' || !address || tier === null || !PROVEN.has(tier)) continue;
    const key = addressKey(address) ?? address;
    if (!known.includes(key) && !people.has(key) && people.size < MAX_PEOPLE) people.set(key, { name, address });
  }
  return { ...about, people: [...people.values()] };
}

type Access = SecurityConfig['gateway_access'];

/**
 * What the model is told of a mail that answers one of ours, which somebody had asked for. The request is a mail to us
 * alone, and what the model writes goes to whoever answers: so only where nobody but owners and the one who asked reads
 * along is it named, and before anybody else no more of who asked than our own mail said. `rules`: what owners want to hold for
 * this run. Null: it answers none.
 */
export function answersInWords(
  loaded: LoadedRun,
  persona: Persona,
  { access, rules = [] }: { readonly access: Access; readonly rules?: readonly Rule[] },
): string | null {
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
  if (isOnlyCopied({ sent, answer: message }, rules))
    return `${mail}. This sender only got a copy, by a rule of your owners: what they write is for you, and the gateway passes it on to nobody`;
  const among = isAmongThemselves(loaded, asked, persona, access);
  // An owner was told of it by the run of a correspondent, who had asked for nothing.
  if (run.tier === 'known') return among ? `${mail}, which you sent about a mail of ${nameOf(request)}` : mail;
  const whom = among
    ? `${nameOf(request)}, who asked for it on ${dayOf(request.received_at)} in the mail ${quoted(request.subject)}`
    : `${namedIn(asked)}. Who asked for it, and in which words, is not for others to know beyond what your mail said`;
  const told = isToldOfAnswer({ asker: run, sent, answer: message }, persona, access)
    ? `. Whoever asked for it is sent this answer${withFiles(loaded.attachments)} by the gateway itself`
    : '';
  return `${mail}, which you sent for ${whom}${told}`;
}

/** What of the files is passed on with it, as the gateway does. */
function withFiles(attachments: LoadedRun['attachments']): string {
  if (attachments.length === 0) return '';
  const { along } = passedOn(attachments);
  if (along.length === 0) return ' without its attachments';
  const left = attachments.filter((file) => !along.includes(file));
  const but = left.length === 0 ? '' : ` but for ${left.map(({ name }) => quoted(name)).join(', ')}`;
  return ` with its attachments${but}`;
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
