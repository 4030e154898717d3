import { join } from 'node:path';
import { draftsMailbox } from '../config/mailboxes/drafts-mailbox.ts';
import { givesOtherIds } from '../config/mailboxes/other-ids.ts';
import { mailboxToSendBy, senderOf } from '../config/mailboxes/sending-mailbox.ts';
import type { MailboxConfig, Persona } from '../config/types.ts';
import { createOutboundRoutes, type MailboxFolders, type OutboundRoutes } from '../delivery/outbound-routes.ts';
import { createOutboxLane } from '../delivery/outbox-lane.ts';
import { createDispatcher, type Dispatcher } from '../dispatch/dispatcher.ts';
import { followMending } from '../dispatch/follow-mending.ts';
import { createJobsLane } from '../dispatch/jobs-lane.ts';
import { createRunsLane } from '../dispatch/runs-lane.ts';
import { startMinuteTick } from '../dispatch/schedule/minute-tick.ts';
import { createSchedule } from '../dispatch/schedule/schedule.ts';
import { createWaiters } from '../dispatch/waiting.ts';
import { createWorkQueue } from '../dispatch/work-queue.ts';
import { createDraftsFolder } from '../gateway/imap/client/drafts.ts';
import { createLine } from '../gateway/imap/client/line.ts';
import { createSentFolder } from '../gateway/imap/client/sent.ts';
import { DEFAULT_TUNING } from '../gateway/imap/tuning.ts';
import { createMailboxes, type Mailboxes } from '../gateway/mailboxes.ts';
import { groupOfHookJob, tellOfGateway } from '../harness/hooks/hook-jobs.ts';
import { retryOf } from '../harness/respond/park.ts';
import type { Intake } from '../intake/incoming.ts';
import { isChatMessageId } from '../lib/ids.ts';
import { loadedAtFirstUse } from '../lib/kept-value.ts';
import { modelsOf } from '../models/models.ts';
import { type Cooldowns, createCooldowns, createOutages } from '../models/outages.ts';
import { targetsFor } from '../models/targets.ts';
import { beginUnpriced, pricedWithin } from '../models/unpriced.ts';
import { type CallTally, createCallTally } from '../record/call-tally.ts';
import { closeThread, hookJob, refine, remember, summarise, suspensionDue, undo } from '../record/jobs/job-kinds.ts';
import type { Announce } from '../record/jobs/jobs.ts';
import { type LockPatience, waitForLock } from '../storage/sqlite/workspace-lock.ts';
import type { Holder } from '../storage/types/leases.ts';
import { submissionSecret, toolDepsOf, type Workspace } from '../workspace.ts';
import { tellOfRefusals, tellOfSending } from './logins/login-troubles.ts';
import { watchSending } from './logins/sending-refused.ts';
import { beginTakeOver } from './pins/begin-take-over.ts';
import type { ClosableIntake, TakingInParts } from './taking-in.ts';
import { filesFor, isOwnAddressIn, recursionSecretOf } from './worker-parts.ts';

/** The part that takes in mail and works on it. One process per workspace holds it. */
export interface Worker {
  readonly workspace: Workspace;
  readonly receive: Intake['receive'];
  readonly dispatcher: Dispatcher;
  readonly announce: Announce;
  /** How calls of runs went since it started. */
  readonly tally: Pick<CallTally, 'tools' | 'models'>;
  readonly cooldowns: Cooldowns;
  readonly mailboxes: Mailboxes;
  /** How mail leaves by which mailbox. */
  readonly routes: Pick<OutboundRoutes, 'to'>;
  /** Ends what is under way within `graceMs`, then lets go of the workspace. */
  stop(graceMs: number): Promise<void>;
  /** Tells the hooks that listen that the gateway has started, or is about to stop. */
  tellHooks(name: 'gateway_started' | 'gateway_stopping'): Promise<void>;
}

export interface WorkerOptions extends LockPatience {
  /** False: mail is only accepted. */
  readonly work?: boolean;
  /** Without the workspace lock, beside other workers: a lease is taken over after its end alone. */
  readonly beside?: { readonly leaseMs: number };
}

/** What a mail that asks for the others takes beside its call to the model. */
const PROBE_GRACE_MS = 30_000;

/** Takes the workspace lock and starts working what is due. Throws `workspace_locked`. */
export async function startWorker(workspace: Workspace, options: WorkerOptions = {}): Promise<Worker> {
  const lock = options.beside ? { release() {} } : await waitForLock(workspace, options);
  try {
    return await assemble(workspace, options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** A gateway that was killed could not end what it had started. */
function endLeftBehind({ children, log }: Pick<Workspace, 'children' | 'log'>): void {
  const ended = children.endLeftBehind();
  if (ended.length > 0) log.warn({ ended }, 'processes that a killed gateway had started were ended');
}

async function assemble(workspace: Workspace, options: WorkerOptions, lock: { release(): void }): Promise<Worker> {
  const { gateway, stores, live, clock, ids, log, pass, dataDir, environment } = workspace;
  // Those beside this one may be at work with theirs.
  if (!options.beside) endLeftBehind(workspace);
  await workspace.extensions();
  await beginTakeOver(workspace);
  const extensions = workspace.currentExtensions;
  const configs = live.current;
  const leaseMs = options.beside?.leaseMs;
  // The workspace lock proves that every other holder of a lease is dead.
  const holder: Holder = { instance: ids.next(), ...(options.beside ? {} : { deadHolders: 'all others' }) };
  const recursionSecret = await recursionSecretOf(workspace);
  await gateway.makeAllDue(clock.now());
  const cooldowns = createCooldowns(await gateway.resting(clock.now()), gateway.keepResting);
  const findPersona = (id: string) => live.freshPersona(id);
  const filesOf = filesFor(workspace);
  const toolDeps = toolDepsOf(workspace, filesOf, recursionSecret);
  const random = Math.random;
  const routes = routesOf(workspace);

  const defaultModel = (provider: string) => extensions().providers.get(provider)?.defaultModel ?? 'default';
  const targetsOf = (persona: Persona) =>
    targetsFor(persona, configs().inference, { firstKeyed: () => environment.firstProvider, defaultModel });
  const models = modelsOf(extensions, cooldowns, { until: await beginUnpriced(gateway, clock.now()), now: clock.now });
  const chainOf = (persona: Persona) =>
    pricedWithin(models, configs().inference, persona.budget).chainFor(targetsOf(persona));
  const tally = createCallTally();
  const outages = createOutages({ random, onAnswered: () => wakeWaiting() });
  const waiters = createWaiters({
    outages,
    pauseOf: gateway.pauseOf,
    chainOf,
    retryOf: (persona) => retryOf(persona, configs().inference),
    probeMs: () => configs().inference.model_timeout_s * 1000 + PROBE_GRACE_MS,
    now: clock.now,
    pass,
  });
  const wakeWaiting = () => {
    for (const id of waiters.waiting()) dispatcher.wake(id);
  };

  const wake = (id: string) => dispatcher.wake(id);
  const queue = createWorkQueue({ wakeups: gateway, clock, pass, onAnnounced: wake });
  const { announce } = queue;
  const runs = createRunsLane({
    waiters,
    harness: {
      ...toolDeps,
      ...(leaseMs === undefined ? {} : { leaseMs }),
      features: loadedAtFirstUse(async () => (await import('../features/features.ts')).FEATURES),
      outages,
      tally,
      configs,
      extensions,
      models,
      defaultModel,
      firstKeyed: () => environment.firstProvider,
      isOwnAddress: isOwnAddressIn(workspace),
      random,
      pass,
    },
    configs,
    findPersona,
    holder,
    clock,
    random,
    log,
  });
  const outbox = createOutboxLane({
    gateway,
    announce,
    routeOf: routes.to,
    hasMailbox: routes.has,
    draftsOf: routes.drafts,
    delivery: () => configs().gateway.delivery,
    findPersona,
    onAttempt: watchSending({
      now: clock.now,
      mailboxes: () => configs().gateway.mailboxes,
      tell(mailbox, refused) {
        const state = mailboxes.states().find(({ id }) => id === mailbox.id)?.state;
        const isRead = state !== 'auth_failed' && state !== 'needs_login';
        void tellOfSending({ workspace, announce }, mailbox, { ...refused, isRead });
      },
    }),
    outgoingFolder: join(dataDir, 'outgoing'),
    isOfChat: (messageId) => isChatMessageId(messageId, () => submissionSecret(dataDir, ids)),
    holder,
    leaseMs,
    clock,
    random,
    log,
    pass,
  });
  const intake = intakeAtFirstMail(workspace, { announce, recursionSecret, filesOf });
  const working = { findPersona, holder, leaseMs, clock, random, log };
  const slow = [remember.name, summarise.name, closeThread.name, refine.name];
  const ofTools = [undo.name, suspensionDue.name];
  const handlersOf = async () =>
    (await import('./job-handlers.ts')).jobHandlers(workspace, {
      announce,
      routes,
      toolDeps,
      parse: intake.read,
      begin: intake.begin,
      receive: intake.receive,
      isDead: (persona) => outages.isCertain(chainOf(persona), clock.now()),
      works: (persona) => outages.of(chainOf(persona), clock.now()).kind === 'works',
    });
  const jobs = createJobsLane({
    ...working,
    name: 'jobs',
    handlers: handlersOf,
    kinds: { names: [...slow, ...ofTools, hookJob.name], only: false },
  });
  const tools = createJobsLane({
    ...working,
    name: 'tools',
    handlers: handlersOf,
    kinds: { names: ofTools, only: true },
    limits: { total: 16, perPersona: 2 },
    groups: { most: 8, of: ({ kind }) => kind },
  });
  const hooks = createJobsLane({
    ...working,
    name: 'hooks',
    async handlers() {
      const { createHookRunner } = await import('../harness/hooks/run-hook.ts');
      return [createHookRunner({ hooks: () => extensions().hooks, clock })];
    },
    kinds: { names: [hookJob.name], only: true },
    limits: { total: 16, perPersona: 4 },
    groups: { most: 2, of: ({ id }) => groupOfHookJob(id) },
  });
  const artifactsOf = (id: string) => filesOf(id).artifacts;
  const memory = createJobsLane({
    ...working,
    name: 'memory',
    handlers: async () => {
      const { createRememberer } = await import('../memory/facts/remember-job.ts');
      const { createSummariser } = await import('../memory/threads/summarise-job.ts');
      const { createThreadCloser } = await import('../memory/threads/close-job.ts');
      const { createRefiner } = await import('../learning/refine/refine-job.ts');
      const { toolWorldOf } = await import('../learning/refine/candidate.ts');
      const worldOf = (persona: Persona) => toolWorldOf(persona, configs().security.tool_policy, extensions().tools);
      const asking = { configs, models, targetsOf, defaultModel, artifactsOf, clock, random, pass };
      return [
        createRememberer({ ...asking, ids }),
        createSummariser(asking),
        createThreadCloser(asking),
        createRefiner({ ...asking, worldOf, ids, log }),
      ];
    },
    kinds: { names: slow, only: true },
  });
  const schedule = createSchedule({
    stores,
    gateway,
    live,
    findPersona,
    configs,
    clock,
    ids,
    log,
    pass,
    announce,
  });
  const lanes = [runs, outbox, jobs, tools, hooks, memory, schedule.lane];
  const dispatcher: Dispatcher = createDispatcher({ queue, stores, lanes, holder, clock, log, pass });

  const mailboxes = createMailboxes({
    orders() {
      const { mailboxes: all, limits } = configs().gateway;
      const watched = all.filter(({ imap }) => imap !== undefined);
      return watched.map((mailbox) => ({ mailbox, maxMessageBytes: limits.max_message_bytes }));
    },
    loginOf: (mailbox) => workspace.logins.of(mailbox, 'imap'),
    intake,
    findByAddress: (address) => live.personas().byAddress(address),
    gateway,
    clock,
    log,
    random,
    pass,
    async onHeld(mailbox, held) {
      const { askAboutHeld } = await import('./telling/ask-about-held.ts');
      await askAboutHeld({ workspace, announce }, mailbox, held);
    },
    onRefusedOften: (mailbox, refused) => tellOfRefusals({ workspace, announce }, mailbox, refused),
  });
  // Several that work beside each other hear of one another as little as commands do.
  const unwatch = options.beside
    ? null
    : workspace.overviews.watch(() => Array.from(live.personas().all(), ({ id }) => id));
  if (options.work !== false) dispatcher.start();
  const following = options.work === false ? null : followMending({ waiters, environment, onChange: live.onChange });
  const ticking = options.work === false ? null : startMinuteTick({ schedule, onChange: live.onChange, log });
  return {
    workspace,
    receive: intake.receive,
    dispatcher,
    announce,
    cooldowns,
    tally,
    mailboxes,
    routes,
    tellHooks: (name) =>
      tellOfGateway(name, {
        hooks: extensions().hooks,
        stores: workspace.stores,
        announce,
        keeper: [...live.personas().all()].find(({ state }) => state === 'ready')?.id,
        instance: holder.instance,
        pid: process.pid,
        now: clock.now(),
      }),
    async stop(graceMs) {
      await mailboxes.stop();
      await ticking?.stop();
      following?.stop();
      await dispatcher.stop(graceMs);
      await intake.close();
      await routes.close();
      await unwatch?.();
      lock.release();
    },
  };
}

/** How mail leaves the workspace, as it is configured now. */
const routesOf = (workspace: Workspace): OutboundRoutes =>
  createOutboundRoutes({
    gateway: () => workspace.live.current().gateway,
    loginOf: (mailbox) => workspace.logins.of(mailbox, 'smtp'),
    foldersOf: (mailbox) => foldersOf(workspace, mailbox),
    boxOf: (use, mail) => boxOf(workspace, use, mail),
    log: workspace.log,
  });

/** What names none leaves by the mailbox that its persona has now. */
function boxOf(
  { live }: Pick<Workspace, 'live'>,
  use: 'sending' | 'drafts',
  { mailbox, personaId }: { readonly mailbox: string | null; readonly personaId: string },
): string | null {
  const { mailboxes } = live.current().gateway;
  const entry = live.personas().get(personaId);
  const persona = entry ? senderOf(entry) : { address: '', aliases: [], mailbox: null };
  const sender = { ...persona, mailbox: mailbox ?? persona.mailbox };
  return use === 'drafts' ? (draftsMailbox(mailboxes, sender)?.id ?? null) : mailboxToSendBy(mailboxes, sender);
}

/** Both folders of a mailbox share one connection: providers count them. */
function foldersOf({ logins, log }: Workspace, mailbox: MailboxConfig): MailboxFolders | null {
  const { imap, id } = mailbox;
  if (!imap) return null;
  const line = createLine({ imap, login: logins.of(mailbox, 'imap'), tuning: DEFAULT_TUNING });
  const sent = createSentFolder({ mailbox, line, log: log.child({ mailbox: id }) });
  return {
    sent: {
      find: sent.findInSent,
      append: async (messageId, raw) => {
        await sent.appendToSent({ messageId, raw });
      },
    },
    givesOtherIds: givesOtherIds(mailbox),
    drafts: createDraftsFolder(line),
    close: line.close,
  };
}

/** Loaded with the first mail: a gateway that waits for one needs nothing of what reads, judges and keeps mail. */
function intakeAtFirstMail(workspace: Workspace, parts: TakingInParts): ClosableIntake {
  const load = loadedAtFirstUse(async () => (await import('./taking-in.ts')).createClosableIntake(workspace, parts));
  const asked = { yet: false };
  const intake = () => {
    asked.yet = true;
    return load();
  };
  return {
    receive: async (incoming) => (await intake()).receive(incoming),
    read: async (raw) => (await intake()).read(raw),
    begin: async (answered) => (await intake()).begin(answered),
    setAside: async (place, letter) => (await intake()).setAside(place, letter),
    leaveThere: async (place, left) => (await intake()).leaveThere(place, left),
    async close() {
      if (asked.yet) await (await load()).close();
    },
  };
}
