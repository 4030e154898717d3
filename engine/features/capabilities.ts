import { EngineError } from '#contract';
import { CONTEXT_DENIED, narrowingOfChild } from '../policy/delegated.ts';
import { isNamedUrl } from '../policy/governor.ts';
import { ruleReaderOf } from '../policy/standing-rules.ts';
import { factsOf } from '../policy/surface.ts';
import { askerOf, hasReaders, viewerOf } from '../policy/viewer.ts';
import { attachedIn } from '../record/attached.ts';
import type { Approval } from '../storage/types/approvals.ts';
import type { Viewer } from '../storage/types/mail.ts';
import type { NewDelegation } from '../storage/types/suspensions.ts';
import { askedKind } from '../suspensions/kinds.ts';
import { createArtifacts } from '../tools/capabilities/artifacts.ts';
import { calendarOfRun } from '../tools/capabilities/calendar.ts';
import { createMail } from '../tools/capabilities/mail.ts';
import { createMemory, forgetsOwn } from '../tools/capabilities/memory.ts';
import { createOutgoing, type OutgoingOptions } from '../tools/capabilities/outgoing.ts';
import { type Aside, createAttach, type OpensFiles } from '../tools/capabilities/outgoing-files.ts';
import { createOwners } from '../tools/capabilities/owners.ts';
import { createRules, RULE_TOOL } from '../tools/capabilities/rules.ts';
import { createScheduleDesk } from '../tools/capabilities/schedule.ts';
import { createTables } from '../tools/capabilities/tables.ts';
import type { RefusedSight } from '../tools/capabilities/threads.ts';
import { documentPage } from '../tools/documents/library.ts';
import type { CallOf, CapabilityTable, ToolRun } from '../tools/for-run.ts';
import { limitReads } from '../tools/knowledge/knowledge.ts';
import { createCallback } from '../tools/outside/callback.ts';
import { createDelegation } from '../tools/outside/delegation.ts';
import { shownTo } from '../tools/provenance-of-run.ts';
import { ATTACH, READ_ATTACHMENT, READ_FILE } from '../tools/run-surface.ts';
import { createShell } from '../tools/shell/shell.ts';
import { createWaiting } from '../tools/waiting.ts';
import { createWeb } from '../tools/web/web.ts';
import { playbooksOfRun } from './playbooks-by-tool.ts';

/** What a tool may use beside its arguments, by the names of the contract. */
export const CAPABILITIES: CapabilityTable = {
  make: {
    mail(run) {
      const { user, shelf } = run;
      const { timezone } = user.persona;
      const { library } = shelf;
      // What a request waits for is for whoever asked; where others get the answer, for nobody.
      const asker = hasReaders(user.run) ? ('nobody' as const) : (askerOf(user.run) ?? ('owner' as const));
      const sight = { viewer: viewerOf(user.run), asker, current: user.run.message_id, timezone };
      const mayOpen = run.refusal(READ_ATTACHMENT) === null;
      const refused = user.run.tier === 'owner' && !hasReaders(user.run) ? refusedFor(run) : null;
      const store = attachmentsOf(run, CONTEXT_DENIED);
      const mail = createMail({ store, library, mayOpen, refused, ...sight });
      return () => mail;
    },
    files:
      () =>
      ({ files }) =>
        files(),
    // What the first host is told in a URL the next one is told by it, so a page leads no further than a call may go.
    web:
      ({ user: { configs }, shelf: { library }, mayFollow }) =>
      ({ tool }) =>
        createWeb({
          readDocument: (document) => documentPage(library, document),
          mayFollow: async ({ href }) =>
            isNamedUrl(configs.security.tool_policy, tool.name, href) || (await mayFollow(href)),
        }),
    outgoing: (run) => (call) => createOutgoing(outgoingOf(run, call)),
    artifacts(run) {
      const results = resultsOf(run);
      const mayRead = run.refusal(READ_FILE) === null;
      const { store } = run.user;
      const mail = run.refusal(READ_ATTACHMENT) === null ? { store, viewer: viewerOf(run.user.run) } : null;
      return ({ files }) => ({ ...results, attach: createAttach({ ...asideOf(run), files: files(), mayRead, mail }) });
    },
    schedule({ deps, user: { persona, run, store }, languageForOwners }) {
      const desk = createScheduleDesk({
        desk: deps.taskDesk,
        persona,
        tier: run.tier,
        store,
        language: languageForOwners,
        now: deps.clock.now,
        priceFor: (pinned) => deps.priceFor(persona, pinned),
      });
      return () => desk;
    },
    shell({ deps, user: { persona, configs } }) {
      const { filesRoot } = deps.filesOf(persona.id);
      const { max_files_bytes: maxFilesBytes } = configs.gateway.limits;
      const shell = createShell({ filesRoot, maxFilesBytes, desk: deps.filesDesk });
      return () => shell;
    },
    tables(run) {
      const { deps, user, shelf, refusal } = run;
      const { persona } = user;
      return ({ files, signal }) =>
        createTables({
          store: attachmentsOf(run),
          artifacts: deps.filesOf(persona.id).artifacts,
          library: shelf.library,
          files: files(),
          viewer: viewerOf(user.run),
          message: user.run.message,
          aside: asideOf(run),
          mayAttach: refusal(ATTACH) === null,
          maySee: (scope) => refusal(scope === 'files:read' ? READ_FILE : READ_ATTACHMENT) === null,
          signal,
        });
    },
    knowledge(run) {
      const readable = limitReads(run.shelf.knowledge, outcomesOf(run));
      return () => readable;
    },
    calendar: (run) => (call) =>
      calendarOfRun(run.deps, run.user, { library: run.shelf.library, outgoing: outgoingOf(run, call) }),
    memory: (run) => {
      const { deps, user, isTainted } = run;
      const { ids, clock } = deps;
      const { store, stageFact: stage } = user;
      return (call) =>
        createMemory({
          store,
          run: user.run,
          signal: call.signal,
          ids,
          clock,
          isTainted,
          rules: rulesOf(run, call),
          stage,
        });
    },
    playbooks:
      ({ deps, user, languageForOwners }) =>
      () =>
        playbooksOfRun(deps, user, languageForOwners),
    rules: (run) => (call) => rulesOf(run, call),
    owners({ deps, user, isTainted }) {
      const { store, run, reading, stageJob: stage } = user;
      const { approvals = [] } = reading?.loaded ?? {};
      const { outcomes = [] } = reading?.state ?? {};
      const isInWords = (asked: Pick<Approval, 'kind'>) => askedKind(asked).answeredBy === 'words';
      const owners = createOwners({
        store,
        run,
        approvals,
        outcomes,
        isInWords,
        isTainted,
        stage,
        now: deps.clock.now,
      });
      return () => owners;
    },
    callback:
      ({ deps, user }) =>
      ({ tool, made }) =>
        createCallback(user, { tool, made, ids: deps.ids }),
    waiting: (run) => {
      const { deps, user, tools, foreignIn } = run;
      const { store, persona } = user;
      return () => createWaiting({ store, persona, run: user.run, tools, foreignIn, desk: deps.waitingDesk });
    },
    delegation(run) {
      const { deps, user, tools, isTainted, mayFollow } = run;
      const { persona, configs, packet = null, reading } = user;
      const { readPage } = resultsOf(run);
      const begun = { count: 0 };
      const stage = (child: NewDelegation) => {
        begun.count += 1;
        user.stageChild(child);
      };
      return ({ files }) =>
        createDelegation({
          persona,
          configs,
          run: user.run,
          packet,
          files: files(),
          isTainted,
          stage,
          staged: () => begun.count,
          shown: shownTo(reading, tools) ?? [],
          state: reading?.state ?? { outcomes: [] },
          readPage,
          mayFollow,
          mayHave: (name) => mayHave(run, name),
          attachment: (id) => attachmentsOf(run).findAttachment(id, viewerOf(user.run)),
          clock: deps.clock,
          ids: deps.ids,
        });
    },
  },
  asked: ({ deps, user: { run, store } }) => ({
    rules: () => store.rulesFor(ruleReaderOf(run, deps.clock.now())),
    forgetsOwn: async (tool, args) =>
      tool.name === 'forget' && tool.bundled === true && forgetsOwn(args, { store, run }),
  }),
};

const outcomesOf = ({ user }: ToolRun) => user.reading?.state.outcomes ?? [];

/** A child run may have what its parent names; which tools that can be is the same for every child. */
function mayHave({ tools }: ToolRun, name: string): boolean {
  const tool = tools.get(name);
  return tool !== undefined && narrowingOfChild({ tools: [name] })(factsOf(tool)) === null;
}

/**
 * The mail that a run may look at. A child run sees no attachment but those that it was handed, which its parent could read; of
 * any other it is told `denial`, or that there is none.
 */
function attachmentsOf({ user: { store, packet = null } }: ToolRun, denial: string | null = null) {
  const { search, openMail, seenThreads, messageById, findAttachment } = store;
  if (packet === null) return store;
  return {
    search,
    openMail,
    seenThreads,
    messageById,
    async findAttachment(id: string, _viewer: Viewer) {
      if (packet.attachments.includes(id)) return findAttachment(id, null);
      if (denial !== null) throw new EngineError('not_found', denial);
      return undefined;
    },
  };
}

const refusedFor = ({ deps, user: { persona, store, configs } }: ToolRun): RefusedSight => ({
  now: deps.clock.now,
  gateway: deps.refusals,
  store,
  persona,
  access: configs.security.gateway_access,
});

const resultsOf = ({ deps, user: { persona, run, store, packet = null } }: ToolRun) =>
  createArtifacts({
    store,
    artifacts: deps.filesOf(persona.id).artifacts,
    run,
    denial: packet === null ? null : CONTEXT_DENIED,
  });

/** What the run has put aside for its answer. */
const asideOf = (run: ToolRun) =>
  ({
    artifacts: run.deps.filesOf(run.user.persona.id).artifacts,
    attached: () => attachedIn(outcomesOf(run)).map(({ path }) => path),
  }) satisfies Aside;

/** What mails of a call are made with. */
function outgoingOf(run: ToolRun, { files, signal, made }: CallOf): OutgoingOptions {
  const { deps, user, language, languageForOwners, refusal } = run;
  const { persona, configs, store, toldBack, stage } = user;
  return {
    persona,
    run: user.run,
    language,
    languageForOwners,
    toldBack,
    signal,
    gateway: configs.gateway,
    stage,
    approved: made?.approved ?? null,
    ids: deps.ids,
    clock: deps.clock,
    recursionSecret: deps.recursionSecret,
    store,
    // A correspondent's run takes no file along that it may not read.
    sources: {
      store,
      artifacts: deps.filesOf(persona.id).artifacts,
      viewer: viewerOf(user.run),
      attached: () => attachedIn(outcomesOf(run)),
      files: toldBack === null || refusal(READ_FILE) === null ? files() : NO_FILES,
    },
  };
}

const NO_FILES: OpensFiles = {
  open: () => Promise.reject(new EngineError('invalid_arguments', 'your files cannot go along with this mail')),
};

const rulesOf = ({ deps, user, tools, languageForOwners, isTainted }: ToolRun, { signal }: CallOf) =>
  createRules({
    store: user.store,
    persona: user.persona,
    run: user.run,
    signal,
    isTool: (name) => tools.get(name) !== undefined && name !== RULE_TOOL,
    isExposed: isTainted,
    language: languageForOwners,
    ids: deps.ids,
    clock: deps.clock,
  });
