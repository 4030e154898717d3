import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EngineError, type Log } from '#contract';
import { type Environment, loadEnvironment, type ProcessSettings } from './config/environment.ts';
import { createLiveConfig, type LiveConfig } from './config/live.ts';
import { loadConfigs } from './config/load.ts';
import type { Problem } from './config/types.ts';
import { workspaceFiles } from './config/workspace-files.ts';
import { createNoticesLane } from './delivery/notices-lane.ts';
import { createOutboxLane, type WayOut } from './delivery/outbox-lane.ts';
import { createSmtpTransport } from './delivery/smtp-transport.ts';
import { createDispatcher, type Dispatcher } from './dispatch/dispatcher.ts';
import { createRunsLane } from './dispatch/runs-lane.ts';
import { loadExtensions } from './extensions/load.ts';
import type { Extensions } from './extensions/types.ts';
import { createSentFolder, type SentFolder } from './gateway/imap/sent.ts';
import { createMailboxes, type Mailboxes } from './gateway/mailboxes.ts';
import { createReceive, type Receive, type ReceiveDeps } from './gateway/receive.ts';
import type { Models } from './harness/loop/loop-run.ts';
import { type Cooldowns, createCooldowns } from './harness/providers/cooldown.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { crashAt, type PassCrashPoint, passThrough } from './lib/crash-points.ts';
import { type Ids, randomIds } from './lib/ids.ts';
import { createAuthenticator } from './mail/authenticate.ts';
import { createMailParser } from './mail/parse.ts';
import { writeDurably } from './storage/blobs.ts';
import { type GatewayStore, openGatewayStore } from './storage/gateway-store.ts';
import { personaFiles } from './storage/persona-files.ts';
import { createStores, type Stores } from './storage/stores.ts';
import { lockWorkspace } from './storage/workspace-lock.ts';

/** Everything that a command may look at; opening it changes nothing but missing databases. */
export interface Workspace {
  readonly root: string;
  readonly dataDir: string;
  readonly live: LiveConfig;
  readonly environment: Environment;
  readonly gateway: GatewayStore;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly pass: PassCrashPoint;
  extensions(): Promise<Extensions>;
  close(): Promise<void>;
}

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

/** Every problem of the configuration at once. */
export class ConfigError extends EngineError {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super('config_invalid', 'the configuration has problems');
    this.problems = problems;
  }
}

/** Throws ConfigError, or `not_found` where there is no workspace. */
export function openWorkspace(options: {
  root: string;
  settings: ProcessSettings;
  makeLog(live: LiveConfig): Log;
}): Workspace {
  const root = resolve(options.root);
  if (!existsSync(join(root, 'configs'))) {
    throw new EngineError(
      'not_found',
      `${root} is no workspace: it has no configs/ folder; \`epistle init DIR\` makes one`,
    );
  }
  const { configs, problems } = loadConfigs(root);
  if (!configs) throw new ConfigError(problems);
  const { settings } = options;
  const clock = systemClock(settings.testNow ?? undefined);
  const extensionsOnce: { loaded?: Promise<Extensions>; names?: Extensions } = {};
  const quiet: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => quiet };
  const logRef: { log: Log } = { log: quiet };
  const live = createLiveConfig({
    workspace: root,
    log: forward(logRef),
    clock,
    known: () =>
      extensionsOnce.names
        ? {
            providers: new Set(extensionsOnce.names.providers.names),
            resolvers: new Set(extensionsOnce.names.resolvers.names),
          }
        : null,
  });
  logRef.log = options.makeLog(live);
  const { log } = logRef;
  const environment = loadEnvironment(root);
  const dataDir = resolve(root, configs.system.data_dir);
  const gateway = openGatewayStore(join(dataDir, 'gateway.db'));
  const stores = createStores({ dataDir, maxOpen: configs.system.dispatch.max_open_databases });
  return {
    root,
    dataDir,
    live,
    environment,
    gateway,
    stores,
    clock,
    ids: randomIds(clock.now),
    log,
    pass: settings.crashAt
      ? crashAt(`${settings.crashAt.label}:${settings.crashAt.passing}`, () => process.kill(process.pid, 'SIGKILL'))
      : passThrough,
    async extensions() {
      const bundledDir = fileURLToPath(new URL('../extensions', import.meta.url));
      extensionsOnce.loaded ??= loadExtensions({
        bundledDir,
        workspaceDir: join(root, 'extensions'),
        listing: live.current().extensions,
        secretOf: environment.secretOf,
        log,
      });
      extensionsOnce.names = await extensionsOnce.loaded;
      live.recheck();
      return extensionsOnce.names;
    },
    async close() {
      live.stop();
      await stores.close();
      await gateway.close();
    },
  };
}

/** `get` at each call, so that a log made later is used by what was made earlier. */
function forward(ref: { log: Log }): Log {
  return {
    debug: (fields, message) => ref.log.debug(fields, message),
    info: (fields, message) => ref.log.info(fields, message),
    warn: (fields, message) => ref.log.warn(fields, message),
    error: (fields, message) => ref.log.error(fields, message),
    child: (fields) => ref.log.child(fields),
  };
}

/** Takes the workspace lock and starts working what is due. Throws `workspace_locked`. */
export async function startWorker(
  workspace: Workspace,
  options: { lockWaitMs?: number /** False: mail is only accepted. */; work?: boolean } = {},
): Promise<Worker> {
  const { gateway, live, stores, clock, ids, log, pass, dataDir, environment } = workspace;
  const lock = await waitForLock(dataDir, clock, options.lockWaitMs ?? 0);
  const extensions = await workspace.extensions();
  const configs = live.current;
  const instance = ids.next();
  const recursionSecret = await gateway.setting('recursion_secret', () => ids.random(32));
  await gateway.dueAtOnce(clock.now());
  const cooldowns = createCooldowns();
  const isOwnAddress = (address: string) => live.personas().byAddress(address) !== undefined;
  const findPersona = (id: string) => live.freshPersona(id);
  const filesOf = (personaId: string) => personaFiles(dataDir, personaId);
  const random = Math.random;
  const ways = waysOut(workspace);

  const runs = createRunsLane({
    harness: {
      configs,
      extensions,
      models: modelsOf(extensions, cooldowns),
      defaultModel: (provider) => extensions.providers.get(provider)?.defaultModel ?? 'default',
      firstKeyed: environment.firstProvider,
      workspace: workspaceFiles(workspace.root),
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
  const notices = createNoticesLane({ gatewayConfig: () => configs().gateway, findPersona, clock, ids, log });
  const dispatcher = createDispatcher({ gateway, stores, lanes: [runs, outbox, notices], clock, log, pass });

  const parser = createMailParser({ limits: configs().gateway.limits });
  const { gateway_auth } = configs().security;
  const authenticator = createAuthenticator({
    dnsServers: gateway_auth.dns_servers,
    trustedReceived: gateway_auth.trusted_received,
    hostname: configs().gateway.domain,
  });
  const receiving: ReceiveDeps = {
    stores,
    gateway,
    clock,
    ids,
    pass,
    log,
    filesOf,
    loopGuard: () => configs().security.loop_guard,
    isOwnAddress,
    wake: dispatcher.wake,
    parser,
    authenticator: () => authenticator,
    configs,
    findByAddress: (address) => live.personas().byAddress(address),
    isPaused: gateway.isPaused,
    recursionSecret,
    quarantineFolder: join(dataDir, 'quarantine'),
  };
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
      await parser.close();
      await Promise.all(ways.flatMap(({ transport, sent }) => [transport.close(), sent?.close()]));
      lock.release();
    },
  };
}

async function waitForLock(dataDir: string, clock: Clock, waitMs: number): Promise<{ release(): void }> {
  const until = clock.now() + waitMs;
  for (;;) {
    try {
      return lockWorkspace(dataDir);
    } catch (error) {
      if (!(error instanceof EngineError) || clock.now() >= until) throw error;
      await clock.sleep(100);
    }
  }
}

function modelsOf(extensions: Extensions, cooldowns: Cooldowns): Models {
  const providerOf = (name: string) => {
    const provider = extensions.providers.get(name);
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
    info: ({ provider, model }) => extensions.providers.get(provider)?.modelInfo(model) ?? UNLISTED,
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

/** The password of the SMTP listener's submission door, made at first use. */
export function submissionSecret(dataDir: string, ids: Ids): string {
  const path = join(dataDir, 'submission.secret');
  if (!existsSync(path)) writeDurably(dataDir, path, Buffer.from(ids.random(24)));
  return readFileSync(path, 'utf8').trim();
}
