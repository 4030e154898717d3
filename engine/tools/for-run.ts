import {
  CAPABILITY_NAMES,
  type Capabilities,
  type CapabilityName,
  type Json,
  type Log,
  type ToolContext,
} from '#contract';
import type { Configs, Persona, TaskDesk } from '../config/types.ts';
import type { RegisteredHook, RegisteredTool, Registry } from '../extensions/types.ts';
import { type Language, languageOf } from '../languages/language.ts';
import { byLanguage, ownWordsIn } from '../languages/owner-language.ts';
import type { Ids } from '../lib/ids.ts';
import { atFirstUse, loadedAtFirstUse } from '../lib/kept-value.ts';
import { addressKey, matchesPattern } from '../mail/mime/address.ts';
import type { PricedTarget } from '../models/cost.ts';
import { judgedByHooks } from '../policy/hook-restrictions.ts';
import { createSensor, type Sensor } from '../policy/sensor.ts';
import { factsOf } from '../policy/surface.ts';
import { addressed, answeredBy, type ToldBack } from '../policy/told-back.ts';
import type { RunReads } from '../record/recorder.ts';
import { beginningOf } from '../record/trigger.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';
import type { RunInHand, ToolMail } from '../storage/ports/runs.ts';
import type { ForeignValue } from '../storage/types/approvals.ts';
import type { FactChange } from '../storage/types/facts.ts';
import type { NewJob } from '../storage/types/jobs.ts';
import type { StoredRun } from '../storage/types/runs.ts';
import type { NewDelegation, Packet } from '../storage/types/suspensions.ts';
import { type MadeCall, toolContext } from './execute.ts';
import { ownWordsFor } from './own-words.ts';
import type { PrepareContext } from './prepare.ts';
import { provenanceOfRun, type ReadingRun, shownTo } from './provenance-of-run.ts';
import { restrictedRun } from './run-surface.ts';
import { filesOfRun, type OpenFiles, type Shelf, type ShelfDeps, shelfOfRun } from './shelf.ts';
import type { WaitingDesk } from './waiting.ts';

export interface ToolDeps extends ShelfDeps {
  /** What tools may use; loaded with the first of them. */
  capabilities(): Promise<CapabilityTable>;
  /** Those in force now; a run takes them once. */
  tools(): Registry<RegisteredTool>;
  /** The same for hooks, of which some restrict. */
  hooks(): Pick<Registry<RegisteredHook>, 'all'>;
  /** Where the owner of a persona puts calendars. */
  calendarsOf(personaId: string): string;
  readonly taskDesk: TaskDesk;
  /** What was refused before anything took it in. */
  readonly refusals: Pick<GatewayStore, 'listReceived' | 'keptRefusal' | 'seenOfPerson'>;
  /** Loaded with the first call that settles something. */
  waitingDesk(): Promise<WaitingDesk>;
  priceFor(persona: Persona, pinned: string | null): PricedTarget;
  readonly recursionSecret: string;
  readonly ids: Ids;
  readonly log: Log;
}

/** For whom tools would work: one run of one persona. */
export interface ToolUser {
  readonly persona: Persona;
  readonly configs: Configs;
  readonly run: RunInHand;
  readonly store: RunReads;
  readonly signal: AbortSignal;
  /** Beside what `reading` tells of it. */
  isTainted(): boolean;
  /** What the run was shown; null where it is not the run that asks. */
  readonly reading: ReadingRun | null;
  /** Whom the run of a correspondent may tell; null: nobody, as of any other run. */
  readonly toldBack: ToldBack | null;
  /** Takes the mail that a tool writes. */
  stage(mail: ToolMail): void;
  /** Takes what a tool remembers or forgets. */
  stageFact(change: FactChange): void;
  /** Takes what follows from a call of a tool. */
  stageJob(job: NewJob): void;
  /** Takes a run that is to be begun. */
  stageChild(child: NewDelegation): void;
  /** What the run was handed by the one that began it; absent where a mail or a task did. */
  readonly packet?: Packet | null;
}

/** All that is asked before a call, and what it works with, for one run. */
export interface ToolsOfRun {
  readonly prepare: PrepareContext;
  contextFor(tool: RegisteredTool, signal: AbortSignal, made?: MadeCall | null): ToolContext;
  readonly sensor: Sensor;
  /** Of a file of the persona; null when it cannot be read. */
  fileHash(path: string): Promise<string | null>;
}

export async function toolsForRun(
  deps: ToolDeps,
  user: ToolUser,
  refusal: PrepareContext['surfaceRefusal'],
): Promise<ToolsOfRun> {
  const { persona, configs, run, store, toldBack } = user;
  const { make, asked } = await deps.capabilities();
  const tools = deps.tools();
  const hooks = deps.hooks();
  const known = new Set(await knownTo(store, run));
  const language = await languageOfRun(user);
  const languageForOwners = loadedAtFirstUse(() => languageOfOwners(user));
  const shelf = shelfOfRun(deps, user, 0);
  const files = filesOfRun(deps, user, { shelf, refusal, language: languageForOwners });
  const around = { persona, known, tools, store, files: files.open(user.signal) };
  const answered = goesOn(user.reading) ? await store.answersInWords(run.thread_id) : [];
  const provenance = user.reading && provenanceOfRun(user.reading, { ...around, answered });
  const isTainted = () => user.isTainted() || provenance?.isExposed() === true;
  const policy = configs.security.tool_policy;
  const log = deps.log.child({ persona: persona.id, run: run.id });
  const at: ToolRun = {
    deps,
    user,
    tools,
    shelf,
    refusal,
    language,
    languageForOwners,
    isTainted,
    foreignIn: async (tool, args) => (await provenance?.foreignIn(factsOf(tool), args)) ?? [],
    mayFollow: async (url) => provenance === null || (await provenance.mayFollow(url)),
  };
  const sensor = createSensor(deps.clock.now);
  const who = { persona, threadId: run.thread_id, runId: run.id, log };
  const makers = new Map(CAPABILITY_NAMES.map((name) => [name, atFirstUse(() => make[name](at))]));
  const contextFor = (tool: RegisteredTool, signal: AbortSignal, made: MadeCall | null = null, isMade = true) => {
    const opened = { files: null as OpenFiles | null };
    const call: CallOf = {
      tool,
      signal,
      made,
      files() {
        opened.files ??= files.open(signal, isMade);
        return opened.files;
      },
    };
    const granted: Partial<Capabilities> = {};
    for (const name of tool.manifest.capabilities) Reflect.set(granted, name, makers.get(name)?.()(call));
    return toolContext(tool, who, sensor.watch(granted), signal);
  };
  const prepare: PrepareContext = {
    ...asked(at),
    tools,
    shown: () => shownTo(user.reading, tools),
    surfaceRefusal: refusal,
    policy,
    tier: run.tier,
    kind: user.reading === null ? null : beginningOf(user.reading.loaded),
    tellsBack: toldBack !== null,
    addressed: (tool, args) => files.within(tool, addressed(toldBack, persona, { tool, args })),
    isAsker: (address) => addressKey(address) === (toldBack?.asker?.address ?? ''),
    answered: () => answeredBy(store, run),
    isOwner: (address) => persona.owners.some((owner) => matchesPattern(address, owner)),
    isKnown: (address) => known.has(addressKey(address) ?? '') || provenance?.isNamed(address) === true,
    isTainted,
    foreignIn: async (tool, args) => (await provenance?.foreignIn(tool, args)) ?? [],
    restrictionsOn: async (call) =>
      hooks.all().length === 0
        ? []
        : judgedByHooks(hooks, call, { run: restrictedRun(persona, run), signal: user.signal }),
    ownWordsFor: async (call) =>
      user.reading === null || provenance === null
        ? null
        : ownWordsFor(call, { ...user, reading: user.reading, provenance, isTainted, now: deps.clock.now }),
    canAsk: persona.owners.length > 0 || configs.system.admin_contact !== null,
    contextFor: (tool) => contextFor(tool, user.signal, null, false),
  };
  return { prepare, contextFor, sensor, fileHash: files.hashOf };
}

/** Its mail answers another: one that begins a conversation has nothing before it. */
const goesOn = (reading: ReadingRun | null): boolean =>
  reading !== null && (reading.loaded.message.in_reply_to !== null || reading.loaded.message.references.length > 0);

/** One run, as capabilities are made for it. */
export interface ToolRun {
  readonly deps: ToolDeps;
  readonly user: ToolUser;
  readonly tools: Registry<RegisteredTool>;
  readonly shelf: Shelf;
  readonly refusal: PrepareContext['surfaceRefusal'];
  /** That of the mail that it is about. */
  readonly language: Language;
  /** In which owners are shown what is to be done. */
  languageForOwners(): Promise<Language>;
  /** It was shown words of others. */
  isTainted(): boolean;
  /** Values of these arguments that stand in no trusted text, once the run was shown words of others. */
  foreignIn(tool: RegisteredTool, args: Json): Promise<readonly ForeignValue[]>;
  /** Whether a URL of a page says no more than the run was given to say. */
  mayFollow(url: string): Promise<boolean>;
}

/** A call that something is made for. */
export interface CallOf {
  readonly tool: RegisteredTool;
  readonly signal: AbortSignal;
  readonly made: MadeCall | null;
  /** Those that the call works with, opened at the first use. */
  files(): OpenFiles;
}

/** What tools may use, handed in where a gateway is put together. */
export interface CapabilityTable {
  /** How each is made: for a run with the first call that has it, then for each call; most tools have few of them. */
  readonly make: { readonly [Name in CapabilityName]: (run: ToolRun) => (call: CallOf) => Capabilities[Name] };
  /** What is asked of a call that only its feature can tell. */
  asked(run: ToolRun): Pick<PrepareContext, 'rules' | 'forgetsOwn'>;
}

/** Somebody whom an owner put on this thread, or who takes part in it; a claim without proof makes nobody known. */
async function knownTo(
  store: Pick<RunReads, 'knownParticipants'>,
  { thread_id, sender, tier }: StoredRun,
): Promise<readonly string[]> {
  if (tier === 'unauthenticated') return [];
  return [...(await store.knownParticipants(thread_id)), ...(sender === null ? [] : [sender])];
}

/** The run of a mail, and what it was shown; null where it is not the run that asks. */
interface Asking {
  readonly persona: Persona;
  readonly run: StoredRun;
  readonly store: RunReads;
  readonly reading: Pick<ReadingRun, 'settings'> | null;
}

/** What owners are shown of a call is one text for all of them: in the language of most, of as many in that of the first. */
async function languageOfOwners({ store, run, persona }: Asking): Promise<Language> {
  const message = await store.messageById(run.message);
  const readers = await byLanguage(store, persona, persona.owners, ownWordsIn({ run, message }));
  return readers.toSorted((one, other) => other.to.length - one.to.length)[0]?.language ?? persona.language;
}

/** That of the mail that it is about. */
async function languageOfRun({ reading, store, run, persona }: Asking): Promise<Language> {
  const known = reading?.settings.frame?.language;
  if (known) return known;
  const message = await store.messageById(run.message);
  return languageOf([message?.new_text ?? ''], persona.language);
}
