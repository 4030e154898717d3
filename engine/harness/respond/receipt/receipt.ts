import type { Json, ReceiptEntry } from '#contract';
import type { Persona } from '../../../config/types.ts';
import type { RegisteredTool, Registry } from '../../../extensions/types.ts';
import { type Language, languageOf } from '../../../languages/language.ts';
import { addressKey, matchesPattern } from '../../../mail/mime/address.ts';
import { limitIn } from '../../../mail/reading/too-large.ts';
import type { Executable } from '../../../policy/call.ts';
import type { PinnedSettings } from '../../../record/settings.ts';
import type { LoopState } from '../../../record/state.ts';
import type { LoadedRun } from '../../../storage/ports/runs.ts';
import type { Store } from '../../../storage/ports/store.ts';
import { ASKED, kindOfTool } from '../../../suspensions/kinds.ts';
import { isAbout } from '../../../suspensions/members.ts';
import { type Attempt, type CallFacts, type Described, type ReceiptLine, receiptLines } from './calls.ts';
import { type AwayTool, receiptText, type ShownLine, type TooLarge, tooLargeLines } from './text.ts';

/** The payload of the event `receipt`: what a replay cannot know of calls and readers is taken from it. */
export interface ReceiptRecord {
  readonly language: Language;
  readonly mode: Persona['reply']['receipt'];
  readonly lines: readonly ShownLine[];
  /** All who get the mail may see all. */
  readonly for_owners: boolean;
  /** Somebody gets it who may know only what concerns them. */
  readonly for_outsiders?: boolean;
  readonly made_for_others: number | null;
  /** Tools of MCP servers that the run would have had. */
  readonly away?: readonly AwayTool[];
  /** Files of its mail that were too large to be read; absent: none. */
  readonly too_large?: readonly TooLarge[];
  /** Whether something was to be changed and nothing was. Absent in records of older versions, whose runs count as whole. */
  readonly in_vain?: boolean;
  /** Who is asked about calls that the answer does not wait for, by name where there is one; absent: there are none. */
  readonly asked?: readonly string[];
}

export interface Receipt {
  readonly language: Language;
  /** As it stands in the mail; empty where nothing does. */
  readonly text: string;
  /** Null where there is nothing to put on record. */
  readonly record: ReceiptRecord | null;
  /** Made without an owner's word for somebody who is none: owners hear how many. */
  readonly made: number;
}

/** What owners are asked about beside an answer that does not wait for it, and by which name whoever is asked is known. */
export interface Asking {
  readonly calls: ReadonlySet<string>;
  readonly of: string | null;
}

const askedIn = ({ asking }: { readonly asking?: Asking }): Pick<ReceiptRecord, 'asked'> =>
  asking === undefined || asking.calls.size === 0 ? {} : { asked: asking.of === null ? [] : [asking.of] };

export const askingOf = (
  asks: readonly Pick<Executable, 'call' | 'joined' | 'steps'>[],
  settings: Pick<PinnedSettings, 'later'>,
): Asking => ({
  calls: new Set(
    asks.flatMap(({ call, joined, steps = [] }) => (joined ? steps.map((step) => step.call.id) : [call.id])),
  ),
  of: settings.later?.of ?? null,
});

/** Whether it has nothing for its readers, but for saying so. */
export const isEmpty = ({ text, record }: Receipt): boolean =>
  text === '' || record === null || record.lines.length === 0;

interface ReceiptOptions {
  readonly loaded: LoadedRun;
  readonly persona: Pick<Persona, 'owners' | 'language' | 'reply'>;
  readonly store: Pick<Store, 'shownWith' | 'undoOfCall' | 'gathered'>;
  readonly tools: Pick<Registry<RegisteredTool>, 'get'>;
  readonly state: Pick<LoopState, 'outcomes' | 'pending' | 'toolTurns'>;
}

/** What is said below the answer, made from what is on record of the run and from nothing that its model says. */
export async function makeReceipt(
  options: ReceiptOptions,
  mail: {
    readonly said: string;
    readonly recipients: readonly string[];
    readonly isWhole: boolean;
    readonly carries: boolean;
    readonly away: readonly AwayTool[] | undefined;
    readonly asking?: Asking;
  },
): Promise<Receipt> {
  const { loaded, persona, store, state, tools } = options;
  const takenBack = new Set<string>();
  const facts = factsFrom(tools, takenBack, mail.recipients, mail.asking);
  const readers = readersOf(mail.recipients, options);
  const found = receiptLines(state, loaded.approvals, facts);
  for (const { key, call_id, tool, state: end } of found) {
    if (end !== 'done' || tools.get(tool)?.definition.undo === undefined) continue;
    const undo = await store.undoOfCall({ runId: loaded.run.id, callId: call_id });
    if (undo?.state === 'undone') takenBack.add(key);
  }
  const lines: ShownLine[] = [];
  for (const line of takenBack.size === 0 ? found : receiptLines(state, loaded.approvals, facts))
    lines.push({ ...carriedOrNot(line, mail), ...(await sightOf(line, readers, options)) });
  const language = languageIn(mail.said, loaded, persona.language);
  const for_owners = readers.length > 0 && readers.every(({ sees }) => sees === 'all');
  // Beside what their own mail led to; a plain answer stays one.
  const isTold = for_owners && lines.length > 0 && persona.reply.receipt !== 'never';
  const made_for_others = isTold ? ((await store.gathered('made_for_others'))?.count ?? null) : null;
  const record: ReceiptRecord = {
    language,
    mode: persona.reply.receipt,
    lines,
    for_owners,
    made_for_others,
    ...(readers.some(({ sees }) => sees === 'own') ? { for_outsiders: true } : {}),
    ...(mail.away === undefined || mail.away.length === 0 ? {} : { away: mail.away }),
    ...tooLargeIn(loaded),
    ...askedIn(mail),
    in_vain: isInVain(lines, loaded),
  };
  const isOwners = loaded.run.tier === 'owner' || for_owners;
  const made = lines.filter(
    ({ state: end, risk, call_id, act }) =>
      end === 'done' && risk === 'create' && act !== 'attached' && !asked(loaded, call_id),
  );
  return { ...receiptOf(record, mail.isWhole), made: isOwners ? 0 : made.length };
}

/** A task's run has no mail, and what a child run was handed is the business of the one that began it. */
function tooLargeIn({
  attachments,
  trigger,
}: Pick<LoadedRun, 'attachments' | 'trigger'>): Pick<ReceiptRecord, 'too_large'> {
  const files = attachments.flatMap(({ name, bytes, unreadable }) => {
    const limit = limitIn(unreadable);
    return limit === null ? [] : [{ name, bytes, limit }];
  });
  return trigger.kind !== 'mail' || files.length === 0 ? {} : { too_large: files };
}

/** How much of a line its readers see. */
async function sightOf(
  line: ReceiptLine,
  readers: readonly Reader[],
  { store, loaded, persona }: Pick<ReceiptOptions, 'store' | 'loaded' | 'persona'>,
): Promise<Pick<ShownLine, 'hidden' | 'shown_as' | 'left_out'>> {
  const rows = { store, threadId: loaded.run.thread_id };
  if (!(await isHidden(line, readers, rows))) return { hidden: false };
  const isOwner = (address: string) => persona.owners.some((owner) => matchesPattern(address, owner));
  const named = await namedFor(line, readers, { ...rows, isOwner });
  if (named) return { hidden: false, shown_as: named };
  return { hidden: true, ...(isToPeople(line.act) && line.state === 'done' ? { left_out: true } : {}) };
}

/** What was put aside for an answer that does not carry it was not attached. */
const carriedOrNot = (line: ReceiptLine, { carries }: { readonly carries: boolean }): ReceiptLine =>
  line.act === 'attached' && line.state === 'done' && !carries
    ? { ...line, state: 'not_done', why: 'not_reached' }
    : line;

/**
 * From the record, whatever the answer says: what was to be done was refused or failed, and nothing else was done. An owner's
 * own no to a task of theirs is no failure of the task.
 */
const isInVain = (lines: readonly ReceiptLine[], { trigger }: Pick<LoadedRun, 'trigger'>): boolean =>
  lines.length > 0 &&
  lines.every(({ state }) => state === 'not_done') &&
  !(trigger.kind === 'task' && lines.every(({ why }) => why === 'denied'));

const asked = ({ approvals }: LoadedRun, callId: string): boolean =>
  approvals.some((approval) => isAbout(approval, callId));

/** The receipt of a replayed run: which calls are worth a line, and what became of them, is found out anew. */
export function receiptAgain(
  {
    language: recorded,
    mode,
    lines: then,
    for_owners,
    for_outsiders,
    made_for_others,
    away,
    too_large,
    in_vain,
    asked: askedThen,
  }: ReceiptRecord,
  { loaded, state, approvals }: Pick<ReceiptOptions, 'loaded' | 'state'> & { approvals: LoadedRun['approvals'] },
  mail: { readonly said: string; readonly isWhole: boolean; readonly carries: boolean; readonly asking?: Asking },
): Receipt {
  const of = (key: string) => then.find((line) => line.key === key);
  const facts: CallFacts = {
    describe: ({ key }) => of(key) ?? null,
    isTakenBack: ({ key }) => of(key)?.taken_back ?? false,
    isAsked: (id) => mail.asking?.calls.has(id) ?? false,
    isPlan: ({ key }) => then.some((line) => line.key.startsWith(`${key}.`)),
  };
  const lines = receiptLines(state, approvals, facts).map((line) => ({
    ...carriedOrNot(line, mail),
    ...sightOnRecord(of(line.key)),
  }));
  const language = languageIn(mail.said, loaded, recorded);
  return receiptOf(
    {
      language,
      mode,
      lines,
      for_owners,
      made_for_others,
      ...(for_outsiders === undefined ? {} : { for_outsiders }),
      ...(away === undefined ? {} : { away }),
      ...(too_large === undefined ? {} : { too_large }),
      ...(in_vain === undefined ? {} : { in_vain: isInVain(lines, loaded) }),
      ...(askedThen === undefined ? {} : { asked: askedThen }),
    },
    mail.isWhole,
  );
}

const sightOnRecord = (then: ShownLine | undefined): Pick<ShownLine, 'hidden' | 'shown_as' | 'left_out'> => ({
  hidden: then?.hidden ?? false,
  ...(then?.shown_as === undefined ? {} : { shown_as: then.shown_as }),
  ...(then?.left_out === undefined ? {} : { left_out: then.left_out }),
});

/** In words for owners: what of these calls was to change something and was not done. Empty where there is none. */
export function leftUndone(
  { loaded, state, tools }: Pick<ReceiptOptions, 'loaded' | 'state' | 'tools'>,
  language: Language,
  isOne: (callId: string) => boolean,
): string {
  const lines = receiptLines(state, loaded.approvals, factsFrom(tools, new Set()))
    .filter(({ state: end, call_id }) => end === 'not_done' && isOne(call_id))
    .map((line) => ({ ...line, hidden: false }));
  const all = { language, always: false, isForOwners: true, madeForOthers: null, asked: [], away: [], too_large: [] };
  return lines.length === 0 ? '' : receiptText({ ...all, lines });
}

/** Two short texts that are in no language for sure may be in one together. */
const languageIn = (said: string, { message }: Pick<LoadedRun, 'message'>, otherwise: Language): Language =>
  languageOf([said, message.new_text, `${said}\n${message.new_text}`], otherwise);

function receiptOf(record: ReceiptRecord, isWhole: boolean): Receipt {
  const {
    language,
    mode,
    lines,
    for_owners,
    for_outsiders = false,
    made_for_others,
    away = [],
    too_large = [],
    asked: names,
  } = record;
  // What a persona writes down for itself is nobody's business who may not look at it; owners hear of it. And people outside are
  // told of what concerns them alone: "a mail to somebody else" below an answer tells a supplier that somebody was told of it.
  const shown = lines.filter(
    ({ hidden, left_out, risk, state }) =>
      !left_out && !(hidden && (for_outsiders || (risk === 'create' && state === 'done'))),
  );
  // That the answer is not all there is to come is said in any case.
  const told = mode === 'never' ? shown.filter(({ state }) => names !== undefined && state === 'waiting') : shown;
  const text =
    mode === 'never' && told.length === 0
      ? tooLargeLines(too_large, language).join('\n')
      : receiptText({
          language,
          // That nothing was changed would not be so.
          always: mode === 'always' && lines.length === shown.length,
          isForOwners: for_owners,
          lines: told,
          madeForOthers: mode === 'never' ? null : made_for_others,
          asked: for_outsiders ? [] : (names ?? []),
          away: mode === 'never' ? [] : away,
          too_large,
        });
  const isPlain = isWhole && lines.length === 0 && text === '';
  return { language, text, record: isPlain ? null : record, made: 0 };
}

/** The tools as they are now; of one that is gone, what was put on record when its call was begun. */
function factsFrom(
  tools: Pick<Registry<RegisteredTool>, 'get'>,
  takenBack: ReadonlySet<string>,
  answered: readonly string[] = [],
  asking: Asking | undefined = undefined,
): CallFacts {
  return {
    isAsked: (callId) => asking?.calls.has(callId) ?? false,
    describe: (attempt) => {
      const described = describeCall(tools.get(attempt.tool), attempt);
      return described && isInAnswer(attempt, described, answered) ? null : described;
    },
    isTakenBack: ({ key }) => takenBack.has(key),
    isPlan: ({ tool: name }) => {
      const tool = tools.get(name);
      return tool !== undefined && ASKED[kindOfTool(tool.definition)].bySteps;
    },
  };
}

/** A mail to those who get the answer, which was not sent beside it: what it was to say stands in the answer. */
const isInAnswer = ({ code }: Attempt, { act, targets }: Described, answered: readonly string[]): boolean =>
  code === 'skipped' &&
  act === 'mail' &&
  targets.length > 0 &&
  targets.every((target) => answered.some((address) => addressKey(address) === addressKey(target)));

function describeCall(tool: RegisteredTool | undefined, attempt: Attempt): Described | null {
  const risk = attempt.risk ?? tool?.definition.risk ?? (attempt.code === 'tool_not_found' ? 'unknown' : 'read');
  // A result that was waited for and never came is missing from the answer, whatever it was to be.
  if (risk === 'read' && attempt.missing !== 'timeout') return null;
  const plain = { targets: attempt.targets, title: null, when: null };
  if (!tool) return { ...plain, act: 'other', once: false };
  const { definition, manifest } = tool;
  // How the work was divided is nobody's business; what is missing from the answer for it is.
  const isPart = manifest.capabilities.includes('delegation');
  if (isPart && attempt.missing === null) return null;
  // A question that was answered has changed nothing; one that nobody answered is missing.
  if (ASKED[kindOfTool(definition)].answeredBy === 'words')
    return attempt.state === 'done' ? null : { ...plain, act: 'question', targets: [], once: false };
  const once = definition.effect === 'idempotent';
  const entry = entryOf(tool, attempt.args, attempt.result);
  if (!entry) return { ...plain, act: 'other', once };
  const { act, targets, title = null, when = null } = entry;
  return { act: isPart ? 'part' : act, targets, title, when, once };
}

/** Null for a tool that does not say, for arguments that it does not take, and where it throws. */
function entryOf(tool: RegisteredTool, args: unknown, result: Json): ReceiptEntry | null {
  const checked = tool.validate(args);
  if (!tool.definition.receipt || !checked.ok) return null;
  try {
    return tool.definition.receipt(checked.value as never, result);
  } catch {
    return null;
  }
}

export type { ReceiptLine };

/** Whoever gets a mail reads its receipt; `all`: an owner, `files`: a member, `own`: what concerns them alone. */
interface Reader {
  readonly address: string;
  readonly sees: 'all' | 'files' | 'own';
  /** What of the mail that is answered this reader wrote or was sent. */
  readonly words: string;
  /** What of it this reader wrote as new. */
  readonly wrote: string;
  /** Nobody proved that it is this reader who wrote. */
  readonly isUnproven: boolean;
}

/** The tier of the sender is proven; everybody else who is named in the mail may know what concerns them, as on any thread. */
function readersOf(
  recipients: readonly string[],
  { loaded, persona }: { readonly loaded: LoadedRun; readonly persona: Pick<Persona, 'owners'> },
): Reader[] {
  const { run, message, trigger } = loaded;
  const isMail = trigger.kind === 'mail';
  const named = [message.from_address ?? '', ...message.to, ...message.cc];
  const words = [message.subject, message.new_text, message.quoted_text, message.forwarded_text, ...named].join('\n');
  const sender = addressKey(run.sender ?? '');
  return recipients.map((recipient): Reader => {
    const address = addressKey(recipient) ?? '';
    const isSender = isMail && address === sender;
    const isUnproven = isSender && run.tier === 'unauthenticated';
    const isOwner = persona.owners.some((owner) => matchesPattern(address, owner));
    const hasMail = isMail && named.some((one) => addressKey(one) === address);
    const wrote = isSender ? `${message.subject}\n${message.new_text}` : '';
    const read = { address, words: hasMail ? words : '', wrote, isUnproven };
    if (isOwner && !isUnproven) return { ...read, sees: 'all' };
    return { ...read, sees: isSender && run.tier === 'member' ? 'files' : 'own' };
  });
}

/**
 * Whether somebody among the readers may not know what a call was done to. An address is known to whom it is, to whom
 * named it, and to whom a mail of this thread showed it; the same rows decide which mail somebody is shown.
 */
async function isHidden(
  { act, targets, title }: Pick<Described, 'act' | 'targets' | 'title'>,
  readers: readonly Reader[],
  { store, threadId }: { readonly store: Pick<Store, 'shownWith'>; readonly threadId: string },
): Promise<boolean> {
  for (const reader of readers) {
    if (reader.sees === 'all') continue;
    if (!isToPeople(act) && act !== 'part' && reader.sees === 'files') continue;
    const unknown = targets.filter((target) => !stands(target, reader));
    if (unknown.length === 0 && (isToPeople(act) || targets.length > 0 || title === null)) continue;
    if (!isToPeople(act) || reader.isUnproven) return true;
    const shown = await store.shownWith({ threadId, reader: reader.address, addresses: unknown.map(keyOf) });
    if (unknown.some((target) => !shown.has(keyOf(target)))) return true;
  }
  return false;
}

/** What it was done to are addresses. */
const isToPeople = (act: Described['act']): boolean =>
  act === 'mail' || act === 'accepted' || act === 'declined' || act === 'tentative';

const keyOf = (address: string): string => addressKey(address) ?? '';

function stands(target: string, { address, words }: Reader): boolean {
  if (target === '') return false;
  const [text, wanted] = [words.toLowerCase(), target.toLowerCase()];
  if (keyOf(target) === address && address !== '') return true;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    // A longer name that it is a part of is another.
    const rest = text.slice(at + wanted.length, at + wanted.length + 2);
    if (!/[\w.+-]/.test(text[at - 1] ?? ' ') && !/^(?:[\w@-]|\.\w)/.test(rest)) return true;
  }
  return false;
}

/**
 * By what a member may hear of a mail whose addresses they were not shown: an owner is "the owner" (null), and anybody whose
 * address has a name before its @ that they wrote is called by that word, which tells them nothing that they did not say.
 * Undefined where somebody cannot be named so: a line without a name tells its reader nothing.
 */
async function namedFor(
  { act, targets }: Described,
  readers: readonly Reader[],
  rows: { readonly store: Pick<Store, 'shownWith'>; readonly threadId: string; isOwner(address: string): boolean },
): Promise<readonly (string | null)[] | undefined> {
  const members = readers.filter(({ sees }) => sees !== 'all');
  if (!isToPeople(act) || members.some(({ sees, isUnproven }) => sees === 'own' || isUnproven)) return undefined;
  const names: (string | null)[] = [];
  for (const target of targets) {
    const isShown = !(await isHidden({ act, targets: [target], title: null }, members, rows));
    const word = isShown ? target : rows.isOwner(target) ? null : wordIn(target, members);
    if (word === undefined) return undefined;
    names.push(word);
  }
  return names.length === 0 ? undefined : [...new Set(names)];
}

const MIN_NAME = 3;

function wordIn(target: string, members: readonly Reader[]): string | undefined {
  const local = keyOf(target).split('@', 1)[0] ?? '';
  const names = local.split(/[^\p{L}]+/u).filter((name) => name.length >= MIN_NAME);
  return members
    .map(({ wrote }) => (wrote.match(/[\p{L}\p{M}]+/gu) ?? []).find((word) => names.includes(word.toLowerCase())))
    .reduce((first, word) => (first === undefined || word === undefined ? undefined : first));
}
