import { join } from 'node:path';
import { EngineError } from '#contract';
import { keepTexts } from './config/kept-texts.ts';
import { workspaceFiles } from './config/workspace-files.ts';
import {
  createApprovalNoticeWriter,
  createApprovalReminder,
  createClarifier,
  createWaitNoticeWriter,
} from './delivery/approval-mail.ts';
import { createNoticeWriter } from './delivery/notices.ts';
import { createOutboxLane, type WayOut } from './delivery/outbox-lane.ts';
import { createSmtpTransport } from './delivery/smtp-transport.ts';
import { createApprovalExpiry } from './dispatch/approvals.ts';
import { createDispatcher, type Dispatcher } from './dispatch/dispatcher.ts';
import { createJobsLane } from './dispatch/jobs-lane.ts';
import { createRunsLane } from './dispatch/runs-lane.ts';
import type { Extensions } from './extensions/types.ts';
import { createSentFolder, type SentFolder } from './gateway/imap/sent.ts';
import { createMailboxes, type Mailboxes } from './gateway/mailboxes.ts';
import { createReceive, type Incoming, type Receive, type ReceiveDeps, type Received } from './gateway/receive.ts';
import { createHookRunner } from './harness/hooks/registry.ts';
import type { Models } from './harness/loop/loop-run.ts';
import { type Cooldowns, createCooldowns } from './harness/providers/cooldown.ts';
import { createAuthenticator } from './mail/authenticate.ts';
import { createMailParser } from './mail/parse.ts';
import { createDurableGroup } from './storage/durable-group.ts';
import { personaFiles } from './storage/persona-files.ts';
import { lockWorkspace } from './storage/workspace-lock.ts';
import type { Workspace } from './workspace.ts';

/** The part that takes in mail and works on it. One process per workspace holds it. */
export interface Worker {
  readonly workspace: Workspace;
  readonly receive: Receive;
  readonly dispatcher: Dispatcher;
  readonly cooldowns: Cooldowns;
  readonly mailboxes: Mailboxes;
  readonly ways: readonly WayOut[];
  /** Ends what is under way within `graceMs`, then lets go of the workspace. */
  stop(graceMs: number): Promise<void>;
}

export interface WorkerOptions {
  readonly lockWaitMs?: number;
  /** Asked while the lock is held by another: true when waiting for it is in vain. */
  readonly waitIsVain?: () => boolean;
  /** False: mail is only accepted. */
  readonly work?: boolean;
}

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
  const { gateway, live, stores, clock, ids, log, pass, dataDir, environment } = workspace;
  await workspace.extensions();
  const extensions = workspace.currentExtensions;
  const configs = live.current;
  const instance = ids.next();
  const recursionSecret = await gateway.setting('recursion_secret', () => ids.random(32));
  await gateway.dueAtOnce(clock.now());
  const cooldowns = createCooldowns();
  const findPersona = (id: string) => live.freshPersona(id);
  const { isOwnAddress, filesOf } = waysIn(workspace);
  const random = Math.random;
  const ways = waysOut(workspace);

  const runs = createRunsLane({
    harness: {
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
      defaultModel: (provider) => extensions().providers.get(provider)?.defaultModel ?? 'default',
      firstKeyed: environment.firstProvider,
      workspace: keepTexts(workspaceFiles(workspace.root), clock.now),
      filesOf,
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
    wayOut: (mailbox) => (mailbox === null ? (ways[0] ?? null) : (ways.find(({ id }) => id === mailbox) ?? null)),
    delivery: () => configs().gateway.delivery,
    findPersona,
    outgoingFolder: join(dataDir, 'outgoing'),
    instance,
    clock,
    random,
    log,
    pass,
  });
  const mailing = { configs, clock, ids };
  const jobs = createJobsLane({
    handlers: {
      notice: createNoticeWriter({
        gatewayConfig: () => configs().gateway,
        system: () => configs().system,
        clock,
        ids,
        log,
      }),
      hook: createHookRunner(() => extensions().hooks),
      approval_notice: createApprovalNoticeWriter(mailing),
      approval_reminder: createApprovalReminder(mailing),
      approval_expiry: createApprovalExpiry({ gateway, ids, clock, wake: (id) => dispatcher.wake(id) }),
      wait_notice: createWaitNoticeWriter(mailing),
      clarify: createClarifier(mailing),
    },
    findPersona,
    clock,
    random,
    log,
  });
  const lanes = [runs, outbox, jobs];
  const dispatcher: Dispatcher = createDispatcher({ gateway, stores, lanes, instance, clock, log, pass });

  const receiving = receivingOf(workspace, { wake: dispatcher.wake, recursionSecret });
  const receive = createReceive(receiving);
  const mailboxes = createMailboxes({
    mailboxes: configs().gateway.mailboxes,
    maxMessageBytes: configs().gateway.limits.max_message_bytes,
    secretOf: environment.secretOf,
    receive,
    receiving,
    gateway,
    clock,
    log,
    random,
    pass,
  });
  if (options.work !== false) dispatcher.start();
  return {
    workspace,
    receive,
    dispatcher,
    cooldowns,
    mailboxes,
    ways,
    async stop(graceMs) {
      await mailboxes.stop();
      await dispatcher.stop(graceMs);
      await receiving.parser.close();
      await Promise.all(ways.flatMap(({ transport, sent }) => [transport.close(), sent?.close()]));
      lock.release();
    },
  };
}

/**
 * Takes in one mail without the workspace lock, beside a gateway that works: rows are committed as its own would be,
 * and it notices them by the wakeup.
 */
export async function receiveBeside(workspace: Workspace, incoming: Incoming): Promise<Received> {
  await workspace.extensions();
  const { gateway, ids } = workspace;
  const recursionSecret = await gateway.setting('recursion_secret', () => ids.random(32));
  const receiving = receivingOf(workspace, { wake: () => {}, recursionSecret });
  try {
    return await createReceive(receiving)(incoming);
  } finally {
    await receiving.parser.close();
  }
}

const waysIn = ({ live, dataDir }: Workspace) => {
  const writeMail = createDurableGroup();
  return {
    isOwnAddress: (address: string) => live.personas().byAddress(address) !== undefined,
    filesOf: (personaId: string) => personaFiles(dataDir, personaId, writeMail),
  };
};

function receivingOf(
  workspace: Workspace,
  { wake, recursionSecret }: Pick<ReceiveDeps, 'wake' | 'recursionSecret'>,
): ReceiveDeps {
  const { gateway, live, stores, clock, ids, log, pass, dataDir } = workspace;
  const configs = live.current;
  const { gateway_auth } = configs().security;
  const authenticator = createAuthenticator({
    dnsServers: gateway_auth.dns_servers,
    trustedReceived: gateway_auth.trusted_received,
    hostname: configs().gateway.domain,
  });
  return {
    ...waysIn(workspace),
    stores,
    gateway,
    clock,
    ids,
    pass,
    log,
    loopGuard: () => configs().security.loop_guard,
    wake,
    parser: createMailParser({ limits: configs().gateway.limits }),
    authenticator: () => authenticator,
    configs,
    findByAddress: (address) => live.personas().byAddress(address),
    isPaused: gateway.isPaused,
    recursionSecret,
    quarantineFolder: join(dataDir, 'quarantine'),
  };
}

async function waitForLock(
  { dataDir, clock }: Workspace,
  { lockWaitMs = 0, waitIsVain = () => false }: WorkerOptions,
): Promise<{ release(): void }> {
  const until = clock.now() + lockWaitMs;
  for (;;) {
    try {
      return lockWorkspace(dataDir);
    } catch (error) {
      if (!(error instanceof EngineError) || clock.now() >= until || waitIsVain()) throw error;
      await clock.sleep(100);
    }
  }
}

function modelsOf(extensions: () => Extensions, cooldowns: Cooldowns): Models {
  const providerOf = (name: string) => {
    const provider = extensions().providers.get(name);
    if (!provider) throw new EngineError('bad_request', `no provider is named ${name}; see \`epistle providers list\``);
    return provider;
  };
  return {
    adapter: async (name) => {
      const provider = providerOf(name);
      const missing = provider.missingSecrets();
      if (missing.length > 0)
        throw new EngineError('auth', `${missing.join(', ')} is not set, so ${name} cannot be used`);
      return provider.create();
    },
    info: ({ provider, model }) => extensions().providers.get(provider)?.modelInfo(model) ?? UNLISTED,
    cooldowns,
  };
}

const UNLISTED = {
  context_tokens: 128_000,
  max_output_tokens: 4096,
  tools: true,
  images: false,
  usd_per_million_tokens: null,
};

function waysOut({ live, environment, log }: Workspace): readonly WayOut[] {
  const { gateway } = live.current();
  return gateway.mailboxes.flatMap((mailbox) => {
    const { id, smtp } = mailbox;
    if (!smtp) return [];
    const password = () => environment.secretOf(smtp.secret_env);
    const imapSecret = () => (mailbox.imap ? environment.secretOf(mailbox.imap.secret_env) : undefined);
    const sent = mailbox.save_sent ? createSentFolder({ mailbox, password: imapSecret, log }) : null;
    return [
      { id, transport: createSmtpTransport({ smtp, password, helo: gateway.domain, log }), sent: sent && sentOf(sent) },
    ];
  });
}

const sentOf = (folder: SentFolder): NonNullable<WayOut['sent']> => ({
  find: folder.findInSent,
  append: async (messageId, raw) => {
    await folder.appendToSent({ messageId, raw });
  },
  close: folder.close,
});
