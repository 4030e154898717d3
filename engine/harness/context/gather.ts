import type { KnowledgeCapability, ModelInfo, ModelMessage, ResolverInput, ResolverMessage, ToolSpec } from '#contract';
import type { Configs, Persona, SecurityConfig, TaskEntry } from '../../config/types.ts';
import type { RegisteredResolver, Registry } from '../../extensions/types.ts';
import { atWork, demanding, putOnRecord, type SelectedPlaybook } from '../../learning/select.ts';
import { iso } from '../../lib/clock.ts';
import { localDay } from '../../lib/schedule/zone.ts';
import { DAY_MS } from '../../lib/time.ts';
import { standingOf } from '../../mail/classify.ts';
import { addressKey, stripPlusTag } from '../../mail/mime/address.ts';
import { piecesOf, writtenIn } from '../../mail/pieces/partition.ts';
import { isToldOfAnswer, recipientsIn } from '../../mail/told-of-answer.ts';
import { contentWords } from '../../memory/recall/content-words.ts';
import { type Recalled, recall } from '../../memory/recall/recall.ts';
import { closingsToShow } from '../../memory/threads/closing-shown.ts';
import { type OnceText, onceOnRecord, onceToKeep, threadMemoryOf } from '../../memory/threads/summarise-job.ts';
import { askerOf, hasReaders, viewerOf } from '../../policy/call.ts';
import type { Prompt } from '../../policy/prompt.ts';
import type { ToolFacts } from '../../policy/surface.ts';
import { TELLS_BACK, type ToldBack } from '../../policy/told-back.ts';
import type { Intent } from '../../record/codec/intent.ts';
import type { PayloadOf } from '../../record/events.ts';
import type { Recorder } from '../../record/recorder.ts';
import type { PinnedSettings, StoredSettings, Target } from '../../record/settings.ts';
import { answeredRequestOf, taskOf, triggerFacts } from '../../record/trigger.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { AnsweredRequest, LoadedRun } from '../../storage/ports/runs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { StoredAttachment, Viewer } from '../../storage/types/mail.ts';
import type { ShownInvitation } from '../../tools/calendar/meetings.ts';
import { attachmentLines, createMailSearch } from '../../tools/capabilities/mail.ts';
import type { Library } from '../../tools/documents/library.ts';
import {
  factsGathered,
  limitationsOfFacts,
  limitationsOfReaders,
  picturesOf,
  promptAsBuilt,
  promptOf,
  readHistory,
  settingsAsBuilt,
  settingsBytes,
  settingsOf,
  stillThere,
  withFacts,
  withoutShownFacts,
} from './as-built.ts';
import { goesElsewhere, isHandedOn, parseResolverCall, tokensOfHistory } from './config.ts';
import { type History, isFirstOfThread } from './history.ts';
import { callsFor, type FrameStage, framedFor, frameKept, frameOfRun, intentIn } from './intent/framed.ts';
import { type Began, type Context, type GatherReader, gatherPart, type Part, resolveContext } from './pipeline.ts';
import { limitationsOfRules, rulesGathered, rulesOnRecord, withRules, worthASpan } from './rules.ts';

export interface WorkspaceReader {
  readText(path: string): Promise<string | null>;
  list(path: string): Promise<readonly string[]>;
}

interface GatherOptions {
  readonly loaded: LoadedRun;
  readonly persona: Persona;
  readonly configs: Configs;
  readonly store: GatherReader;
  readonly artifacts: Blobs;
  readonly library: Library;
  readonly recorder: Recorder;
  readonly resolvers: Pick<Registry<RegisteredResolver>, 'get'>;
  /** The invitations of the mail and of its thread, kept under their ids. */
  meetings(): Promise<readonly ShownInvitation[]>;
  readonly workspace: WorkspaceReader;
  readonly knowledge: KnowledgeCapability;
  readonly targets: readonly Target[];
  readonly info: ModelInfo;
  readonly surface: readonly ToolSpec[];
  /** The same tools as policy looks at them. */
  readonly offered: readonly ToolFacts[];
  /** No tool on the surface can change anything. */
  readonly onlyReads: boolean;
  /** Tools that the persona has and that cannot be used in this run, with the reason for the model. */
  readonly unusable: ResolverInput['unusable'];
  /** Tools that hooks have left out of the surface, for the trace. */
  readonly narrowed: readonly { readonly tool: string; readonly by: string; readonly reason: string }[];
  /** Tools of MCP servers that no owner has seen as they are, for the trace and for what is said below the answer. */
  readonly away: NonNullable<PayloadOf<'context_built'>['away']>;
  /** Whom the run of a correspondent may tell of its mail. */
  readonly toldBack: ToldBack | null;
  /** As their files stand now. */
  readonly tasks: () => readonly TaskEntry[];
  /** Which calls do not hold the answer where owners are asked about them. */
  readonly later: PinnedSettings['later'];
  /** Limits that are near when the run begins, in words for the model. */
  readonly limits: readonly string[];
  /** Asks what the sender wants; null: no model is configured for it. */
  readonly frameStage: FrameStage | null;
  /** The playbook of the run; null: nothing is learned of such a run. */
  readonly playbook: (intent: Intent | null) => Promise<SelectedPlaybook | null>;
  /** Unix ms. */
  readonly now: () => number;
}

interface Gathered {
  readonly settings: PinnedSettings;
  readonly prompt: Prompt;
  /** Mails of the thread that it does not show. */
  readonly omitted: number;
}

const MAX_IMAGES = 5;

/**
 * The gather stage. The first time, the prompt is put together, its settings are stored as an artifact and pinned
 * to the run; after a restart the same prompt is built from what was stored.
 */
export async function gather(options: GatherOptions): Promise<Gathered> {
  const pinned = options.loaded.run.settings_sha256;
  return pinned === null ? gatherAnew(options) : gatherAgain(options, pinned);
}

/** For a run that is to end without asking a model: nothing is loaded, so nothing can fail on the way to its reply. */
export function gatherNothing(options: Pick<GatherOptions, 'configs' | 'persona' | 'onlyReads' | 'targets'>): Gathered {
  const { limits, ...made } = settingsOf({ ...options, surface: [] }, []);
  // No model is told of a limit, as none is in a replay.
  const { tells_near: _, ...left } = limits;
  const settings = { ...made, limits: left, pinned: null };
  return { settings, prompt: NO_PROMPT, omitted: 0 };
}

async function gatherAnew(options: GatherOptions): Promise<Gathered> {
  const { loaded, recorder, artifacts } = options;
  const began = { at: options.now(), now: options.now };
  const known = frameOfRun(options);
  const framing = framedFor(options, known.can_change, began);
  const looking = lookingFor(options);
  const [{ context, history, once: ofParts }, recalled, closed, remembered, ruled, framed] = await Promise.all([
    buildContext(options, began, () => framing.then(intentIn)),
    recalledBy(looking, began, framing.then(intentIn)),
    closedThreadsFor(looking, began),
    factsGathered(options, began),
    rulesGathered(options, began),
    framing,
  ]);
  const learned = atWork(await options.playbook(intentIn(framed)));
  const frame = demanding(await frameKept(recorder, known, framed), learned.pinned);
  const facts = remembered?.result ?? [];
  const once = [...withoutShownFacts(ofParts, facts), ...(closed?.result ?? [])];
  // A model that cannot call tools is shown none, instead of a request that its vendor refuses.
  const surface = options.info.tools ? options.surface : [];
  const risks = Object.fromEntries(options.offered.map(({ name, risk }) => [name, risk]));
  const scopes = Object.fromEntries(options.offered.flatMap(({ name, scope, asks }) => (asks ? [] : [[name, scope]])));
  const system = [...context.systemSections, ...learned.advice];
  const stored: StoredSettings = {
    ...settingsOf({ ...options, surface }, system),
    risks,
    scopes,
    ...laterOf(options),
    ...learned.settings,
  };
  const { prefixSha256, ...kept } = settingsBytes(options.persona.id, stored);
  const settingsSha256 = artifacts.put(kept.bytes, kept.sha256);
  const settings: PinnedSettings = { ...kept.settings, frame };
  const limitations = [
    ...[
      ...context.limitations,
      ...limitationsOf(recalled, closed),
      ...limitationsOfFacts(remembered),
      ...limitationsOfRules(ruled),
    ],
    ...limitationsOfReaders(loaded.run),
    ...goesElsewhere(loaded, options.persona),
  ];
  const userBlock = blockOf({ ...context, limitations });
  const rendered = JSON.stringify([userBlock]);
  const isFirst = loaded.message.rendered_json === null;
  const pictures = picturesFor(options);
  recorder.event('context_built', {
    frame,
    settings_sha256: settingsSha256,
    prefix_sha256: prefixSha256,
    // A vendor's prompt cache can only hit when this says "none".
    cache_miss: cacheMiss(loaded.thread.prefix_sha256, prefixSha256),
    parts: context.parts,
    spans: [
      ...context.spans,
      ...[recalled, closed, remembered, worthASpan(ruled), framed].flatMap((part) => (part?.span ? [part.span] : [])),
    ],
    limitations,
    history_messages: context.history.length,
    history_omitted: history?.omitted ?? 0,
    history_from: history?.from ?? loaded.thread.history_from,
    history_until: context.history.length === 0 ? 0 : (history?.until ?? 0),
    pictures: pictures.length,
    ...(pictures.length === 0 ? {} : { picture_ids: pictures.map(({ id }) => id) }),
    ...readersOnRecord(options),
    ...(facts.length === 0 ? {} : { fact_ids: facts.map(({ id }) => id) }),
    ...rulesOnRecord(ruled),
    ...(once.length === 0 ? {} : { once: onceOnRecord(once) }),
    // Of a mail that an earlier run has rendered: what this run was shown, where that is not the same.
    ...(isFirst || rendered === loaded.message.rendered_json ? {} : { rendered }),
    tools: settings.tools.map(({ name }) => name),
    ...leftOut(options),
    targets: settings.targets,
    tier: loaded.run.tier,
  });
  if (recalled?.result) {
    // Not its words: of what is forgotten none is left, and a run that goes on reads the rest again.
    const { text, sources, timezone } = recalled.result;
    recorder.event('gather_part', { part: recalled.span.part, chars: text.length, timezone, sources });
  }
  putOnRecord(recorder, learned);
  recorder.pin({
    settingsSha256,
    playbookVersion: learned.versionId,
    context: {
      historyFrom: history?.from ?? loaded.thread.history_from,
      prefixSha256,
      rendered: isFirst ? rendered : null,
      ...(once.length === 0 ? {} : { shown: onceToKeep(loaded.thread.id, once) }),
    },
  });
  const prompt = {
    history: context.history,
    ...(await promptOf(options, {
      history,
      block: userBlock,
      parts: context.parts,
      pictures,
      recalled: recalled?.result ?? null,
      once,
    })),
  };
  return {
    settings,
    prompt: withRules(ruled, withFacts(loaded, facts, prompt)),
    omitted: history?.omitted ?? 0,
  };
}

const laterOf = ({ later }: GatherOptions): Pick<PinnedSettings, 'later'> => (later === undefined ? {} : { later });

/** What is missing on the surface that grants alone do not tell of. */
const leftOut = ({ narrowed, away }: GatherOptions) => ({
  ...(narrowed.length === 0 ? {} : { narrowed }),
  ...(away.length === 0 ? {} : { away }),
});

/** Where answers go to senders alone there is nothing to remember. */
const readersOnRecord = ({ persona, loaded }: GatherOptions) =>
  persona.reply.recipients === 'sender' ? {} : { also_read: loaded.run.readers ?? [] };

async function gatherAgain(options: GatherOptions, pinned: string): Promise<Gathered> {
  const source = { ...options, log: options.recorder.log };
  const stored = await settingsAsBuilt(source, pinned);
  // What was pinned, cut by what is granted today: a right that was taken away meanwhile is gone.
  const settings = {
    ...stored,
    tools: stillThere(stored.tools, options),
    pinned: stored.tools,
  };
  const omitted = options.recorder.log.last('context_built')?.data.history_omitted ?? 0;
  return { settings, prompt: await promptAsBuilt(source), omitted };
}

async function buildContext(
  options: GatherOptions,
  began: Began,
  intentOf: () => Promise<Intent | null>,
): Promise<{ context: Context; history: History | undefined; once: readonly OnceText[] }> {
  const { loaded, persona, resolvers, workspace, info } = options;
  const { thread, run } = loaded;
  const viewer = viewerOf(run);
  const messageCount = viewer === null ? thread.message_count : await options.store.countSeen(thread.id, viewer);
  const budgetTokens = tokensOfHistory(info);
  let loading: Promise<History> | undefined;
  const history = (budget: number) => {
    // Two resolvers ask for it; the thread is read once.
    loading ??= historyOf(options, budget, messageCount);
    return loading;
  };
  const memory = threadMemoryOf(options.store, { threadId: thread.id, viewer });
  const all = (await callsFor(options, intentOf)).map((text) =>
    parseResolverCall(text, { persona_id: persona.id, thread_id: thread.id }),
  );
  const calls = loaded.trigger.kind === 'delegation' ? all.filter(isHandedOn) : all;
  const context = await resolveContext({
    calls,
    resolvers,
    input: {
      persona: {
        id: persona.id,
        name: persona.name,
        address: persona.address,
        timezone: persona.timezone,
        owners: persona.owners,
      },
      thread: await resolverThread(options, { messageCount, viewer }),
      message: await resolverMessage(options, picturesFor(options)),
      unusable: options.info.tools ? options.unusable : NO_TOOLS,
      tools: options.info.tools ? options.surface.map(({ name }) => name) : [],
      limits: options.limits,
      budgetTokens,
    },
    began,
    capabilities: {
      readFile: workspace.readText,
      listFiles: workspace.list,
      history,
      knowledge: options.knowledge,
      threadMemory: memory.text,
      search: createMailSearch({ store: options.store, viewer, current: run.message_id, timezone: persona.timezone }),
    },
  });
  return { context, history: await loading, once: await memory.withSources(context.once, askerOf(run)) };
}

function historyOf(options: GatherOptions, budgetTokens: number, messageCount: number): Promise<History> {
  const { loaded, store } = options;
  return readHistory({
    loaded,
    store,
    budgetTokens,
    messageCount,
    from: loaded.thread.history_from,
    voice: options.persona,
  });
}

const NO_PROMPT: Prompt = {
  history: [],
  userBlock: { role: 'user', content: [] },
  inputText: '',
  shown: [],
};

const NO_TOOLS = [{ tool: 'every tool', why: 'this model cannot call tools' }];

/** The last user block: the volatile sections in the profile's order, then what could not be loaded. */
function blockOf(context: Pick<Context, 'limitations' | 'metadata'>): Extract<ModelMessage, { role: 'user' }> {
  const text = [...context.limitations, ...context.metadata].join('\n\n');
  return { role: 'user', content: [{ type: 'text', text }] };
}

/** Pictures go to models that can see, in this run only; in later runs the list of attachments stands for them. */
const picturesFor = ({ info, loaded }: GatherOptions) => (info.images ? picturesOf(loaded).slice(0, MAX_IMAGES) : []);

const cacheMiss = (before: string | null, now: string): 'first' | 'prefix_changed' | 'none' =>
  before === null ? 'first' : before === now ? 'none' : 'prefix_changed';

/** It reads an index that answers in ms; a mail does not wait for one that does not. */
const RECALL_MS = 2000;

interface Recalling {
  readonly loaded: LoadedRun;
  readonly persona: Pick<Persona, 'memory' | 'timezone'>;
  readonly configs: Pick<Configs, 'system'>;
  readonly store: GatherReader;
}

/** A mail that earlier mail is looked through for, with what it is about: two parts look by the same words. */
interface Looking extends Recalling {
  readonly words: readonly string[];
}

/** Null where it is switched off. */
export const lookingFor = (options: Recalling): Looking | null => {
  const { subject, new_text: text } = options.loaded.message;
  return isRecallOn(options) ? { ...options, words: contentWords({ subject, text }) } : null;
};

/** Not for a task, which nobody wrote now, nor where others are told as well, who may not see what the sender may. */
const isRecallOn = ({ loaded, persona, configs }: Recalling): boolean =>
  !hasReaders(loaded.run) && (persona.memory.recall ?? configs.system.memory.recall) && loaded.trigger.kind === 'mail';

/** The part of the gathering that looks at earlier mail. */
async function recalledFor(looking: Looking, began: Began, intent: Intent | null = null): Promise<Part<Recalled>> {
  const { loaded, persona, store, words } = looking;
  const { run, message, thread } = loaded;
  const mail = { threadId: thread.id, text: message.new_text };
  return gatherPart(
    { name: 'recall', deadlineMs: RECALL_MS, charsOf: ({ text }: Recalled) => text.length },
    () =>
      recall({
        store,
        viewer: viewerOf(run),
        asker: askerOf(run),
        mail,
        words,
        timezone: persona.timezone,
        about: intent === null ? null : aboutOf(intent),
      }),
    began,
  );
}

/** A day wider at each end, since its days are those of whichever zone. */
function aboutOf({ time_range: range, people }: Intent): NonNullable<Parameters<typeof recall>[0]['about']> {
  const time = range === null ? null : { from: Date.parse(range.from), until: Date.parse(range.to) };
  return {
    from: time ? time.from - DAY_MS : 0,
    until: time ? time.until + 2 * DAY_MS : Number.MAX_SAFE_INTEGER,
    words: people.flatMap((address) => contentWords({ subject: '', text: address.replaceAll(/[@._-]/g, ' ') })),
  };
}

/** Whether there is more to recall by than the mail itself. */
const narrowsRecall = ({ time_range: range, people }: Intent): boolean => range !== null || people.length > 0;

/** A part that failed is told to the model, or it would take silence for an answer. */
const limitationsOf = (...parts: readonly (Part<unknown> | null)[]): readonly string[] =>
  parts.every((part) => part === null || part.span.error === null)
    ? []
    : [
        'Earlier mail could not be looked through for this mail: where it matters, say so instead of saying there is none.',
      ];

/** At once by the words of the mail; again by what the mail is about, where a model has told by then. */
export async function recalledBy(
  looking: Looking | null,
  began: Began,
  intentOf: Promise<Intent | null>,
): Promise<Part<Recalled> | null> {
  if (looking === null) return null;
  const [first, intent] = await Promise.all([recalledFor(looking, began), intentOf]);
  if (intent === null || !narrowsRecall(intent)) return first;
  const again = await recalledFor(looking, began, intent);
  return again.result ? again : first;
}

/** The part of the gathering that looks at threads that are over. Null where earlier mail is not recalled, and where it found none. */
async function closedThreadsFor(looking: Looking | null, began: Began): Promise<Part<readonly OnceText[]> | null> {
  if (looking === null || looking.words.length === 0) return null;
  const { words, store } = looking;
  const { run, thread } = looking.loaded;
  const part = await gatherPart(
    { name: 'closed_threads', deadlineMs: RECALL_MS, charsOf: (texts: readonly OnceText[]) => lengthOf(texts) },
    () =>
      closingsToShow(store, {
        words,
        viewer: viewerOf(run),
        asker: askerOf(run),
        exceptThread: thread.id,
      }),
    began,
  );
  return part.span.error === null && part.result?.length === 0 ? null : part;
}

const lengthOf = (texts: readonly OnceText[]): number => texts.reduce((sum, { text }) => sum + text.length, 0);

interface Source {
  readonly loaded: LoadedRun;
  readonly persona: Persona;
  readonly configs: Pick<Configs, 'security'>;
  meetings(): Promise<readonly ShownInvitation[]>;
  readonly store: Pick<Store, 'openApprovalsOfThread' | 'draftsOfThread' | 'knownParticipants'>;
  readonly tasks: () => readonly TaskEntry[];
  readonly library: Library;
  /** Whom the run may tell of the mail beside its sender. */
  readonly toldBack: ToldBack | null;
  readonly offered: readonly Pick<ToolFacts, 'name'>[];
}

/** The mail as resolvers get it; `pictures` are those of its attachments that the model is shown. */
async function resolverMessage(source: Source, pictures: readonly StoredAttachment[]): Promise<ResolverMessage> {
  const { message, attachments, run } = source.loaded;
  const task = taskOf(source.loaded);
  const answers =
    (await answersOf(source)) ?? answersInWords(source.loaded, source.persona, source.configs.security.gateway_access);
  const invitations = await source.meetings();
  return {
    ...(invitations.length === 0 ? {} : { invitations }),
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
    attachments: await attachmentLines(attachments, { pictures, library: source.library }),
    limitations: [...message.limitations, ...(await openActionsOf(source)), ...(await unsentOf(source))],
    answers: answers === null ? null : `${answers}${tellsBack(source)}`,
    ...(task ? { task: { dueAt: iso(task.due_at), timezone: task.timezone, previous: task.previous } } : {}),
  };
}

/** A later mail of the thread runs normally, and knows what an earlier one of the same sender is waiting for. */
async function openActionsOf({ store, loaded }: Source): Promise<readonly string[]> {
  if (isFirstOfThread(loaded) || hasReaders(loaded.run)) return [];
  const asker = askerOf(loaded.run);
  const open = await store.openApprovalsOfThread(loaded.thread.id);
  const own = open.filter(({ sender, tier }) => asker === null || (sender === asker.address && tier === asker.tier));
  return own.map(
    ({ tool }) => `An earlier request of this thread waits for the owner's approval of ${tool}; it is not done yet.`,
  );
}

/** What nobody has sent was not said, and the model would not know of it. */
async function unsentOf({ store, loaded, persona: { reply } }: Source): Promise<readonly string[]> {
  if (hasReaders(loaded.run)) return [];
  if (reply.mode === 'send' && reply.rules.every(({ mode }) => mode === 'send')) return [];
  const asker = askerOf(loaded.run);
  const lying = await store.draftsOfThread(loaded.thread.id);
  const own = lying.filter(({ sender, tier }) => asker === null || (sender === asker.address && tier === asker.tier));
  return own.map(() => "Your answer to an earlier mail of this thread lies in the owner's Drafts; nobody has got it.");
}

/** By words, since the model writes to a correspondent and is not told who asked. */
function tellsBack({ toldBack, offered }: Source): string {
  if (toldBack === null || !offered.some(({ name }) => name === TELLS_BACK)) return '';
  const whom =
    toldBack.asker === null ? 'your owners (to: ["owners"])' : 'your owners (to: ["owners"]) and them (to: ["asker"])';
  return `; ${TELLS_BACK} reaches ${whom} alone`;
}

/** An owner who writes "make it 9 o'clock" below a task's mail means that task. */
async function answersOf({ loaded, tasks, store }: Source): Promise<string | null> {
  const id = loaded.trigger.kind === 'mail' ? loaded.trigger.answersTask : null;
  if (id === null) return null;
  // To whom it has not written itself, a task says no more than its mail did.
  const { tier } = loaded.run;
  if (loaded.thread.kind !== 'task' && tier !== 'owner' && tier !== 'member') return 'a mail that a task of yours sent';
  if (tier !== 'owner' && !(await store.knownParticipants(loaded.thread.id)).has(loaded.message.from_address ?? ''))
    return 'in a thread that a mail of a task of yours began, which did not go to this sender';
  const now = tasks().find((entry) => entry.id === id)?.task;
  return `a mail of your task ${id}${now ? ` (schedule: ${now.schedule}, ${now.timezone})` : ', which is gone'}`;
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
async function resolverThread(
  { loaded, persona, store }: Pick<Source, 'loaded' | 'persona'> & { readonly store: Pick<Store, 'threadPage'> },
  { messageCount, viewer }: { readonly messageCount: number; readonly viewer: Viewer },
): Promise<ResolverInput['thread']> {
  const { thread, message, trigger } = loaded;
  const { id, private_since: privateSince } = thread;
  const about = { id, kind: triggerFacts(loaded).profile, messageCount, isPrivate: privateSince !== null };
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
