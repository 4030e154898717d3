// Long because every part is built here, once each.

import { join } from 'node:path';
import { keepTexts } from './config/live/kept-texts.ts';
import type { Persona } from './config/types.ts';
import { workspaceFiles } from './config/workspace-files.ts';
import { createNoticeWriter } from './delivery/notices/notices.ts';
import { createRelayWriter } from './delivery/notices/relay.ts';
import { createUndoNoticeWriter } from './delivery/notices/undo-mail.ts';
import { createWaitNoticeWriter } from './delivery/notices/wait-notice.ts';
import { createWaitingNoteWriter } from './delivery/notices/waiting-note.ts';
import { createWaitingNoticeWriter } from './delivery/notices/waiting-notice.ts';
import { createOutboxLane } from './delivery/outbox-lane.ts';
import { createApprovalNoticeWriter, createApprovalReminder } from './delivery/questions/approval-mail.ts';
import { createClarifier } from './delivery/questions/clarify-mail.ts';
import { createQuestionWriter } from './delivery/questions/question-mail.ts';
import { createSentCopier } from './delivery/sent-copy.ts';
import { createWaysOut, type SentCopies } from './delivery/ways-out.ts';
import { createApprovalExpiry } from './dispatch/approval-expiry.ts';
import { createDispatcher, type Dispatcher } from './dispatch/dispatcher.ts';
import { followMending } from './dispatch/follow-mending.ts';
import { createJobsLane } from './dispatch/jobs-lane.ts';
import { createRunsLane } from './dispatch/runs-lane.ts';
import { startMinuteTick } from './dispatch/schedule/minute-tick.ts';
import { createSchedule } from './dispatch/schedule/schedule.ts';
import { createTaskEnded } from './dispatch/schedule/task-ended.ts';
import { createWaiters, waitingForOwner } from './dispatch/waiting.ts';
import { createWorkQueue } from './dispatch/work-queue.ts';
import { createSentFolder, type SentFolder } from './gateway/imap/client/sent.ts';
import { createMailboxes, type Mailboxes } from './gateway/mailboxes.ts';
import { createHookRunner } from './harness/hooks/registry.ts';
import { giveUpMsOf, retryOf } from './harness/respond/park.ts';
import type { IntakeDeps } from './intake/deps.ts';
import type { IncomingMail, Intake, Received } from './intake/incoming.ts';
import { createIntake } from './intake/intake.ts';
import { createCircuit } from './intake/rules/circuit.ts';
import { following } from './lib/following.ts';
import { createAuthenticator } from './mail/identity/authenticate.ts';
import { createMailThreads, type MailThreads } from './mail/threads.ts';
import { type Cooldowns, createCooldowns } from './models/cooldown.ts';
import { keysOf, modelsOf } from './models/models.ts';
import { createOutages } from './models/outages.ts';
import { chainOf, targetsFor } from './models/targets.ts';
import type { Announce } from './record/announce.ts';
import { createBatchedFsync } from './storage/batched-fsync.ts';
import { personaFiles } from './storage/persona-files.ts';
import type { Waiting } from './storage/ports/waiting.ts';

import { type LockPatience, waitForLock } from './storage/sqlite/workspace-lock.ts';
import { createEditJudge } from './tools/judge-edit.ts';
import { createUndoEnd, createUndoer } from './tools/undo.ts';
import { toolDepsOf, type Workspace } from './workspace.ts';

/** The part that takes in mail and works on it. One process per workspace holds it. */
export interface Worker {
  readonly workspace: Workspace;
  readonly receive: Intake['receive'];
  readonly dispatcher: Dispatcher;
  readonly announce: Announce;
  readonly cooldowns: Cooldowns;
  readonly mailboxes: Mailboxes;
  /** Ends what is under way within `graceMs`, then lets go of the workspace. */
  stop(graceMs: number): Promise<void>;
}

export interface WorkerOptions extends LockPatience {
  /** False: mail is only accepted. */
  readonly work?: boolean;
}

/** What a mail that asks for the others takes beside its call to the model. */
const PROBE_GRACE_MS = 30_000;

/** Takes the workspace lock and starts working what is due. Throws `workspace_locked`. */
export async function startWorker(workspace: Workspace, options: WorkerOptions = {}): Promise<Worker> {
  const lock = await waitForLock(workspace, options);
  try {
    return await assemble(workspace, options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function assemble(workspace: Workspace, options: WorkerOptions, lock: { release(): void }): Promise<Worker> {
  const { gateway, live, clock, ids, log, pass, dataDir, environment } = workspace;
  await workspace.extensions();
  const extensions = workspace.currentExtensions;
  const configs = live.current;
  const instance = ids.next();
  const recursionSecret = await gateway.setting('recursion_secret', () => ids.random(32));
  await gateway.makeAllDue(clock.now());
  const cooldowns = createCooldowns(await gateway.resting(clock.now()), gateway.keepResting);
  const findPersona = (id: string) => live.freshPersona(id);
  const { isOwnAddress, filesOf } = waysIn(workspace);
  const toolDeps = toolDepsOf(workspace, filesOf, recursionSecret);
  const random = Math.random;
  const ways = createWaysOut({
    gateway: () => configs().gateway,
    secretOf: environment.secretOf,
    sentOf(mailbox) {
      const password = () => (mailbox.imap ? environment.secretOf(mailbox.imap.secret_env) : undefined);
      const folder = createSentFolder({ mailbox, password, log });
      return folder && sentOf(folder);
    },
    log,
  });

  const defaultModel = (provider: string) => extensions().providers.get(provider)?.defaultModel ?? 'default';
  const targetsOf = (persona: Persona) =>
    targetsFor(persona, configs().inference, { firstKeyed: environment.firstProvider, defaultModel });
  const outages = createOutages({ random, onAnswered: () => wakeWaiting() });
  const waiters = createWaiters({
    outages,
    pauseOf: gateway.pauseOf,
    chainOf: (persona) => chainOf(targetsOf(persona)),
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
      outages,
      configs,
      extensions: {
        get tools() {
          return extensions().tools;
        },
        get resolvers() {
          return extensions().resolvers;
        },
        get hooks() {
          return extensions().hooks;
        },
      },
      models: modelsOf(extensions, cooldowns),
      defaultModel,
      get firstKeyed() {
        return environment.firstProvider;
      },
      workspace: keepTexts(workspaceFiles(workspace.root), clock.now),
      filesOf,
      filesDesk: toolDeps.filesDesk,
      taskDesk: toolDeps.taskDesk,
      priceFor: toolDeps.priceFor,
      isOwnAddress,
      recursionSecret,
      clock,
      ids,
      random,
      log,
      pass,
    },
    configs,
    findPersona,
    instance,
    clock,
    random,
    log,
  });
  const outbox = createOutboxLane({
    gateway,
    announce,
    wayOut: ways.to,
    delivery: () => configs().gateway.delivery,
    findPersona,
    outgoingFolder: join(dataDir, 'outgoing'),
    instance,
    clock,
    random,
    log,
    pass,
  });
  const mailing = { configs, clock, ids, filesOf };
  const telling = {
    isPaused: async (id: string) => (await gateway.pauseOf(id)) !== null,
    isDead: (persona: Persona) => outages.isCertain(chainOf(targetsOf(persona)), clock.now()),
  };
  const jobs = createJobsLane({
    handlers: [
      createNoticeWriter({
        gatewayConfig: () => configs().gateway,
        system: () => configs().system,
        clock,
        ids,
        log,
      }),
      createHookRunner(() => extensions().hooks, clock),
      createApprovalNoticeWriter(mailing),
      createApprovalReminder(mailing),
      createApprovalExpiry({ announce, ids, clock, pass }),
      createWaitNoticeWriter(mailing),
      createClarifier(mailing),
      createQuestionWriter(mailing),
      createTaskEnded({ clock }),
      createUndoNoticeWriter(mailing),
      createUndoer(toolDeps),
      createUndoEnd(toolDeps),
      createWaitingNoteWriter({ ...mailing, ...telling, pass }),
      createWaitingNoticeWriter({
        ...mailing,
        ...telling,
        envFile: join(workspace.root, '.env'),
        keysOf: (provider) => keysOf(extensions().providers.get(provider)),
      }),
      createRelayWriter({ ...mailing, pass }),
      createSentCopier({ wayOut: ways.to, log, pass }),
    ],
    ...workspace,
    findPersona,
    random,
  });
  const schedule = createSchedule({ ...workspace, findPersona, configs, announce });
  const lanes = [runs, outbox, jobs, schedule.lane];
  const dispatcher: Dispatcher = createDispatcher({ ...workspace, queue, lanes, instance });

  const receiving = receivingOf(workspace, { announce, recursionSecret });
  const intake = createIntake(receiving);
  const mailboxes = createMailboxes({
    orders() {
      const { mailboxes: all, limits } = configs().gateway;
      const watched = all.filter(({ imap }) => imap !== undefined);
      return watched.map((mailbox) => ({ mailbox, maxMessageBytes: limits.max_message_bytes }));
    },
    secretOf: environment.secretOf,
    intake,
    findByAddress: receiving.findByAddress,
    gateway,
    clock,
    log,
    random,
    pass,
  });
  if (options.work !== false) dispatcher.start();
  const following = options.work === false ? null : followMending({ waiters, environment, onChange: live.onChange });
  const ticking = options.work === false ? null : startMinuteTick({ schedule, onChange: live.onChange, log });
  return {
    workspace,
    receive: intake.receive,
    dispatcher,
    announce,
    cooldowns,
    mailboxes,
    async stop(graceMs) {
      await mailboxes.stop();
      await ticking?.stop();
      following?.stop();
      await dispatcher.stop(graceMs);
      await receiving.closeThreads();
      await ways.close();
      lock.release();
    },
  };
}

/**
 * Takes in one mail without the workspace lock, beside a gateway that works: rows are committed as its own would be,
 * and it notices them by the wakeup.
 */
export async function receiveBeside(workspace: Workspace, incoming: IncomingMail): Promise<Received> {
  await workspace.extensions();
  const { gateway, ids } = workspace;
  const recursionSecret = await gateway.setting('recursion_secret', () => ids.random(32));
  const receiving = receivingOf(workspace, { announce: workspace.announce, recursionSecret });
  try {
    return await createIntake(receiving).receive(incoming);
  } finally {
    await receiving.closeThreads();
  }
}

const waysIn = ({ live, dataDir }: Workspace) => {
  const writeMail = createBatchedFsync();
  return {
    isOwnAddress: (address: string) => live.personas().byAddress(address) !== undefined,
    filesOf: (personaId: string) => personaFiles(dataDir, personaId, writeMail),
  };
};

function receivingOf(
  workspace: Workspace,
  { announce, recursionSecret }: Pick<IntakeDeps, 'announce' | 'recursionSecret'>,
): IntakeDeps & { closeThreads: MailThreads['close'] } {
  const { gateway, live, stores, clock, ids, pass, dataDir } = workspace;
  const configs = live.current;
  const threads = createMailThreads(() => configs().gateway.limits);
  const authenticator = following(
    () => {
      const { gateway_auth: auth, signature_max_age_days: signatureMaxAgeDays } = configs().security;
      return { auth, signatureMaxAgeDays, hostname: configs().gateway.domain };
    },
    ({ auth, ...settings }) =>
      createAuthenticator({
        ...settings,
        dnsServers: auth.dns_servers,
        trustedReceived: auth.trusted_received,
        checks: threads.checks,
      }),
  );
  const ways = waysIn(workspace);
  return {
    ...ways,
    stores,
    gateway,
    clock,
    ids,
    pass,
    circuit: createCircuit(),
    announce,
    judgeEdit: createEditJudge(toolDepsOf(workspace, ways.filesOf, recursionSecret)),
    parser: threads.parser,
    authenticator,
    closeThreads: threads.close,
    configs,
    findByAddress: (address) => live.personas().byAddress(address),
    waitingFor: (persona) => waitingFor(workspace, persona),
    recursionSecret,
    quarantineFolder: join(dataDir, 'quarantine'),
  };
}

/** Mail of a persona that is paused or stopped is taken in, and waits. */
async function waitingFor({ gateway, live, clock }: Workspace, persona: Persona): Promise<Waiting | null> {
  const pause = await gateway.pauseOf(persona.id);
  return pause && waitingForOwner(pause, giveUpMsOf(retryOf(persona, live.current().inference)), clock.now());
}

const sentOf = (folder: SentFolder): SentCopies => ({
  find: folder.findInSent,
  append: async (messageId, raw) => {
    await folder.appendToSent({ messageId, raw });
  },
  close: folder.close,
});
