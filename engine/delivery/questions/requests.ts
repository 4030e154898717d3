import type { Persona } from '../../config/types.ts';
import type { Language } from '../../languages/language.ts';
import { byLanguage, ownWordsIn, type ReadersOf } from '../../languages/owner-language.ts';
import { say } from '../../languages/say.ts';
import { type ReaderLocale, whenSeenFrom } from '../../languages/times.ts';
import { toolInWords } from '../../languages/tools.ts';
import type { LetterBlock } from '../../mail/compose/compose.ts';
import { matchesPattern } from '../../mail/mime/address.ts';
import { writtenWithAsked } from '../../mail/pieces/pieces-of.ts';
import { type Place, placeOf } from '../../record/origins.ts';
import { topRunOf } from '../../record/trigger.ts';
import type { Store } from '../../storage/ports/store.ts';
import { type Approval, argumentsOf } from '../../storage/types/approvals.ts';
import type { StoredMessage } from '../../storage/types/mail.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import { askedKind } from '../../suspensions/kinds.ts';
import { isId } from '../../suspensions/labels.ts';
import { stepsIn } from '../../suspensions/members.ts';
import { inLine, languageFor, visible } from './approval-text.ts';
import { excerptOf } from './excerpt.ts';

// Names who asked for a call: an owner cannot judge a request without knowing whose it is.

export interface Request {
  /** Of a call of a child run: the run at the top of its tree. */
  readonly run: StoredRun;
  readonly message: StoredMessage | undefined;
  /** Whoever asked is written to in it. */
  readonly language: Language;
  /** A child run asks. */
  readonly byHelper: boolean;
}

export async function requestOf(store: Store, persona: Persona, runId: string): Promise<Request | null> {
  const asking = await store.getRun(runId);
  if (!asking) return null;
  // A child run has no mail but what it was handed, and that is a model's words: nobody is asked in them.
  const run = await topRunOf(store, asking);
  const message = await store.messageById(run.message);
  // The words of a task are an owner's own.
  const tier = run.kind === 'task' ? 'owner' : run.tier;
  const about = message ? { tier, text: message.new_text } : null;
  return { run, message, language: languageFor(about, persona.language), byHelper: run.id !== asking.id };
}

/** Owners who read a mail about a request, each with the language that they are written to in. */
export const readersAbout = (
  store: Store,
  persona: Persona,
  { readers, request }: { readonly readers: readonly string[]; readonly request: Request | null },
): Promise<readonly ReadersOf[]> => byLanguage(store, persona, readers, request && ownWordsIn(request));

/** Before what a child run asks for; nothing before what the run itself does. */
export const helperBlocks = ({ byHelper }: Request, language: Language): LetterBlock[] =>
  byHelper ? [{ kind: 'text', text: say(language, 'mails.helperAsks') }] : [];

/** `Bob <bob@example.com> asked me today at 11:32 ("Lunch"):`, and what he wrote, as far as it tells of the `calls`. */
export function requestBlocks(
  { run, message }: Request,
  {
    persona,
    place,
    now,
    calls = [],
  }: {
    persona: Persona;
    place: ReaderLocale;
    now: number /** Arguments of what is asked about. */;
    calls?: readonly object[];
  },
): LetterBlock[] {
  if (!message) return [];
  const subject = inLine(message.subject, 120);
  if (run.kind === 'task') return [{ kind: 'text', text: say(place.language, 'mails.forTask', { task: subject }) }];
  const when = whenSeenFrom(now, message.date ?? message.received_at, place);
  const [owner, ...others] = persona.owners;
  const isYours = others.length === 0 && owner !== undefined && matchesPattern(run.sender ?? '', owner);
  const intro = isYours
    ? say(place.language, 'mails.askedByYou', { when, subject })
    : say(place.language, 'mails.asked', { who: whoOf(message), when, subject });
  const said = visible(excerptOf(writtenWithAsked(message), calls));
  return [{ kind: 'text', text: intro }, ...(said === '' ? [] : [{ kind: 'said', text: said } as const])];
}

/** The name alone; where there is none, or one that looks like an address, the address. */
export function nameOf({ from_name, from_address }: Pick<StoredMessage, 'from_name' | 'from_address'>): string {
  const name = inLine(from_name.replace(/[<>"]/g, ''), 60);
  return name === '' || name.includes('@') ? visible(from_address ?? '?') : name;
}

/** A name beside the address; one that looks like an address itself is left out. */
export function whoOf({ from_name, from_address }: Pick<StoredMessage, 'from_name' | 'from_address'>): string {
  const address = visible(from_address ?? '?');
  const name = inLine(from_name.replace(/[<>"]/g, ''), 60);
  return name === '' || name.includes('@') ? address : `${name} <${address}>`;
}

/** Values that neither an owner nor the member who asks has named: an injected text would want exactly these. */
export async function originBlocks(
  store: Store,
  approval: Pick<Approval, 'kind' | 'tool' | 'arguments_json' | 'origins'> | undefined,
  language: Language,
): Promise<LetterBlock[]> {
  if (approval === undefined) return [];
  const calls = callsOf(approval);
  const lines = new Set<string>();
  // Which mail is answered, and whatever else goes by an id, is nothing that a person can judge.
  for (const value of approval.origins)
    if (!isOnlyId(calls, value.at)) lines.add(await originLine(store, value, language));
  return lines.size === 0 ? [] : [{ kind: 'text', text: [...lines].join('\n') }];
}

interface AskedCall {
  readonly tool: string;
  readonly args: object;
}

const callsOf = (approval: Pick<Approval, 'kind' | 'tool' | 'arguments_json'>): readonly AskedCall[] => {
  const args = argumentsOf(approval);
  return askedKind(approval).bySteps
    ? stepsIn(args).map(({ tool, arguments: own }) => ({ tool, args: own }))
    : [{ tool: approval.tool, args }];
};

function isOnlyId(calls: readonly AskedCall[], at: string): boolean {
  const having = calls.filter(({ args }) => Object.hasOwn(args, at));
  return having.length > 0 && having.every(({ tool }) => isId(tool, at));
}

async function originLine(
  store: Store,
  { kind, value, at, origin }: Approval['origins'][number],
  language: Language,
): Promise<string> {
  // The words of a task stand below in full; any other entry of this kind says that there is more than was looked at.
  if (kind === 'words') return say(language, at === 'prompt' ? 'mails.composedInstruction' : 'mails.composedMore');
  const shown = inLine(value, 200);
  return origin === null
    ? say(language, 'mails.composed', { value: shown })
    : say(language, 'mails.origin', { value: shown, where: await whereIs(store, placeOf(origin), language) });
}

/** The place as the record has it, in the words of the mail. */
async function whereIs(store: Store, place: Place, language: Language): Promise<string> {
  switch (place.kind) {
    case 'earlierOf':
    case 'earlierSubject':
      return say(language, `mails.where.${place.kind}`, { from: inLine(place.from, 200) });
    case 'forwarded':
    case 'quoted':
    case 'below':
    case 'unsure':
      return say(language, `mails.where.${place.kind}`, { place: await whereIs(store, place.within, language) });
    case 'result':
      return whereResultIs(store, place, language);
    default:
      return say(language, `mails.where.${place.kind}`);
  }
}

async function whereResultIs(
  store: Store,
  { tool, args }: Extract<Place, { readonly kind: 'result' }>,
  language: Language,
): Promise<string> {
  const [, id] = /^\{"id":"([^"\\]{1,100})"/.exec(args) ?? [];
  const attachment = tool === 'read_attachment' && id !== undefined ? await store.attachmentNamed(id) : undefined;
  if (attachment)
    return say(language, 'mails.where.attachment', {
      name: inLine(attachment.name, 80),
      from: visible(attachment.from_address ?? '?'),
    });
  const [, first = ''] = /^\{"\w+":"([^"\\]{1,100})"/.exec(args) ?? [];
  return whatWasRead(tool, inLine(first, 100), language);
}

/** What a tool of ours reads is named, and no tool; of any other it is said what brought it. */
function whatWasRead(tool: string, first: string, language: Language): string {
  if (tool === 'search_mail' || tool === 'read_mail') return say(language, 'mails.where.earlier');
  if (tool === 'web_fetch' && first !== '') return say(language, 'mails.where.page', { page: first });
  if (tool === 'read_file' && first !== '') return say(language, 'mails.where.file', { path: first });
  const result = say(language, 'mails.where.result', { tool: toolInWords(tool, language) });
  return first === '' ? result : `${result} (${first})`;
}

/** Addresses among these that no mail of the persona has gone to. */
export async function freshAmong(store: Store, calls: readonly { tool: string; args: object }[]): Promise<Set<string>> {
  const fresh = new Set<string>();
  for (const { tool, args } of calls) {
    if (tool !== 'send_email') continue;
    const { to, cc } = args as { to?: unknown; cc?: unknown };
    for (const address of [to, cc].flat().slice(0, 100)) {
      if (typeof address === 'string' && !(await store.hasWrittenTo(address))) fresh.add(address);
    }
  }
  return fresh;
}
