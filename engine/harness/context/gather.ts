import type { KnowledgeCapability, ModelInfo, ModelMessage, ResolverInput, ToolSpec } from '#contract';
import type { Configs, Persona, TaskEntry } from '../../config/types.ts';
import type { RegisteredResolver, Registry } from '../../extensions/types.ts';
import { atWork, demanding, putOnRecord } from '../../learning/advice.ts';
import type { SelectedPlaybook } from '../../learning/select.ts';
import { type OnceText, onceOnRecord, onceToKeep, threadMemoryOf } from '../../memory/threads/once.ts';
import type { Prompt } from '../../policy/prompt.ts';
import type { ToolFacts } from '../../policy/surface.ts';
import type { ToldBack } from '../../policy/told-back.ts';
import { askerOf, viewerOf } from '../../policy/viewer.ts';
import type { Intent } from '../../record/codec/intent.ts';
import type { PayloadOf } from '../../record/events.ts';
import type { Recorder } from '../../record/recorder.ts';
import type { PinnedSettings, StoredSettings, Target } from '../../record/settings.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { ShownInvitation } from '../../tools/calendar/meetings.ts';
import { createMailSearch } from '../../tools/capabilities/mail.ts';
import type { Library } from '../../tools/documents/library.ts';
import {
  picturesOf,
  promptAsBuilt,
  promptOf,
  readHistory,
  settingsAsBuilt,
  settingsBytes,
  settingsOf,
  stillThere,
} from './as-built.ts';
import { isHandedOn, parseResolverCall } from './config.ts';
import { factsGathered, limitationsOfFacts, limitationsOfReaders, withFacts, withoutShownFacts } from './facts.ts';
import type { History } from './history.ts';
import { callsFor, type FrameStage, framedFor, frameKept, frameOfRun, intentIn } from './intent/framed.ts';
import { goesElsewhere, tokensOfHistory } from './limits.ts';
import type { Began, GatherReader } from './parts.ts';
import { type Context, resolveContext } from './pipeline.ts';
import { closedThreadsFor, limitationsOf, lookingFor, recalledBy } from './recalled.ts';
import { resolverMessage, resolverThread } from './resolver-message.ts';
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
