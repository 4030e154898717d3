import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EngineError, type Log } from '#contract';
import { type Environment, loadEnvironment, type ProcessSettings, type Variables } from './config/environment.ts';
import { createLiveConfig, keepTexts, type LiveConfig } from './config/live/live.ts';
import { defaultConfigs, loadConfigs } from './config/load.ts';
import { ConfigError } from './config/problems/problem.ts';
import { createTaskDesk } from './config/tasks/task-desk.ts';
import { type WorkspaceFiles, workspaceFiles } from './config/workspace-files.ts';
import { announceBy } from './dispatch/work-queue.ts';
import { createDocumentReader, type DocumentReader } from './documents/reader.ts';
import { createGuards, type Guards } from './extensions/guard/guard.ts';
import { createLiveExtensions, type LiveExtensions } from './extensions/live.ts';
import { knownNames, loadExtensions } from './extensions/loading/load.ts';
import { createMcpServers, type McpServers } from './extensions/mcp/servers.ts';
import { createToolPins, type ToolPins } from './extensions/pins/tool-pins.ts';
import type { Extensions } from './extensions/types.ts';
import { tellingStores } from './harness/hooks/telling-store.ts';
import { calledInMail, hintsHere } from './lib/as-called.ts';
import { type Changes, createChanges } from './lib/changes.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { crashAt, type PassCrashPoint, passThrough } from './lib/crash-points.ts';
import { writeDurably } from './lib/files/durable-file.ts';
import { type Ids, randomIds } from './lib/ids.ts';
import { loadedAtFirstUse } from './lib/kept-value.ts';
import { type Children, createChildren } from './lib/processes/children.ts';
import { createLogins, type Logins } from './mailbox/oauth/accounts.ts';
import { createServerLogins, type ServerLogins } from './mailbox/oauth/servers/server-logins.ts';
import { pricedTargetOf } from './queries/gateway/provider-in-use.ts';
import { createOverviews, type Overviews } from './queries/overviews.ts';
import type { Announce } from './record/jobs/jobs.ts';
import type { GatewayStore } from './storage/ports/gateway.ts';
import type { Stores } from './storage/ports/store.ts';
import { openGatewayStore } from './storage/sqlite/gateway/store.ts';
import { createStores } from './storage/sqlite/stores.ts';
import { isWorkspaceLocked, lockWorkspace, tryLock } from './storage/sqlite/workspace-lock.ts';
import { createFilesDesk, type FilesDesk } from './tools/files/desk.ts';
import type { ToolDeps } from './tools/for-run.ts';

/** Everything that a command may look at; opening it changes nothing but missing databases, and looking what is kept of a look. */
export interface Workspace {
  readonly root: string;
  readonly dataDir: string;
  readonly live: LiveConfig;
  readonly environment: Environment;
  readonly logins: Logins;
  readonly serverLogins: ServerLogins;
  readonly gateway: GatewayStore;
  readonly stores: Stores;
  readonly overviews: Overviews;
  /** What this process has committed, and what it hears of others, for whoever looks at it now. */
  readonly changes: Changes;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly filesDesk: FilesDesk;
  readonly documents: DocumentReader;
  readonly log: Log;
  readonly pass: PassCrashPoint;
  /** Tells whoever works on the workspace in another process. */
  readonly announce: Announce;
  /** Our own words in a mail, with the commands in them as they are typed here. */
  hint(text: string): string;
  /** Whether some process works on the workspace now. */
  isLocked(): boolean;
  /** The exclusive right to work on it. Throws `workspace_locked`. */
  lock(): { release(): void };
  /** Loaded at the first call; afterwards those in force. */
  extensions(): Promise<Extensions>;
  /** Those in force now; `extensions` must have been awaited before. */
  currentExtensions(): Extensions;
  prepareTools: LiveExtensions['prepareTools'];
  readonly servers: Pick<McpServers, 'allow' | 'onChange' | 'close'>;
  /** Processes that this one has started. */
  readonly children: Children;
  readonly toolPins: ToolPins;
  /** Who watches over their code. */
  readonly guards: Guards;
  close(): Promise<void>;
}

/** Throws ConfigError, or `not_found` where there is no workspace. */
export function openWorkspace(options: {
  root: string;
  settings: ProcessSettings;
  /** In which secrets are looked for before the workspace's `.env`; that of the process where none are handed in. */
  variables?: Variables;
  /** Takes defaults for files that are wrong: a broken edit must not keep its owner from looking around. */
  tolerant?: boolean;
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
  if (!configs && !options.tolerant) throw new ConfigError(problems);
  const { settings } = options;
  const clock = systemClock(settings.testNow ?? undefined);
  const quiet: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => quiet };
  const logRef: { log: Log } = { log: quiet };
  const guards = createGuards();
  const toolPins = createToolPins({ root, lock: () => tryLock(join(dataDir, 'lock.pins.db')), clock });
  const ids = randomIds(clock.now);
  const children = createChildren({
    folder: () => join(dataDir, 'processes'),
    id: ids.next(),
    log: forward(logRef),
  });
  const pass = crashPointsOf(settings);
  const serverLogins = createServerLogins({
    dataDir: () => dataDir,
    secretOf: (name) => environment.secretOf(name),
    tryLock,
    clock,
    random: ids.random,
    pass,
  });
  const servers = createMcpServers({
    secretOf: (name) => environment.secretOf(name),
    loginOf: serverLogins.of,
    cwd: root,
    clock,
    random: Math.random,
    log: forward(logRef),
    pins: toolPins,
    children,
  });
  const extensions = createLiveExtensions({
    listing: () => live.current().extensions,
    load: (listing) =>
      loadExtensions({
        bundledDir: fileURLToPath(new URL('../extensions', import.meta.url)),
        workspaceDir: join(root, 'extensions'),
        listing,
        secretOf: environment.secretOf,
        log: forward(logRef),
        guards,
        servers,
      }),
    guards,
    servers,
    onLoaded: () => live.recheck(),
    log: forward(logRef),
  });
  const environment = loadEnvironment(root, options.variables);
  const live = createLiveConfig({
    workspace: root,
    log: forward(logRef),
    clock,
    known: () => {
      const current = extensions.current();
      return current && knownNames(current);
    },
    fallback: options.tolerant ? defaultConfigs() : null,
  });
  live.onChange(extensions.follow);
  logRef.log = options.makeLog(live);
  const { log } = logRef;
  const documents = createDocumentReader();
  const { system } = live.current();
  const dataDir = resolve(root, system.data_dir);
  const changes = createChanges();
  const gateway = tellingOfMail(openGatewayStore(join(dataDir, 'gateway.db')), changes);
  const ownStores = createStores({
    dataDir,
    maxOpen: system.dispatch.max_open_databases,
    onWrite(id) {
      overviews.changed(id);
      changes.tell({ kind: 'persona', persona: id });
    },
    onClose: (id) => overviews.closed(id),
  });
  const overviews = createOverviews({
    gateway,
    stores: ownStores,
    pass,
    onElsewhere: (id) => changes.tell({ kind: 'persona', persona: id }),
  });
  const stores = tellingStores(ownStores, {
    // None is bundled, so a workspace that lists none has none, and its extensions need not be loaded to know.
    isSilent: () => (extensions.current()?.hooks.size ?? live.current().extensions.hooks.length) === 0,
    load: async () => (await extensions.load()).hooks,
  });
  return {
    root,
    dataDir,
    live,
    environment,
    logins: loginsIn({ dataDir, environment, clock, ids, pass }),
    serverLogins,
    gateway,
    stores,
    overviews,
    changes,
    clock,
    ids,
    filesDesk: createFilesDesk(clock),
    documents,
    log,
    pass,
    announce: announceBy(gateway, clock.now, () => {}),
    hint: (text) => hintsHere(text, calledInMail(settings.program ?? 'epistle', root, homedir())),
    isLocked: () => isWorkspaceLocked(dataDir),
    lock: () => lockWorkspace(dataDir),
    extensions: extensions.load,
    prepareTools: extensions.prepareTools,
    servers,
    children,
    toolPins,
    guards,
    currentExtensions() {
      const current = extensions.current();
      if (!current) throw new Error('the extensions were not loaded');
      return current;
    },
    async close() {
      live.stop();
      await documents.close();
      await servers.close();
      await stores.close();
      await gateway.close();
    },
  };
}

/** Mail that was refused changes nothing of a persona; whoever looks hears of it all the same. */
const tellingOfMail = (gateway: GatewayStore, changes: Changes): GatewayStore => ({
  ...gateway,
  async recordSeen(rows, place, kept) {
    await gateway.recordSeen(rows, place, kept);
    for (const { persona_id: persona = null } of rows) changes.tell({ kind: 'mail', persona });
  },
});

/** Where a test has the process killed. */
export const crashPointsOf = ({ crashAt: at }: ProcessSettings): PassCrashPoint =>
  at ? crashAt(`${at.label}:${at.passing}`, () => process.kill(process.pid, 'SIGKILL')) : passThrough;

/** How mailboxes log in; `setup` asks before there is a workspace. */
export const loginsIn = ({
  environment,
  ids,
  ...rest
}: Pick<Workspace, 'dataDir' | 'clock' | 'ids' | 'pass'> & {
  readonly environment: Pick<Environment, 'secretOf'>;
}): Logins => createLogins({ ...rest, secretOf: environment.secretOf, random: ids.random, tryLock });

type WorkspaceTools = ToolDeps & { configs: LiveConfig['current']; workspace: WorkspaceFiles } & Pick<
    Workspace,
    'prepareTools'
  >;

/** What tools need outside of a run that is under way; the extensions are those in force when they are used. */
export const toolDepsOf = (
  workspace: Workspace,
  filesOf: ToolDeps['filesOf'],
  recursionSecret: string,
): WorkspaceTools => {
  const deps: WorkspaceTools = {
    prepareTools: workspace.prepareTools,
    capabilities: loadedAtFirstUse(async () => (await import('./features/capabilities.ts')).CAPABILITIES),
    tools: () => workspace.currentExtensions().tools,
    hooks: () => workspace.currentExtensions().hooks,
    configs: workspace.live.current,
    filesOf,
    calendarsOf: (personaId) => join(workspace.root, 'personas', personaId, 'calendars'),
    filesDesk: workspace.filesDesk,
    documents: workspace.documents,
    workspace: keepTexts(workspaceFiles(workspace.root), workspace.clock.now),
    taskDesk: createTaskDesk(workspace.root, workspace.live.tasksOf),
    refusals: workspace.gateway,
    priceFor: (persona, pinned) => pricedTargetOf(workspace, persona, pinned),
    recursionSecret,
    clock: workspace.clock,
    ids: workspace.ids,
    log: workspace.log,
    waitingDesk: loadedAtFirstUse(async () => {
      const [{ createWaitingDesk }, { createEditJudge }] = await Promise.all([
        import('./actions/settle-waiting.ts'),
        import('./tools/judge-edit.ts'),
      ]);
      return createWaitingDesk({ ...workspace, judgeEdit: createEditJudge(deps) });
    }),
  };
  return deps;
};

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

/** The password of the SMTP listener's submission door, made at first use. */
export function submissionSecret(dataDir: string, ids: Ids): string {
  const path = join(dataDir, 'submission.secret');
  if (!existsSync(path)) writeDurably(dataDir, path, Buffer.from(ids.random(24)));
  return readFileSync(path, 'utf8').trim();
}
