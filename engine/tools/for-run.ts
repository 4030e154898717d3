import { type Capabilities, type CapabilityName, EngineError, type Log, type ToolContext } from '#contract';
import type { Configs, Persona, TaskDesk } from '../config/types.ts';
import type { DocumentReader } from '../documents/reader.ts';
import type { RegisteredHook, RegisteredTool, Registry } from '../extensions/types.ts';
import { type Language, languageOf } from '../languages/language.ts';
import { byLanguage, ownWordsIn } from '../languages/owner-language.ts';
import type { Clock } from '../lib/clock.ts';
import { type Ids, sha256 } from '../lib/ids.ts';
import { loadedAtFirstUse } from '../lib/kept-value.ts';
import { UNDO_MS } from '../lib/undo-window.ts';
import { addressKey, matchesPattern } from '../mail/mime/address.ts';
import { ruleReaderOf } from '../memory/rules/shown.ts';
import type { PricedTarget } from '../models/cost.ts';
import { CONTEXT_DENIED } from '../policy/delegated.ts';
import { isNamedUrl } from '../policy/governor.ts';
import { judgedByHooks } from '../policy/hook-restrictions.ts';
import { createSensor, type Sensor } from '../policy/sensor.ts';
import { addressed, answeredBy, type ToldBack } from '../policy/told-back.ts';
import { viewerOf } from '../policy/viewer.ts';
import { attachedIn } from '../record/attached.ts';
import { undoEndJob } from '../record/jobs/job-kinds.ts';
import type { RunReads } from '../record/recorder.ts';
import type { PersonaFiles } from '../storage/persona-files.ts';
import type { RunInHand, ToolMail } from '../storage/ports/runs.ts';
import type { FactChange } from '../storage/types/facts.ts';
import type { StoredRun } from '../storage/types/runs.ts';
import type { NewDelegation, Packet } from '../storage/types/suspensions.ts';
import { createArtifacts } from './capabilities/artifacts.ts';
import { calendarOfRun } from './capabilities/calendar.ts';
import { createMail } from './capabilities/mail.ts';
import { createMemory, forgetsOwn } from './capabilities/memory.ts';
import { createOutgoing, type OutgoingOptions } from './capabilities/outgoing.ts';
import { createAttach, type OpensFiles } from './capabilities/outgoing-files.ts';
import { createRules, RULE_TOOL } from './capabilities/rules.ts';
import { createScheduleDesk } from './capabilities/schedule.ts';
import { createTables } from './capabilities/tables.ts';
import { createLibrary, documentPage, documentText, type Library } from './documents/library.ts';
import { type MadeCall, toolContext } from './execute.ts';
import type { FilesDesk } from './files/desk.ts';
import { createFiles, type OpenFiles, withinRoot } from './files/files.ts';
import { handedFiles } from './files/handed.ts';
import { createKnowledge, KNOWLEDGE, type Knowledge, type KnowledgeFolder, limitReads } from './knowledge/knowledge.ts';
import { createCallback } from './outside/callback.ts';
import { createDelegation } from './outside/delegation.ts';
import { ownWordsFor } from './own-words.ts';
import { playbooksOfRun } from './playbooks.ts';
import type { PrepareContext } from './prepare.ts';
import { provenanceOfRun, type Reading, shownTo } from './provenance-of-run.ts';
import { ATTACH, LIST_FILES, READ_ATTACHMENT, READ_FILE, restrictedRun } from './run-surface.ts';
import { createShell } from './shell/shell.ts';
import { createWeb } from './web/web.ts';

export interface ToolDeps {
  /** Those in force now; a run takes them once. */
  tools(): Registry<RegisteredTool>;
  /** The same for hooks, of which some restrict. */
  hooks(): Pick<Registry<RegisteredHook>, 'all'>;
  filesOf(personaId: string): PersonaFiles;
  /** Where the owner of a persona puts calendars. */
  calendarsOf(personaId: string): string;
  /** One for the whole process. */
  readonly filesDesk: FilesDesk;
  readonly documents: DocumentReader;
  /** The files of the owners. */
  readonly workspace: KnowledgeFolder;
  readonly taskDesk: TaskDesk;
  priceFor(persona: Persona, pinned: string | null): PricedTarget;
  readonly recursionSecret: string;
  readonly clock: Clock;
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
  readonly reading: Reading | null;
  /** Whom the run of a correspondent may tell; null: nobody, as of any other run. */
  readonly toldBack: ToldBack | null;
  /** Takes the mail that a tool writes. */
  stage(mail: ToolMail): void;
  /** Takes what a tool remembers or forgets. */
  stageFact(change: FactChange): void;
  /** Takes a run that is to be begun. */
  stageChild(child: NewDelegation): void;
  /** What the run was handed by the one that began it; absent where a mail or a task did. */
  readonly packet?: Packet | null;
}

/** All that is asked before a call, and what it works with, for one run. */
export async function toolsForRun(
  deps: ToolDeps,
  user: ToolUser,
  refusal: PrepareContext['surfaceRefusal'],
): Promise<{
  prepare: PrepareContext;
  contextFor(tool: RegisteredTool, signal: AbortSignal, made?: MadeCall | null): ToolContext;
  sensor: Sensor;
  /** Of a file of the persona; null when it cannot be read. */
  fileHash(path: string): Promise<string | null>;
}> {
  const { persona, configs, run, store, toldBack } = user;
  const tools = deps.tools();
  const hooks = deps.hooks();
  const { artifacts, filesRoot, temporary, undo } = deps.filesOf(persona.id);
  const viewer = viewerOf(run);
  const known = new Set(await knownTo(store, run));
  const language = await languageOfRun(user);
  const languageForOwners = loadedAtFirstUse(() => languageOfOwners(user));
  const record = {
    made: store.recordMadeFile,
    madeHash: store.madeFileHash,
    removing(file: { path: string; sha256: string; bytes: number }) {
      const until = deps.clock.now() + UNDO_MS;
      return store.recordRemovedFile({ ...file, run_id: run.id, until }, undoEndJob(until));
    },
    removed: (path: string) => store.removedFile(run.id, path),
    keptBytes: store.removedBytes,
  };
  const maxFilesBytes = configs.gateway.limits.max_files_bytes;
  const { filesDesk: desk } = deps;
  const library = libraryOfRun(deps, user);
  const { packet = null } = user;
  const filesFor = (signal: AbortSignal, isMade = true) => {
    const all = createFiles({
      root: filesRoot,
      temporary,
      record,
      undo,
      maxFilesBytes,
      desk,
      signal,
      language: languageForOwners,
      documentText: (file) => documentText(library, file),
      // A child run sees what it was handed; and whoever may not list the files hears of no other. Names are others' words as
      // often as not, and a call that is only prepared does not count as one that has read any.
      tellsNames: isMade && packet === null && refusal(LIST_FILES) === null,
    });
    return packet === null ? all : handedFiles(all, packet.files, CONTEXT_DENIED);
  };
  const files = filesFor(user.signal);
  const knowledge = knowledgeOfRun(deps, user, 0);
  const provenance = user.reading && provenanceOfRun(user.reading, { persona, known, tools, store, files });
  const mail = createMail({ store, library, viewer, current: run.message_id, timezone: persona.timezone });
  const schedule = createScheduleDesk({
    desk: deps.taskDesk,
    persona,
    tier: run.tier,
    store,
    language: languageForOwners,
    now: deps.clock.now,
    priceFor: (pinned) => deps.priceFor(persona, pinned),
  });
  const shell = createShell({ filesRoot, maxFilesBytes, desk });
  const readable = limitReads(knowledge, user.reading?.state.outcomes ?? []);
  const results = createArtifacts({
    store,
    artifacts,
    run,
    denial: packet === null ? null : CONTEXT_DENIED,
  });
  const attached = () => attachedIn(user.reading?.state.outcomes ?? []);
  const aside = { artifacts, attached: () => attached().map(({ path }) => path) };
  const artifactsFor = (files: OpenFiles) => ({
    ...results,
    attach: createAttach({ ...aside, files, mayRead: refusal(READ_FILE) === null }),
  });
  const outgoingOf = ({ files, signal, made }: CallOf): OutgoingOptions => ({
    persona,
    run,
    language,
    languageForOwners,
    toldBack,
    signal,
    gateway: configs.gateway,
    stage: user.stage,
    approved: made?.approved ?? null,
    ids: deps.ids,
    clock: deps.clock,
    recursionSecret: deps.recursionSecret,
    store,
    // A correspondent's run takes no file along that it may not read.
    sources: {
      store,
      artifacts,
      viewer,
      attached,
      files: toldBack === null || refusal(READ_FILE) === null ? files() : NO_FILES,
    },
  });
  const isTainted = () => user.isTainted() || provenance?.isExposed() === true;
  const rulesFor = (signal: AbortSignal) =>
    createRules({
      store,
      persona,
      run,
      signal,
      isTool: (name) => tools.get(name) !== undefined && name !== RULE_TOOL,
      language: languageForOwners,
      ids: deps.ids,
      clock: deps.clock,
    });
  const memoryFor = (signal: AbortSignal) =>
    createMemory({
      store,
      run,
      signal,
      ids: deps.ids,
      clock: deps.clock,
      isTainted,
      rules: rulesFor(signal),
      stage: user.stageFact,
    });
  const policy = configs.security.tool_policy;
  const mayFollow = async (url: string) => provenance === null || (await provenance.mayFollow(url));
  // What the first host is told in a URL the next one is told by it, so a page leads no further than a call may go.
  const webFor = (tool: string) =>
    createWeb({
      readDocument: (document) => documentPage(library, document),
      mayFollow: async (url) => isNamedUrl(policy, tool, url.href) || (await mayFollow(url.href)),
    });
  const tablesFor = (files: OpenFiles, signal: AbortSignal) =>
    createTables({
      store,
      artifacts,
      library,
      files,
      viewer,
      message: run.message,
      aside,
      mayAttach: refusal(ATTACH) === null,
      maySee: (scope) => refusal(scope === 'files:read' ? READ_FILE : READ_ATTACHMENT) === null,
      signal,
    });
  const children = { count: 0 };
  const begin = (child: NewDelegation) => {
    children.count += 1;
    user.stageChild(child);
  };
  const sensor = createSensor(deps.clock.now);
  const log = deps.log.child({ persona: persona.id, run: run.id });
  const who = { persona, threadId: run.thread_id, runId: run.id, log };
  const makers: Makers = {
    mail: () => mail,
    files: ({ files }) => files(),
    web: ({ tool }) => webFor(tool.name),
    outgoing: (call) => createOutgoing(outgoingOf(call)),
    artifacts: ({ files }) => artifactsFor(files()),
    schedule: () => schedule,
    shell: () => shell,
    tables: ({ files, signal }) => tablesFor(files(), signal),
    knowledge: () => readable,
    calendar: (call) => calendarOfRun(deps, user, { library, outgoing: outgoingOf(call) }),
    memory: ({ signal }) => memoryFor(signal),
    playbooks: () => playbooksOfRun(deps, user, languageForOwners),
    rules: ({ signal }) => rulesFor(signal),
    callback: ({ tool, made }) => createCallback(user, { tool, made, ids: deps.ids }),
    delegation: ({ files }) =>
      createDelegation({
        persona,
        configs,
        run,
        packet,
        files: files(),
        isTainted,
        stage: begin,
        staged: () => children.count,
        shown: shownTo(user.reading, tools) ?? [],
        state: user.reading?.state ?? { outcomes: [] },
        readPage: results.readPage,
        mayFollow,
        clock: deps.clock,
        ids: deps.ids,
      }),
  };
  const contextFor = (tool: RegisteredTool, signal: AbortSignal, made: MadeCall | null = null, isMade = true) => {
    const opened = { files: null as OpenFiles | null };
    const files = () => {
      opened.files ??= filesFor(signal, isMade);
      return opened.files;
    };
    const granted: Partial<Capabilities> = {};
    for (const name of tool.manifest.capabilities)
      Reflect.set(granted, name, makers[name]({ tool, signal, made, files }));
    return toolContext(tool, who, sensor.watch(granted), signal);
  };
  const prepare: PrepareContext = {
    tools,
    shown: () => shownTo(user.reading, tools),
    surfaceRefusal: refusal,
    policy,
    tier: run.tier,
    tellsBack: toldBack !== null,
    addressed: (tool, args) => withinRoot(filesRoot, tool, addressed(toldBack, persona, { tool, args })),
    isAsker: (address) => addressKey(address) === (toldBack?.asker?.address ?? ''),
    answered: () => answeredBy(store, run),
    isOwner: (address) => persona.owners.some((owner) => matchesPattern(address, owner)),
    isKnown: (address) => known.has(addressKey(address) ?? '') || provenance?.isNamed(address) === true,
    isTainted,
    foreignIn: async (tool, args) => (await provenance?.foreignIn(tool, args)) ?? [],
    rules: () => store.rulesFor(ruleReaderOf(run, deps.clock.now())),
    forgetsOwn: (tool, args) => forgetsOwn(tool, args, { store, run }),
    restrictionsOn: (call) => judgedByHooks(hooks, call, { run: restrictedRun(persona, run), signal: user.signal }),
    ownWordsFor: async (call) =>
      user.reading === null || provenance === null
        ? null
        : ownWordsFor(call, { ...user, reading: user.reading, provenance, isTainted, now: deps.clock.now }),
    canAsk: persona.owners.length > 0 || configs.system.admin_contact !== null,
    contextFor: (tool) => contextFor(tool, user.signal, null, false),
  };
  const fileHash = (path: string) =>
    path.startsWith(KNOWLEDGE)
      ? knowledge.hashOf(path.slice(KNOWLEDGE.length))
      : filesFor(user.signal)
          .text(path)
          .then(sha256, () => null);
  return { prepare, contextFor, sensor, fileHash };
}

/** A call that something is made for. */
interface CallOf {
  readonly tool: RegisteredTool;
  readonly signal: AbortSignal;
  readonly made: MadeCall | null;
  /** Those that the call works with, opened at the first use. */
  files(): OpenFiles;
}

/** How each capability is made: a tool has most of them not, and they would cost as much as its call. */
type Makers = { readonly [Name in CapabilityName]: (call: CallOf) => Capabilities[Name] };

const NO_FILES: OpensFiles = {
  open: () => Promise.reject(new EngineError('invalid_arguments', 'your files cannot go along with this mail')),
};

/** Somebody whom an owner put on this thread, or who takes part in it; a claim without proof makes nobody known. */
async function knownTo(
  store: Pick<RunReads, 'knownParticipants'>,
  { thread_id, sender, tier }: StoredRun,
): Promise<readonly string[]> {
  if (tier === 'unauthenticated') return [];
  return [...(await store.knownParticipants(thread_id)), ...(sender === null ? [] : [sender])];
}

interface Deps {
  readonly documents: DocumentReader;
  filesOf(personaId: string): PersonaFiles;
  readonly clock: Clock;
}

/** On whose account and in whose store. */
interface User {
  readonly persona: Persona;
  readonly run: Pick<StoredRun, 'sender'>;
  readonly store: RunReads;
}

/** Documents are read on the account of whoever sent the mail. */
export function libraryOfRun({ documents, filesOf, clock }: Deps, { persona, run, store }: User): Library {
  const { artifacts } = filesOf(persona.id);
  return createLibrary({
    store,
    artifacts,
    reader: documents,
    now: clock.now,
    account: `${persona.id} ${run.sender ?? ''}`,
  });
}

/** What the owner put into `knowledge/`; `maxWhole`: so many characters of it are given whole to every mail. */
export const knowledgeOfRun = (
  deps: Deps & { readonly workspace: KnowledgeFolder },
  user: User,
  maxWhole: number,
): Knowledge =>
  createKnowledge({
    personaId: user.persona.id,
    folder: deps.workspace,
    store: user.store,
    library: libraryOfRun(deps, user),
    maxWhole,
    now: deps.clock.now,
  });

/** The run of a mail, and what it was shown; null where it is not the run that asks. */
interface Asking {
  readonly persona: Persona;
  readonly run: StoredRun;
  readonly store: RunReads;
  readonly reading: Pick<Reading, 'settings'> | null;
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
