import { CALL_REASONS, type CallReason, type Json, type ReceiptEntry, type ToolCall } from '#contract';
import type { Persona } from '../../../config/types.ts';
import type { RegisteredTool, Registry } from '../../../extensions/types.ts';
import { type Language, languageOf } from '../../../languages/language.ts';
import { isKey, say, type Under } from '../../../languages/say.ts';
import { whenInWords } from '../../../languages/schedule.ts';
import { sizeOf } from '../../../languages/sizes.ts';
import { dateInWords, dayAndTime } from '../../../languages/times.ts';
import { toolInWords } from '../../../languages/tools.ts';
import { anyJson, canonicalJson, parseJson } from '../../../lib/json.ts';
import { addressKey, matchesPattern } from '../../../mail/mime/address.ts';
import { limitIn } from '../../../mail/reading/too-large.ts';
import { bounded, withoutDirections } from '../../../mail/text/invisible.ts';
import type { Executable } from '../../../policy/call.ts';
import { shownIn } from '../../../record/codec/run-events.ts';
import type { PinnedSettings } from '../../../record/settings.ts';
import type { CallOnRecord, CallOutcome, LoopState } from '../../../record/state.ts';
import type { LoadedRun } from '../../../storage/ports/runs.ts';
import type { Store } from '../../../storage/ports/store.ts';
import type { Approval } from '../../../storage/types/approvals.ts';
import { HELD, WAITING } from '../../../storage/types/runs.ts';
import { ASKED, askedKind, kindOfTool } from '../../../suspensions/kinds.ts';
import { argumentsAsked, isAbout, isReplaced, isWithdrawn, membersOf } from '../../../suspensions/members.ts';

/** The payload of the event `receipt`: what a replay cannot know of calls and readers is taken from it. */
export interface ReceiptRecord {
  readonly language: Language;
  readonly mode: Persona['reply']['receipt'];
  readonly lines: readonly ShownLine[];
  /** All who get the mail may see all. */
  readonly for_owners: boolean;
  /** Somebody gets it who may know only what concerns them. */
  readonly for_outsiders?: boolean;
  /**
   * What was decided after the answer is told to somebody who is no owner. Absent in records of older versions, whose mails
   * quoted the owner to them. Lines for others have no owner's words (`said`) any more, whenever they were decided.
   */
  readonly decided_for_others?: boolean;
  readonly made_for_others: number | null;
  /** Tools of MCP servers that the run would have had. */
  readonly away?: readonly AwayTool[];
  /** Files of its mail that were too large to be read; absent: none. */
  readonly too_large?: readonly TooLarge[];
  /** Whether something was to be changed and nothing was. Absent in records of older versions, whose runs count as whole. */
  readonly in_vain?: boolean;
  /** Who is asked about calls that the answer does not wait for, by name where there is one; absent: there are none. */
  readonly asked?: readonly string[];
  /** Whoever reads it is asked, too. */
  readonly asked_you?: true;
  /** What was asked for, or is said to be done, and no call did, by scope; null: nothing at all was changed. */
  readonly undone?: readonly (string | null)[];
  /** Of when the oldest data are that it may rest on, where they are old. */
  readonly data_until?: DataUntil;
  /** It may rest on what others have changed since it was looked up. */
  readonly changed?: true;
}

/** What is known of the data that an answer rests on. */
type OfData = Pick<ReceiptRecord, 'data_until' | 'changed'>;

/** Unix ms, and the zone of the clocks by which it is said. */
interface DataUntil {
  readonly at: number;
  readonly zone: string;
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

/** What owners are asked about beside an answer that does not wait for it, and by which names whoever is asked is known. */
interface Asking {
  readonly calls: ReadonlySet<string>;
  readonly of: readonly string[];
  /** The only reader is asked, too. */
  readonly you: boolean;
}

const askedIn = ({ asking }: { readonly asking?: Asking }): Pick<ReceiptRecord, 'asked' | 'asked_you'> =>
  asking === undefined || asking.calls.size === 0
    ? {}
    : { asked: asking.of, ...(asking.you ? { asked_you: true } : {}) };

const undoneIn = ({ undone = [] }: { readonly undone?: ReceiptRecord['undone'] }): Pick<ReceiptRecord, 'undone'> =>
  undone.length === 0 ? {} : { undone };

const dataIn = ({ data_until, changed }: OfData): OfData => ({
  ...(data_until === undefined ? {} : { data_until }),
  ...(changed ? { changed } : {}),
});

export const askingOf = (
  asks: readonly Pick<Executable, 'call' | 'joined' | 'steps'>[],
  settings: Pick<PinnedSettings, 'later'>,
): Asking => ({
  calls: new Set(
    asks.flatMap(({ call, joined, steps = [] }) => (joined ? steps.map((step) => step.call.id) : [call.id])),
  ),
  of: settings.later?.asked ?? [settings.later?.of ?? []].flat(),
  you: settings.later?.you ?? false,
});

/** Whether it has nothing for its readers, but for saying so. */
export const isEmpty = ({ text, record }: Receipt): boolean =>
  text === '' || record === null || record.lines.length === 0;

/** Whether people outside would read that something was decided of which their answer said nothing, and not what it is. */
export const isNothingToThem = ({ record }: Pick<Receipt, 'record'>): boolean =>
  record?.decided_for_others === true && record.for_outsiders === true && record.lines.every(({ hidden }) => hidden);

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
    /** What its answer has to do with and no call did, as the final gate found it. */
    readonly undone?: ReceiptRecord['undone'];
  } & OfData,
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
  const for_owners = readers.length > 0 && readers.every(({ sees }) => sees === 'all');
  const lines: ShownLine[] = [];
  for (const line of takenBack.size === 0 ? found : receiptLines(state, loaded.approvals, facts)) {
    const shown = { ...carriedOrNot(line, mail), ...(await sightOf(line, readers, options)) };
    lines.push({ ...shown, ...saidTo(for_owners, shown) });
  }
  const language = languageIn(mail.said, loaded, persona.language);
  // Beside what their own mail led to; a plain answer stays one.
  const isTold = for_owners && lines.length > 0 && persona.reply.receipt !== 'never';
  const made_for_others = isTold ? ((await store.gathered('made_for_others'))?.count ?? null) : null;
  const record: ReceiptRecord = {
    language,
    mode: persona.reply.receipt,
    lines,
    for_owners,
    made_for_others,
    ...othersAmong(readers, loaded),
    ...(mail.away === undefined || mail.away.length === 0 ? {} : { away: mail.away }),
    ...tooLargeIn(loaded),
    ...askedIn(mail),
    ...undoneIn(mail),
    ...dataIn(mail),
    in_vain: isInVain(lines, loaded),
  };
  const isOwners = loaded.run.tier === 'owner' || for_owners;
  const made = lines.filter(
    ({ state: end, risk, call_id, act }) =>
      end === 'done' && risk === 'create' && act !== 'attached' && !asked(loaded, call_id),
  );
  return { ...receiptOf(record, mail.isWhole), made: isOwners ? 0 : made.length };
}

const othersAmong = (
  readers: readonly Reader[],
  { decided }: Pick<LoadedRun, 'decided'>,
): Pick<ReceiptRecord, 'for_outsiders' | 'decided_for_others'> => ({
  ...(readers.some(({ sees }) => sees === 'own') ? { for_outsiders: true } : {}),
  ...(decided && readers.some(({ sees }) => sees !== 'all') ? { decided_for_others: true } : {}),
});

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
    decided_for_others,
    made_for_others,
    away,
    too_large,
    in_vain,
    asked: askedThen,
    asked_you,
  }: ReceiptRecord,
  { loaded, state, approvals }: Pick<ReceiptOptions, 'loaded' | 'state'> & { approvals: LoadedRun['approvals'] },
  mail: {
    readonly said: string;
    readonly isWhole: boolean;
    readonly carries: boolean;
    readonly asking?: Asking;
    readonly undone?: ReceiptRecord['undone'];
  } & OfData,
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
    said: saidOnRecord(line, of(line.key)),
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
      ...(decided_for_others === undefined ? {} : { decided_for_others }),
      ...(away === undefined ? {} : { away }),
      ...(too_large === undefined ? {} : { too_large }),
      ...(in_vain === undefined ? {} : { in_vain: isInVain(lines, loaded) }),
      ...(askedThen === undefined ? {} : { asked: askedThen }),
      ...(asked_you === undefined ? {} : { asked_you }),
      ...undoneIn(mail),
      ...dataIn(mail),
    },
    mail.isWhole,
  );
}

const sightOnRecord = (then: ShownLine | undefined): Pick<ShownLine, 'hidden' | 'shown_as' | 'left_out'> => ({
  hidden: then?.hidden ?? false,
  ...(then?.shown_as === undefined ? {} : { shown_as: then.shown_as }),
  ...(then?.left_out === undefined ? {} : { left_out: then.left_out }),
});

/** What an owner said to the persona is no word to anybody else. */
const saidTo = (isForOwners: boolean, { said }: Pick<ReceiptLine, 'said'>): Pick<ReceiptLine, 'said'> => ({
  said: isForOwners ? said : null,
});

/** Whoever reads it was told those words or was not; older versions quoted tools to owners, and owners to everybody. */
const saidOnRecord = ({ why, said }: ReceiptLine, then: ShownLine | undefined): string | null =>
  then === undefined ? said : then.why === why ? then.said : null;

/** In words for owners: what of these calls was to change something and was not done. Empty where there is none. */
export function leftUndone(
  { loaded, state, tools }: Pick<ReceiptOptions, 'loaded' | 'state' | 'tools'>,
  language: Language,
  isOne: (callId: string) => boolean,
): string {
  const lines = receiptLines(state, loaded.approvals, factsFrom(tools, new Set()))
    .filter(({ state: end, call_id }) => end === 'not_done' && isOne(call_id))
    .map((line) => ({ ...line, hidden: false }));
  const all = {
    language,
    always: false,
    isForOwners: true,
    quotesNo: true,
    madeForOthers: null,
    asked: [],
    asksYou: false,
    away: [],
    too_large: [],
    undone: [],
    data: {},
  };
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
    decided_for_others = false,
    made_for_others,
    away = [],
    too_large = [],
    asked: names,
    asked_you = false,
    undone = [],
  } = record;
  const data = dataIn(record);
  // What a persona writes down for itself is nobody's business who may not look at it; owners hear of it. And people outside are
  // told of what concerns them alone: "a mail to somebody else" below an answer tells a supplier that somebody was told of it.
  // A decision is told with what it was about, also where that is only "a mail to somebody else".
  const shown = lines.filter(
    ({ hidden, left_out, risk, state }) =>
      !(left_out && !decided_for_others) && !(hidden && (for_outsiders || (risk === 'create' && state === 'done'))),
  );
  // That the answer is not all there is to come is said in any case.
  const told = mode === 'never' ? shown.filter(({ state }) => names !== undefined && state === 'waiting') : shown;
  const text =
    mode === 'never' && told.length === 0
      ? [...undoneLine(undone, language), ...dataLines(data, language), ...tooLargeLines(too_large, language)].join(
          '\n',
        )
      : receiptText({
          language,
          // That nothing was changed would not be so.
          always: mode === 'always' && lines.length === shown.length,
          isForOwners: for_owners,
          quotesNo: !decided_for_others,
          lines: told,
          madeForOthers: mode === 'never' ? null : made_for_others,
          asked: for_outsiders ? [] : (names ?? []),
          asksYou: asked_you && !for_outsiders,
          away: mode === 'never' ? [] : away,
          too_large,
          undone,
          data,
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

/** A line as the readers of the mail may see it. */
interface ShownLine extends ReceiptLine {
  /** Somebody who gets the mail may not know what it was done to. */
  readonly hidden: boolean;
  /** How it is called where its readers were not shown what it was done to; null: an owner. */
  readonly shown_as?: readonly (string | null)[];
  /** It could only say that something was done to somebody. */
  readonly left_out?: true;
}

/** A tool of an MCP server that was away; `known`: an owner has seen its name. */
interface AwayTool {
  readonly tool: string;
  readonly server: string;
  readonly why: Under<'receipt.away'>;
  readonly known: boolean;
}

/** A file of the mail that is answered and that is too large to be read, and the limit that it is beyond. */
interface TooLarge {
  readonly name: string;
  readonly bytes: number;
  readonly limit: number;
}

interface ReceiptText {
  readonly language: Language;
  /** Whether it also says that there is nothing to say. */
  readonly always: boolean;
  /** What owners said of a thing that was not done is for those who may see all. */
  readonly isForOwners: boolean;
  /** Whether words of an owner that are on record may stand beside a no; older versions put them there for everybody. */
  readonly quotesNo: boolean;
  readonly lines: readonly ShownLine[];
  /** What else was made since an owner was last told of it; null where no owner reads this. */
  readonly madeForOthers: number | null;
  /** Who is asked about what waits; empty where the readers may not know. */
  readonly asked: readonly string[];
  readonly asksYou: boolean;
  readonly away: readonly AwayTool[];
  readonly too_large: readonly TooLarge[];
  readonly undone: NonNullable<ReceiptRecord['undone']>;
  readonly data: OfData;
}

const MAX_LINES = 12;
const MAX_TARGETS = 5;
const MAX_TARGET = 120;
const MAX_TITLE = 100;
const MAX_SAID = 160;
const STATES = ['done', 'not_done', 'unclear', 'waiting'] as const;

/** The receipt as it stands in the mail, plain lines; empty where there is none. The same input gives the same bytes. */
function receiptText(receipt: ReceiptText): string {
  const { language, lines, madeForOthers } = receipt;
  const headings = {
    done: say(language, 'receipt.done'),
    not_done: say(language, 'receipt.notDone'),
    unclear: say(language, 'receipt.unclear'),
    waiting: say(language, 'receipt.waiting'),
  };
  const parts = STATES.flatMap((state) => {
    const some = lines.filter((line) => line.state === state);
    if (some.length === 0) return [];
    const texts = countedAlike(some.map((line) => ({ hidden: line.hidden, text: lineText(line, receipt) })));
    return [`${headings[state]}: ${counted(texts, MAX_LINES, language, ' · ', (text) => text)}`];
  });
  if (madeForOthers !== null && madeForOthers > 0)
    parts.push(say(language, 'receipt.madeForOthers', { count: madeForOthers }));
  const undone = undoneLine(receipt.undone, language);
  parts.push(...undone);
  if (lines.length === 0 && undone.length === 0 && receipt.always) parts.unshift(say(language, 'receipt.nothing'));
  parts.push(
    ...awayLines(receipt.away, language),
    ...dataLines(receipt.data, language),
    ...tooLargeLines(receipt.too_large, language),
  );
  if (lines.some(({ hidden }) => hidden)) parts.push(say(language, 'receipt.shortened'));
  return parts.join('\n');
}

/** To whoever may not know more, three mails to others read the same: they are one line with its number. */
function countedAlike(lines: readonly { readonly hidden: boolean; readonly text: string }[]): readonly string[] {
  const alike = Map.groupBy(lines, ({ hidden, text }, at) => (hidden ? text : at));
  return [...alike.values()].flatMap(([first, ...more]) =>
    first === undefined ? [] : [more.length === 0 ? first.text : `${first.text} ×${more.length + 1}`],
  );
}

/**
 * That something was not done, said by itself where the receipt is left out: the words above it may say that it was, and
 * nobody but the gateway knows for certain.
 */
function undoneLine(undone: ReceiptText['undone'], language: Language): string[] {
  const said = undone.map((effect) => {
    const key = `receipt.undone.${effect}` as const;
    return say(language, isKey(key) ? key : 'receipt.undone.other');
  });
  return said.length === 0 ? [] : [[...new Set(said)].join(' ')];
}

/** That data are old, or have changed, the words above may leave out. Where they are from is nobody's business. */
const dataLines = ({ data_until: until, changed }: OfData, language: Language): string[] => [
  ...(until === undefined
    ? []
    : [say(language, 'receipt.dataUntil', { when: dayAndTime(until.at, { language, zone: until.zone }, true) })]),
  ...(changed ? [say(language, 'receipt.changedSince')] : []),
];

/** A sentence for each reason. A name that no owner has seen is the server's word, and reaches nobody else before. */
function awayLines(away: readonly AwayTool[], language: Language): string[] {
  return [...Map.groupBy(away, ({ why }) => why)].map(([why, tools]) => {
    const known = tools.flatMap(({ tool, known: isKnown }) => (isKnown ? [tool] : []));
    const unseen = Map.groupBy(
      tools.filter(({ known: isKnown }) => !isKnown),
      ({ server }) => server,
    );
    const named = known.length === 0 ? [] : [counted(known, MAX_TARGETS, language, ', ', (name) => name)];
    const all = [
      ...named,
      ...[...unseen].map(([server, ofIt]) => say(language, 'receipt.newTools', { count: ofIt.length, server })),
    ];
    return say(language, `receipt.away.${why}`, { tools: counted(all, MAX_TARGETS, language, ', ', (one) => one) });
  });
}

/** Said by itself where the receipt is left out: nobody but the gateway knows for certain that a file was not read. */
function tooLargeLines(files: readonly TooLarge[], language: Language): string[] {
  return [...Map.groupBy(files, ({ limit }) => limit)].map(([limit, some]) =>
    say(language, 'receipt.tooLarge', {
      files: counted(
        some,
        MAX_TARGETS,
        language,
        ', ',
        ({ name, bytes }) => `${clean(name, MAX_TARGET)} (${sizeOf(bytes, language)})`,
      ),
      limit: sizeOf(limit, language),
    }),
  );
}

function lineText(line: ShownLine, receipt: ReceiptText): string {
  const { language } = receipt;
  const { act, state, title, times, hidden } = line;
  const name = say(language, `receipt.acts.${act}.${state === 'done' ? 'did' : 'toDo'}`, {
    what: whatOf(line, language),
  });
  const titled =
    hidden || line.shown_as || title === null
      ? name
      : `${name} ${say(language, 'receipt.quote', { text: clean(title, MAX_TITLE) })}`;
  const notes = notesOf(line, receipt);
  const often = times > 1 ? ` ×${times}` : '';
  return `${titled}${often}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
}

function whatOf({ act, targets, tool, hidden, shown_as: named }: ShownLine, language: Language): string {
  const some = say(language, `receipt.acts.${act}.some`);
  if (hidden) return some;
  if (named)
    return counted(named, MAX_TARGETS, language, ', ', (name) =>
      clean(name ?? say(language, 'receipt.anOwner'), MAX_TARGET),
    );
  const listed = counted(targets, MAX_TARGETS, language, ', ', (target) => clean(target, MAX_TARGET));
  if (act === 'other') {
    const named = toolInWords(tool, language);
    return targets.length === 0 ? named : `${named}: ${listed}`;
  }
  return targets.length === 0 ? some : listed;
}

const untilDay = (day: string, language: Language): string =>
  say(language, 'receipt.until', { day: dateInWords(day, language) });

function approvalOf({ language, asked, asksYou }: ReceiptText): string {
  const who = asked.join(', ');
  if (asksYou)
    return asked.length === 0
      ? say(language, 'receipt.approvalOfYou')
      : say(language, 'receipt.approvalOfYouAnd', { who });
  return say(language, 'receipt.approvalOf', { who: asked.length === 0 ? say(language, 'receipt.anOwner') : who });
}

function notesOf(line: ShownLine, receipt: ReceiptText): string[] {
  const { language, isForOwners, quotesNo } = receipt;
  const { act, state, why, said, when, hidden, taken_back, own_words } = line;
  if (state === 'waiting') return [approvalOf(receipt)];
  if (state === 'unclear') return [say(language, 'receipt.unknown')];
  const isQuoted = isForOwners || (why === 'denied' && !hidden && quotesNo);
  const reason = why === null ? [] : [say(language, `receipt.why.${why}`) + saidOf(said, language, isQuoted)];
  return [
    ...(when === null || hidden
      ? []
      : [act === 'ruled' ? untilDay(when, language) : clean(whenInWords(when, language), MAX_TITLE)]),
    ...reason,
    // Whoever else reads it does not hear whose word it was.
    ...(own_words && isForOwners ? [say(language, 'receipt.becauseYouAsked')] : []),
    ...(taken_back ? [say(language, 'receipt.takenBack')] : []),
  ];
}

const saidOf = (said: string | null, language: Language, isShown: boolean): string =>
  said === null || said.trim() === '' || !isShown
    ? ''
    : `: ${say(language, 'receipt.quote', { text: clean(said, MAX_SAID) })}`;

function counted<Item>(
  items: readonly Item[],
  most: number,
  language: Language,
  between: string,
  told: (item: Item) => string,
): string {
  const shown = items.slice(0, most).map(told);
  const left = items.length - shown.length;
  return [...shown, ...(left > 0 ? [say(language, 'receipt.more', { count: left })] : [])].join(between);
}

/** On one line, and nothing in it that would turn the rest of the line about: names of files are chosen by anybody. */
function clean(text: string, most: number): string {
  const line = withoutDirections(text)
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  const { text: short, cut } = bounded(line, most);
  return cut ? `${short}…` : short;
}

/** Why something was not done, in the reader's words and not in the gateway's codes. */
type Why = Under<'receipt.why'>;

/** How a call is named. */
interface Described {
  readonly act: Act;
  readonly targets: readonly string[];
  readonly title: string | null;
  readonly when: string | null;
  /** Twice the same leaves what once did. */
  readonly once: boolean;
}

/** One call that was made, or step of a plan, with what became of it. */
interface Attempt {
  /** Its place in the run's record: `3`, or `3.1` for the first step of a plan. */
  readonly key: string;
  readonly call_id: string;
  readonly tool: string;
  /** As it was done, or as owners were last asked about it. */
  readonly args: unknown;
  readonly risk: string | null;
  /** Of a tool that cannot say it itself. */
  readonly targets: readonly string[];
  readonly state: 'done' | 'not_done' | 'waiting' | 'unclear';
  readonly why: Why | null;
  /** What it waited for gave no result: `timeout`, its time was over before; `failed`, there is to be none. */
  readonly missing: 'timeout' | 'failed' | null;
  /** An owner's words beside a no. In records of older versions also what a tool failed with. */
  readonly said: string | null;
  readonly code: string | null;
  readonly result: Json;
  /** Which of the model's turns with calls it was made in. */
  readonly turn: number;
  /** The owner's own mail was the yes to it. */
  readonly ownWords?: true;
}

/** What the record does not hold about calls; a replay takes it from the receipt that was made then. */
interface CallFacts {
  /** Null for a call that changes nothing, or that nobody knows. */
  describe(attempt: Attempt): Described | null;
  isTakenBack(attempt: Attempt): boolean;
  /** Whether owners are asked about a call that the answer does not wait for. */
  isAsked?(callId: string): boolean;
  isPlan(outcome: { readonly key: string; readonly tool: string }): boolean;
}

interface ReceiptLine extends Pick<Attempt, 'key' | 'call_id' | 'tool' | 'state' | 'why' | 'said' | 'risk'>, Described {
  /** How often it was done. */
  readonly times: number;
  readonly taken_back: boolean;
  /** It was done because its owner's mail asked for it. */
  readonly own_words?: true;
}

/** One line for each thing that was done, was to be done and was not, or is open. Pure. */
function receiptLines(
  { outcomes, pending, toolTurns }: Pick<LoopState, 'outcomes' | 'pending' | 'toolTurns'>,
  approvals: readonly Approval[],
  facts: CallFacts,
): ReceiptLine[] {
  const open = openCalls(pending, approvals, { from: outcomes.length, turn: toolTurns });
  const attempts = [...attemptsOf(outcomes, approvals, facts), ...open];
  const lines = attempts.flatMap((attempt): Entry[] => {
    const described = facts.describe(attempt);
    if (described === null) return [];
    return [{ attempt, described, same: sameThing(attempt, described) }];
  });
  const again = madeAnew(lines);
  return lines
    .filter((line, at) => !again.has(line) && isLastWord(line, lines.slice(at + 1), lines.slice(0, at)))
    .map(lineOf(lines, facts));
}

interface Entry {
  readonly attempt: Attempt;
  readonly described: Described;
  readonly same: string;
}

const FILE_ACTS: ReadonlySet<Act> = new Set<Act>(['saved', 'changed']);

/** By what two calls are about the same thing: a file that could not be changed and was then written anew, for one. */
function sameThing({ tool, args }: Attempt, { act, targets, title }: Described): string {
  if (act === 'remembered') return canonicalJson([act, fieldOf(args, 'text') ?? targets]);
  if (
    act === 'other' ||
    act === 'question' ||
    act === 'part' ||
    act === 'forgotten' ||
    act === 'ruled' ||
    act === 'unruled'
  )
    return canonicalJson([act, tool, args]);
  const what = [...targets].map((target) => target.toLowerCase()).sort();
  return canonicalJson([FILE_ACTS.has(act) ? 'file' : act, what, act === 'mail' ? title : null]);
}

const DECIDED: ReadonlySet<Why | null> = new Set<Why | null>(['denied', 'expired']);

/** Whether nothing that came later, or that it only repeats, says more of the same thing. */
function isLastWord({ attempt, described, same }: Entry, later: readonly Entry[], earlier: readonly Entry[]): boolean {
  const after = later.filter((other) => other.same === same);
  if (attempt.state === 'done') return !earlier.some((other) => other.same === same && isDone(other));
  if (attempt.state === 'unclear')
    return !after.some((other) => other.attempt.state === 'unclear' || (described.once && isDone(other)));
  if (attempt.state !== 'not_done') return true;
  // What a person decided stands until the very same was done after all.
  const undone = (other: Entry) => !DECIDED.has(attempt.why) || other.described.act === described.act;
  if (after.some((other) => (isDone(other) && undone(other)) || other.attempt.state === 'not_done')) return false;
  // Not made because it had been made.
  return !(attempt.code === 'skipped' && earlier.some((other) => other.same === same && isDone(other)));
}

const isDone = ({ attempt }: Entry): boolean => attempt.state === 'done';

const lineOf =
  (all: readonly Entry[], facts: CallFacts) =>
  ({ attempt, described, same }: Entry): ReceiptLine => {
    const { key, call_id, tool, state, why, said, risk } = attempt;
    return {
      key,
      call_id,
      tool,
      risk,
      ...described,
      state,
      why,
      said,
      // A file that was made and then changed was made.
      act: FILE_ACTS.has(described.act) && state === 'done' ? firstAct(all, same) : described.act,
      times:
        state === 'done' && !described.once ? all.filter((other) => other.same === same && isDone(other)).length : 1,
      taken_back: state === 'done' && facts.isTakenBack(attempt),
      ...(state === 'done' && attempt.ownWords ? { own_words: true as const } : {}),
    };
  };

const firstAct = (all: readonly Entry[], same: string): Act => {
  const done = all.filter((other) => other.same === same && isDone(other));
  return done.some(({ described }) => described.act === 'saved') ? 'saved' : 'changed';
};

function* attemptsOf(
  outcomes: readonly CallOutcome[],
  approvals: readonly Approval[],
  facts: CallFacts,
): Generator<Attempt> {
  const asked = new Set(outcomes.flatMap(({ made }) => made?.approval ?? []));
  for (const [index, outcome] of outcomes.entries()) {
    const { made } = outcome;
    // What a test holds is told beside its answer, to whoever makes it.
    if (!made || outcome.code === HELD) continue;
    const question = questionOf(made, approvals, asked);
    const attempt = attemptOf(`${index}`, outcome, made, {
      question,
      isAsked: facts.isAsked?.(made.call.id) ?? false,
    });
    const isOwnPlan = question !== undefined && askedKind(question).bySteps && membersOf(question).length === 0;
    if (!isOwnPlan && !facts.isPlan(attempt)) yield attempt;
    else yield* stepsLeft(attempt, outcomes);
  }
}

/** Of a plan: what it did not come to. The steps that were begun have outcomes of their own. */
function* stepsLeft(plan: Attempt, outcomes: readonly CallOutcome[]): Generator<Attempt> {
  if (plan.state === 'done' || (plan.code === 'skipped' && plan.why === 'not_reached')) return;
  const begun = new Set(outcomes.flatMap(({ made }) => made?.call.id ?? []));
  const isRefusal = plan.code?.startsWith('policy_') ?? false;
  for (const [at, step] of stepsIn(plan.args).entries()) {
    const call_id = `${plan.call_id}.${at + 1}`;
    if (begun.has(call_id)) continue;
    const reason = isRefusal
      ? { why: plan.why, said: plan.said, code: plan.code }
      : { why: 'not_reached' as const, said: null, code: 'skipped' };
    yield {
      key: `${plan.key}.${at + 1}`,
      call_id,
      tool: step.tool,
      args: step.arguments,
      risk: null,
      targets: [],
      state: plan.state === 'waiting' ? plan.state : ('not_done' as const),
      result: null,
      ...reason,
      missing: null,
      turn: plan.turn,
    };
  }
}

function stepsIn(args: unknown): readonly { readonly tool: string; readonly arguments: unknown }[] {
  const steps: unknown = fieldOf(args, 'steps');
  if (!Array.isArray(steps)) return [];
  return steps.flatMap((step: unknown) => {
    const tool = fieldOf(step, 'tool');
    return typeof tool === 'string' ? [{ tool, arguments: fieldOf(step, 'arguments') }] : [];
  });
}

/** Calls that owners were asked about and have not decided. */
function openCalls(
  pending: LoopState['pending'],
  approvals: readonly Approval[],
  { from, turn }: { readonly from: number; readonly turn: number },
): Attempt[] {
  return (pending?.calls ?? [])
    .filter(({ id }) => pending?.asked.has(id) && !pending.results.has(id))
    .map((call, index): Attempt => {
      const row = approvals.findLast((asked) => isAbout(asked, call.id) && asked.state === 'pending');
      return {
        key: `${from + index}`,
        call_id: call.id,
        tool: call.name,
        args: argumentsOf(call, row),
        risk: null,
        targets: [],
        state: 'waiting',
        why: null,
        said: null,
        code: null,
        result: null,
        missing: null,
        turn,
      };
    });
}

function attemptOf(
  key: string,
  outcome: CallOutcome,
  made: CallOnRecord,
  { question, isAsked }: { readonly question: Approval | undefined; readonly isAsked: boolean },
): Attempt {
  const { tool, ok, code } = outcome;
  const { call, risk, targets, content, waited, turn } = made;
  const told = shownIn(content);
  const why = ok
    ? null
    : fieldOf(told.error, 'too_many') === true
      ? 'too_many'
      : reasonIn(told.error, whyNot(code, made, question));
  const { result } = told;
  return {
    key,
    call_id: call.id,
    tool,
    args: argumentsOf(call, question),
    risk,
    targets,
    code,
    why,
    state: ok ? 'done' : isUnclear(code, risk) ? 'unclear' : 'not_done',
    said: why === 'denied' ? (question?.reason ?? null) : null,
    result: (result ?? null) as Json,
    turn,
    missing: !waited || ok ? null : code === 'tool_timeout' ? 'timeout' : 'failed',
    ...(made.ownWords ? { ownWords: true } : {}),
    ...(code === WAITING ? waitingOr(isAsked) : {}),
  };
}

/** Nobody was asked about it where the run had no answer. */
const waitingOr = (isAsked: boolean): Pick<Attempt, 'state' | 'why' | 'said'> =>
  isAsked ? { state: 'waiting', why: null, said: null } : { state: 'not_done', why: 'not_reached', said: null };

const REASONS: ReadonlySet<string> = new Set(CALL_REASONS);

/** What a tool says to the model stands in no mail: it is English, of a program, and may quote what its readers may not know. */
function reasonIn(error: unknown, why: Why): Why {
  const reason = fieldOf(error, 'reason');
  const isVague = why === 'failed' || why === 'invalid' || why === 'not_found';
  return isVague && typeof reason === 'string' && REASONS.has(reason) ? (reason as CallReason) : why;
}

/** It was begun, and its result is not one that anybody could go by. */
const isUnclear = (code: string | null, risk: string | null): boolean =>
  code === 'side_effect_unknown' || (code === 'invalid_result' && risk !== null);

const argumentsOf = (call: ToolCall, question: Approval | undefined): unknown =>
  question ? parseJson(anyJson, argumentsAsked(question, call.id)) : (call.arguments ?? call.rawArguments ?? null);

/** The newest form of what owners were asked about a call; an edit leaves the earlier one behind. */
function questionOf(
  { approval, call }: CallOnRecord,
  approvals: readonly Approval[],
  asked: ReadonlySet<string>,
): Approval | undefined {
  const first = approvals.find(({ id }) => id === approval);
  if (!first) return undefined;
  // A vendor may give the id of a call again in a later turn, which is then asked about by itself.
  const next = approvals.find(
    (row) => isAbout(row, call.id) && row.id !== first.id && asked.has(row.id) && row.created_at > first.created_at,
  );
  const rows = approvals.filter(
    (row) =>
      isAbout(row, call.id) &&
      row.created_at >= first.created_at &&
      (next === undefined || row.created_at < next.created_at),
  );
  return rows.findLast((row) => !isReplaced(row)) ?? first;
}

const BY_CODE: Readonly<Record<string, Why>> = {
  policy_scope_missing: 'rule',
  policy_requires_approval: 'no_owner',
  policy_rate_limited: 'limit',
  policy_quota_exceeded: 'limit',
  skipped: 'not_reached',
  cancelled: 'stopped',
  tool_timeout: 'timeout',
  not_found: 'not_found',
  invalid_arguments: 'invalid',
  tool_not_found: 'unavailable',
  tool_unknown: 'unavailable',
  unsupported_runtime_action: 'unavailable',
  outbound_transport_not_configured: 'unavailable',
};

const BY_STATE: Readonly<Partial<Record<Approval['state'], Why>>> = {
  rejected: 'denied',
  expired: 'expired',
  stale: 'stale',
};

function whyNot(code: string | null, { deniedBy }: CallOnRecord, question: Approval | undefined): Why {
  if (question && isWithdrawn(question)) return 'stopped';
  const decided = question && code === 'policy_denied' ? BY_STATE[question.state] : undefined;
  if (decided) return decided;
  // An owner agreed, and it is refused all the same: what was asked about had changed, or was gone.
  if (question?.state === 'approved' && code === 'policy_denied') return 'stale';
  // Nobody had decided when somebody ended the run.
  if (question?.state === 'pending') return 'stopped';
  if (code === 'policy_denied') return isAboutSender(deniedBy) ? 'sender' : 'rule';
  return BY_CODE[code ?? ''] ?? 'failed';
}

/** Whose mail it is stood in the way, not what was to be done. */
const isAboutSender = (by: string | null): boolean =>
  by !== null && (by.startsWith('tier ') || by === 'persona.access.known');

/** The kinds of effect that a receipt has words for. */
type Act = Under<'receipt.acts', '.some'>;

interface Try {
  readonly attempt: {
    readonly tool: string;
    readonly args: unknown;
    readonly code: string | null;
    readonly why: Why | null;
    readonly state: 'done' | 'not_done' | 'waiting' | 'unclear';
    /** Which of the model's turns with calls it was made in. */
    readonly turn: number;
  };
  readonly described: { readonly act: Act };
}

/**
 * Calls in a form that the tool does not take, or about something that is not there, which the model made again in a later
 * turn: what became of the later one is what there is to tell. Each later call stands for one such try, and only where the longest of what the try gave
 * stands in it too: that somebody else was written to does not tell what became of the first mail.
 */
function madeAnew<One extends Try>(tries: readonly One[]): ReadonlySet<One> {
  const again = new Set<One>();
  for (const [at, { attempt }] of tries.entries()) {
    const earlier = tries
      .slice(0, at)
      .find((one) => !again.has(one) && one.attempt.turn < attempt.turn && isMadeAnew(one, attempt));
    if (earlier) again.add(earlier);
  }
  return again;
}

const isMadeAnew = (one: Try, later: Try['attempt']): boolean =>
  (isMalformed(one) && isRepeat(one, later)) || (isGuess(one) && isSameButOne(one, later));

/** What it was to be done to is not there, by that name or id. */
const isGuess = ({ attempt }: Try): boolean => attempt.state === 'not_done' && attempt.why === 'not_found';

/** Whether the later call says the very same of something else: one word of it is another, and it says more than that. */
function isSameButOne({ attempt }: Try, later: Try['attempt']): boolean {
  if (attempt.tool !== later.tool) return false;
  const all = [attempt.args, later.args].map((args) => Object.entries(typeof args === 'object' && args ? args : {}));
  const names = [...new Set(all.flat().map(([name]) => name))];
  const others = names.filter(
    (name) => canonicalJson(fieldOf(attempt.args, name) as Json) !== canonicalJson(fieldOf(later.args, name) as Json),
  );
  const [other = ''] = others;
  return names.length > 1 && others.length === 1 && typeof fieldOf(attempt.args, other) === 'string';
}

/** Of all others the entry says what they are about. */
const isMalformed = ({ attempt, described }: Try): boolean =>
  attempt.state === 'not_done' &&
  attempt.code === 'invalid_arguments' &&
  (described.act === 'other' || described.act === 'remembered');

function isRepeat({ attempt }: Try, later: Try['attempt']): boolean {
  if (attempt.tool !== later.tool) return false;
  const longest = leavesOf(attempt.args).reduce((most, leaf) => (leaf.length > most.length ? leaf : most), '');
  const given = leavesOf(later.args);
  // What a model wrote that is no JSON holds what it meant.
  if (typeof attempt.args === 'string') return given.some((leaf) => leaf.length > 2 && longest.includes(leaf));
  return longest === '' || given.includes(longest);
}

function leavesOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
