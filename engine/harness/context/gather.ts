import type { ModelInfo, ModelMessage, ResolverCapabilities, ResolverInput, ToolSpec } from '#contract';
import type { RegisteredResolver, Registry } from '../../extensions/types.ts';
import { standingOf } from '../../mail/access.ts';
import type { Prompt } from '../../policy/prompt.ts';
import type { ToldBack } from '../../policy/told-back.ts';
import { type OnceText, onceOnRecord, onceToKeep } from '../../policy/values/once.ts';
import { type Asker, askerOf, viewerOf } from '../../policy/viewer.ts';
import { withAnswer } from '../../record/declared.ts';
import type { PayloadOf } from '../../record/events.ts';
import type { Recorder } from '../../record/recorder.ts';
import type { Contract, PinnedSettings, RunFrame, StoredSettings, Target } from '../../record/settings.ts';
import { taskOf, triggerFacts } from '../../record/trigger.ts';
import type { Blobs } from '../../storage/blobs.ts';
import { contractFrom, expectedOf, frameOf, NO_CONTRACT } from '../evidence/contract.ts';
import {
  picturesOf,
  promptAsBuilt,
  promptOf,
  readHistory,
  settingsAsBuilt,
  settingsBytes,
  settingsOf,
  shownBeside,
  stillThere,
} from './as-built.ts';
import { framedBy, isHandedOn, type MailProfile, parseResolverCall, profileFor } from './config.ts';
import type { History } from './history.ts';
import { goesElsewhere, limitationsOfReaders, nearLimits, tokensOfHistory } from './limits.ts';
import { ownFiles } from './own-files.ts';
import type { Began, Found, GatherPart, GatherRun, PartOfRun } from './parts.ts';
import { type Context, resolveContext } from './pipeline.ts';
import { resolverMessage, resolverThread } from './resolver-message.ts';

export interface WorkspaceReader {
  readText(path: string): Promise<string | null>;
  list(path: string): Promise<readonly string[]>;
}

export interface GatherOptions {
  /** The run as parts of the gathering get it: with nothing that writes to its record. */
  readonly run: GatherRun;
  /** What stands in the prompt beside what the profile names. */
  readonly parts: readonly GatherPart[];
  readonly artifacts: Blobs;
  readonly recorder: Recorder;
  readonly resolvers: Pick<Registry<RegisteredResolver>, 'get'>;
  readonly workspace: WorkspaceReader;
  readonly targets: readonly Target[];
  readonly info: ModelInfo;
  readonly surface: readonly ToolSpec[];
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
}

export interface Gathered {
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
  const pinned = options.run.loaded.run.settings_sha256;
  return pinned === null ? gatherAnew(options) : gatherAgain(options, pinned);
}

/** For a run that is to end without asking a model: nothing is loaded, so nothing can fail on the way to its reply. */
export function gatherNothing({ run, onlyReads, targets }: GatherOptions): Gathered {
  const { limits, ...made } = settingsOf({ ...run, onlyReads, targets, surface: [], readBy: readBy(run) }, []);
  // No model is told of a limit, as none is in a replay.
  const { tells_near: _, ...left } = limits;
  const settings = { ...made, limits: left, pinned: null };
  return { settings, prompt: NO_PROMPT, omitted: 0 };
}

async function gatherAnew(options: GatherOptions): Promise<Gathered> {
  const { run, recorder, artifacts } = options;
  const { loaded, persona } = run;
  const parts = options.parts.flatMap((part) => part.forRun(run) ?? []);
  const found = await look(options, parts);
  const { context, history, looked, frame } = found;
  const ofResolvers = await onceWithSources(context, parts, loaded);
  const once = [
    ...looked.reduce((texts, { without }) => without?.(texts) ?? texts, ofResolvers),
    ...looked.flatMap(({ once: texts = [] }) => texts),
  ];
  const { settings, settingsSha256, prefixSha256 } = settingsFor(options, found);
  const limitations = [
    ...context.limitations,
    // Two parts that look at the same rows say it once.
    ...new Set(looked.flatMap(({ limitations: said = [] }) => said)),
    ...limitationsOfReaders(loaded.run),
    ...goesElsewhere(loaded, persona),
    ...expectedOf(frame.contract),
  ];
  const userBlock = blockOf(context);
  const made = {
    history,
    block: userBlock,
    parts: context.parts,
    placed: looked.flatMap(({ placed }) => placed ?? []),
    once,
  };
  const told = [...limitations, ...context.brief];
  const shown = shownBeside({ loaded, parts: options.parts }, { ...made, brief: told.join('\n\n') });
  const files = await ownFiles(run, { system: settings.system, shown });
  const brief = [...told, ...(files === null ? [] : [files])].join('\n\n');
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
    spans: [...context.spans, ...looked.flatMap(({ span }) => span ?? [])],
    limitations,
    history_messages: context.history.length,
    history_omitted: history?.omitted ?? 0,
    history_from: history?.from ?? loaded.thread.history_from,
    history_until: context.history.length === 0 ? 0 : (history?.until ?? 0),
    pictures: pictures.length,
    ...(pictures.length === 0 ? {} : { picture_ids: pictures.map(({ id }) => id) }),
    ...readersOnRecord(options),
    ...together(looked.map(({ onRecord }) => onRecord)),
    ...(once.length === 0 ? {} : { once: onceOnRecord(once) }),
    // Of a mail that an earlier run has rendered: what this run was shown, where that is not the same.
    ...(isFirst || rendered === loaded.message.rendered_json ? {} : { rendered }),
    brief,
    tools: settings.tools.map(({ name }) => name),
    ...leftOut(options),
    targets: settings.targets,
    tier: loaded.run.tier,
  });
  for (const { tell } of looked) tell?.(recorder);
  recorder.pin({
    settingsSha256,
    ...together(looked.map(({ pinned }) => pinned)),
    context: {
      historyFrom: history?.from ?? loaded.thread.history_from,
      prefixSha256,
      rendered: isFirst ? rendered : null,
      ...(once.length === 0 ? {} : { shown: onceToKeep(loaded.thread.id, once) }),
    },
  });
  const beside = await promptOf({ loaded, artifacts, parts: options.parts }, { ...made, pictures, brief });
  return {
    settings: { ...settings, frame },
    prompt: { history: context.history, ...beside },
    omitted: history?.omitted ?? 0,
  };
}

interface Looked {
  readonly context: Context;
  readonly history: History | undefined;
  /** What parts have found, in the order of the list. */
  readonly looked: readonly Found[];
  readonly frame: RunFrame;
  readonly profile: MailProfile;
}

/** Everything that is looked at for the prompt, side by side. What the mail wants is on record when this is over. */
async function look(options: GatherOptions, parts: readonly PartOfRun[]): Promise<Looked> {
  const { now } = options.run;
  const began = { at: now(), now };
  const known = frameOfRun(options);
  const teller = parts.find((part) => part.intent);
  const telling = teller?.intent?.(began, known) ?? Promise.resolve(null);
  const intent = telling.then((told) => told?.intent ?? null);
  const profiled = profileFor(options.run, intent);
  const [{ context, history }, found, told, profile] = await Promise.all([
    buildContext(options, parts, began, profiled),
    Promise.all(parts.map((part) => (part === teller ? telling : part.gather?.(began, intent)))),
    telling,
    profiled,
    intent,
  ]);
  await told?.keep(options.recorder);
  const looked = found.filter((one) => one != null);
  const framed = framedBy(known, profile);
  return {
    context,
    history,
    looked,
    profile,
    frame: looked.reduce((frame, one) => one.frame?.(frame) ?? frame, framed),
  };
}

/** What an answer has to bring whatever the mail is taken for. */
const contractOf = ({ persona, loaded }: Pick<GatherRun, 'persona' | 'loaded'>): Contract =>
  contractFrom(persona.answer, taskOf(loaded)?.answer ?? null);

/** What is known of the mail before any model is asked. */
function frameOfRun({ run: { loaded, persona, offered }, info }: GatherOptions): RunFrame {
  const { message } = loaded;
  return frameOf({
    trigger: loaded.trigger.kind,
    ...triggerFacts(loaded),
    subject: message.subject,
    text: message.new_text,
    language: persona.language,
    contract: contractOf({ persona, loaded }),
    offered: info.tools ? offered : [],
  });
}

/** Texts of resolvers that stand in the prompt once, with whose words they have; of one that no part knows they are others'. */
async function onceWithSources(
  { once }: Context,
  parts: readonly PartOfRun[],
  { run }: GatherRun['loaded'],
): Promise<readonly OnceText[]> {
  return Promise.all(once.map(async (text) => ({ ...text, ...(await sourceOf(text.resolver, parts, askerOf(run))) })));
}

async function sourceOf(
  resolver: string,
  parts: readonly PartOfRun[],
  asker: Asker,
): Promise<Pick<OnceText, 'foreign' | 'isOfThread'>> {
  for (const part of parts) {
    const known = await part.sourceOf?.(resolver, asker);
    if (known) return known;
  }
  return { foreign: true };
}

/** Whether everybody who gets the answer is an owner or a member. */
function readBy({ loaded, persona, configs }: GatherRun): 'insiders' | 'outsiders' {
  const { tier, readers = [] } = loaded.run;
  const isInside = (standing: string | null) => standing === 'owner' || standing === 'member';
  const { gateway_access: access } = configs.security;
  const areInside = isInside(tier) && readers.every((one) => isInside(standingOf(one, persona, access)));
  return areInside ? 'insiders' : 'outsiders';
}

/** What holds for the whole run, stored as an artifact. */
function settingsFor(options: GatherOptions, { context, looked, frame, profile }: Looked) {
  const { run, targets, artifacts } = options;
  const { systemSections } = context;
  const surface = withAnswer(shownOf(options, profile), frame.contract);
  const onlyReads = options.onlyReads || profile.reads !== null;
  const risks = Object.fromEntries(run.offered.map(({ name, risk }) => [name, risk]));
  const scopes = Object.fromEntries(run.offered.flatMap(({ name, scope, asks }) => (asks ? [] : [[name, scope]])));
  const system = [...systemSections, ...looked.flatMap(({ system: advice = [] }) => advice)];
  const stored: StoredSettings = {
    ...settingsOf({ ...run, onlyReads, targets, surface, readBy: readBy(run) }, system),
    risks,
    scopes,
    ...(profile.reads === null ? {} : { reads: profile.reads }),
    ...together(looked.map(({ settings }) => settings)),
  };
  const { prefixSha256, bytes, sha256, settings } = settingsBytes(run.persona.id, stored);
  return { settings, prefixSha256, settingsSha256: artifacts.put(bytes, sha256) };
}

/** The tools that the model is shown, without the one that ends the run. One that cannot call any is shown none, instead of a request that its vendor refuses. */
function shownOf({ info, surface, run }: GatherOptions, { reads }: MailProfile): readonly ToolSpec[] {
  if (!info.tools || reads === null) return info.tools ? surface : [];
  const reading = new Set(run.offered.flatMap(({ name, risk }) => (risk === 'read' ? [name] : [])));
  return surface.filter(({ name }) => reading.has(name));
}

/** The keys of all of them, in their order. */
const together = <Some extends object>(some: readonly (Some | undefined)[]): Partial<Some> =>
  Object.assign({}, ...some.map((one) => one ?? {}));

/** What is missing on the surface that grants alone do not tell of. */
const leftOut = ({ narrowed, away }: GatherOptions) => ({
  ...(narrowed.length === 0 ? {} : { narrowed }),
  ...(away.length === 0 ? {} : { away }),
});

/** Where answers go to senders alone there is nothing to remember. */
const readersOnRecord = ({ run: { persona, loaded } }: GatherOptions) =>
  persona.reply.recipients === 'sender' ? {} : { also_read: loaded.run.readers ?? [] };

async function gatherAgain({ run, parts, artifacts, surface }: GatherOptions, pinned: string): Promise<Gathered> {
  const source = { ...run, parts, artifacts };
  const stored = await settingsAsBuilt(source, pinned);
  // What was pinned, cut by what is granted today: a right that was taken away meanwhile is gone.
  const today = withAnswer(surface, stored.frame?.contract ?? NO_CONTRACT);
  const settings = {
    ...stored,
    tools: stillThere(stored.tools, { surface: today, offered: run.offered }),
    pinned: stored.tools,
  };
  const omitted = run.log.last('context_built')?.data.history_omitted ?? 0;
  return { settings, prompt: await promptAsBuilt(source), omitted };
}

async function buildContext(
  options: GatherOptions,
  parts: readonly PartOfRun[],
  began: Began,
  profiled: Promise<MailProfile>,
): Promise<{ context: Context; history: History | undefined }> {
  const { resolvers, workspace, info, toldBack } = options;
  const { loaded, persona, configs, store } = options.run;
  const { thread } = loaded;
  const viewer = viewerOf(loaded.run);
  // Beside its first mail there is nothing to be seen of a thread.
  const isCounted = viewer === null || thread.message_count < 2;
  const messageCount = isCounted ? thread.message_count : await store.countSeen(thread.id, viewer);
  const budgetTokens = tokensOfHistory(info);
  let loading: Promise<History> | undefined;
  const history = (budget: number) => {
    // Two resolvers ask for it; the thread is read once.
    loading ??= historyOf(options.run, budget, messageCount);
    return loading;
  };
  const profile = await profiled;
  const tools = withAnswer(shownOf(options, profile), contractFrom(contractOf(options.run), profile.answer));
  const all = profile.calls.map((text) => parseResolverCall(text, { persona_id: persona.id, thread_id: thread.id }));
  const calls = loaded.trigger.kind === 'delegation' ? all.filter(isHandedOn) : all;
  const told = await Promise.all(parts.map((part) => part.message?.() ?? {}));
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
      thread: await resolverThread(options.run, { messageCount, viewer }),
      message: await resolverMessage({ ...options.run, toldBack }, picturesFor(options), told),
      unusable: info.tools ? options.unusable : NO_TOOLS,
      tools: info.tools ? tools.map(({ name }) => name) : [],
      limits: nearLimits({
        ...{ budget: persona.budget, inference: configs.inference },
        onlyReads: options.onlyReads || profile.reads !== null,
      }),
      budgetTokens,
    },
    began,
    capabilities: withThoseOf(parts, { readFile: workspace.readText, listFiles: workspace.list, history }),
  });
  return { context, history: await loading };
}

/** What resolvers may use: of the gathering itself, and of the parts that have something for them. */
const withThoseOf = (
  parts: readonly PartOfRun[],
  own: Pick<ResolverCapabilities, 'readFile' | 'listFiles' | 'history'>,
): ResolverCapabilities => Object.assign({}, own, ...parts.map(({ capabilities = {} }) => capabilities));

function historyOf(run: GatherRun, budgetTokens: number, messageCount: number): Promise<History> {
  const { loaded, store, persona } = run;
  return readHistory({
    loaded,
    store,
    budgetTokens,
    messageCount,
    from: loaded.thread.history_from,
    voice: persona,
  });
}

const NO_PROMPT: Prompt = {
  history: [],
  userBlock: { role: 'user', content: [] },
  inputText: '',
  shown: [],
};

const NO_TOOLS = [{ tool: 'every tool', why: 'this model cannot call tools' }];

/** The mail as every later run of its thread is shown it, so that a vendor's prompt cache hits: nothing of today is in it. */
const blockOf = ({ metadata }: Pick<Context, 'metadata'>): Extract<ModelMessage, { role: 'user' }> => ({
  role: 'user',
  content: [{ type: 'text', text: metadata.join('\n\n') }],
});

/** Pictures go to models that can see, in this run only; in later runs the list of attachments stands for them. */
const picturesFor = ({ info, run: { loaded } }: GatherOptions) =>
  info.images ? picturesOf(loaded).slice(0, MAX_IMAGES) : [];

const cacheMiss = (before: string | null, now: string): 'first' | 'prefix_changed' | 'none' =>
  before === null ? 'first' : before === now ? 'none' : 'prefix_changed';
