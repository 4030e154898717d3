import { existsSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, resolve } from 'node:path';
import { EngineError } from '#contract';
import { programFile } from '../../../app/version.ts';
import { runningGateway } from '../../../queries/gateway/running.ts';
import { LAUNCHD_LABEL, launchAgent } from '../../../service/launchd.ts';
import {
  holderOf,
  launchdManager,
  type Manager,
  removeUnit,
  runManager,
  serviceOf,
  systemdManager,
  writeUnit,
} from '../../../service/manager.ts';
import type { ServicePaths } from '../../../service/paths.ts';
import { systemdUnit } from '../../../service/systemd.ts';
import type { Workspace } from '../../../workspace.ts';
import type { CommandContext } from '../../command/context.ts';
import { defineCommand, type Group } from '../../command/define.ts';
import { endGateway, untilRunning } from '../../command/gateway-process.ts';
import { lastStartedFile, rememberStarted } from '../../command/last-started.ts';

const NAME = { flags: '--name <name>', about: 'name of the unit', fallback: 'epistle' } as const;
const SYSTEM = {
  flags: '--system',
  about: 'a unit of the system; without it one of your account (Linux)',
} as const;

const install = defineCommand({
  name: 'service install',
  summary: 'Have the gateway of this workspace started with the machine: systemd, or launchd on macOS',
  options: {
    name: NAME,
    system: SYSTEM,
    user: { flags: '--user <account>', about: 'account of a unit of the system; by default whose the workspace is' },
    withShell: { flags: '--with-shell', about: 'less hardening, as the tool shell needs it' },
    now: { flags: '--now', about: 'start it at once' },
    print: { flags: '--print', about: 'print the unit and do nothing' },
  },
  async run(context, { options }) {
    const paths = pathsOf(context);
    const manager = managerOf(options);
    if (options.user !== undefined && !/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/.test(options.user))
      throw new EngineError('usage', `"${options.user}" is no account`);
    const user = options.system ? (options.user ?? ownerOf(paths.workspace)) : null;
    const unit =
      manager.kind === 'launchd'
        ? launchAgent(paths, labelOf(options.name))
        : systemdUnit({ ...paths, user, allowShell: options.withShell === true });
    const result = { manager: manager.kind, file: manager.file, user, unit };
    if (options.print) return { ...result, written: false, started: false, commands: [], said: [] };
    const holder = holderOf(manager.file, unit);
    if (holder === 'stranger') throw notOurs(manager.file);
    if (holder === 'another') {
      const cure = 'choose another --name, or uninstall that one first';
      throw new EngineError('usage', `${manager.file} runs the gateway of another workspace; ${cure}`);
    }
    writeUnit(manager.file, unit);
    // The service itself sees no home.
    rememberStarted(lastStartedFile({ stateHome: context.settings.stateHome, home: homedir() }), paths.workspace);
    const verified = manager.kind === 'systemd' ? runManager(['systemd-analyze', 'verify', manager.file]) : null;
    const begun = await begin(context.open({ tolerant: true }), manager, options.now === true);
    const complaints = verified && !verified.ok && verified.said !== '' ? [verified.said] : [];
    return { ...result, written: true, ...begun, said: [...complaints, ...begun.said] };
  },
  text: ({ file, unit, written, started, commands, said }) =>
    written
      ? [
          `Wrote ${file}`,
          ...(started
            ? [`The gateway is started${commands.length === 0 ? ', and starts with the machine' : ''}.`]
            : []),
          ...said.map((line) => `  ${line}`),
          ...(started || commands.length === 0 ? [] : ['Start it with:']),
          ...commands.map((command) => `  ${command}`),
        ].join('\n')
      : unit.trimEnd(),
  exitCode: ({ said }) => (said.length === 0 ? 0 : 1),
});

const status = defineCommand({
  name: 'service status',
  summary: 'Whether the service is installed and runs',
  options: { name: NAME, system: SYSTEM },
  async run(_context, { options }) {
    const manager = managerOf(options);
    const installed = existsSync(manager.file);
    const asked = installed ? runManager(manager.isActive) : null;
    return {
      manager: manager.kind,
      file: manager.file,
      installed,
      active: asked?.ok === true,
      said: asked?.said ?? '',
    };
  },
  text: ({ file, installed, active, said }, { hint }) =>
    !installed
      ? hint('The service is not installed; `epistle service install` does it.')
      : active
        ? `The service runs (${file}).`
        : [`The service does not run (${file}).`, said].filter((line) => line !== '').join('\n'),
  exitCode: ({ active }) => (active ? 0 : 1),
});

const uninstall = defineCommand({
  name: 'service uninstall',
  summary: 'Stop the service and remove its unit; the workspace stays',
  options: { name: NAME, system: SYSTEM },
  async run(_context, { options }) {
    const manager = managerOf(options);
    if (holderOf(manager.file, '') === 'stranger') throw notOurs(manager.file);
    const said = existsSync(manager.file) ? manager.stop.map(runManager) : [];
    return {
      file: manager.file,
      removed: removeUnit(manager.file),
      said: said.flatMap((one) => (one.ok ? [] : [one.said])),
    };
  },
  text: ({ file, removed, said }, { hint }) =>
    [
      removed ? `Removed ${file}. The workspace is as it was.` : 'The service is not installed.',
      ...said,
      hint('`epistle uninstall` names what else there is of Epistle, and what removes it.'),
    ].join('\n'),
});

interface Said {
  readonly ok: boolean;
  readonly said: string;
}

/** Starts the service in place of a gateway that runs by itself: beside that it would find the workspace in use. */
async function begin(workspace: Workspace, manager: Manager, isNow: boolean) {
  const { start, stay } = manager;
  const staying = stay === null ? [] : [stay];
  const running = runningGateway(workspace);
  const runsAlone = running !== null && serviceOf(running.pid) === null;
  if (!isNow) {
    const commands = [...(runsAlone ? ['epistle stop'] : []), ...typed([...start, ...staying])];
    return { started: false, commands, said: [] };
  }
  if (runsAlone) await endGateway(workspace);
  const complaints = (ran: readonly Said[]) => ran.flatMap(({ ok, said }) => (ok || said === '' ? [] : [said]));
  const ran = start.map(runManager);
  if (ran.some(({ ok }) => !ok)) {
    const cure = runsAlone ? ['The gateway that ran has ended; `epistle restart` starts it again.'] : [];
    return { started: false, commands: typed([...start, ...staying]), said: [...complaints(ran), ...cure] };
  }
  if ((await untilRunning(workspace, () => true)) === null) {
    const cure = 'The service has been started, and no gateway runs; `epistle logs` says why.';
    return { started: false, commands: [], said: [...complaints(ran), cure] };
  }
  const stayed = staying.map(runManager);
  if (stayed.every(({ ok }) => ok)) return { started: true, commands: [], said: complaints(ran) };
  const cure = 'It ends when you log out, and starts when you log in, until that command is let through:';
  return { started: true, commands: typed(staying), said: [...complaints(stayed), cure] };
}

const typed = (commands: readonly (readonly string[])[]): string[] => commands.map((words) => words.join(' '));

const notOurs = (file: string): EngineError =>
  new EngineError('usage', `${file} is the unit of another program and stays as it is; choose another --name`);

function pathsOf({ open, settings }: CommandContext): ServicePaths {
  const { root, dataDir } = open({ tolerant: true });
  const program = programFile();
  const typed = typedAs(settings.program);
  // A line of a unit would end there, and another one begin.
  if (/\p{Cc}/u.test(`${root}${dataDir}${program}${typed ?? ''}`))
    throw new EngineError('usage', 'a path with a line break or another control character cannot be that of a service');
  return {
    node: process.execPath,
    nodeRoot: dirname(dirname(process.execPath)),
    program,
    programRoot: dirname(dirname(program)),
    workspace: root,
    dataDir,
    typed,
  };
}

/** A path of another folder than the checkout's, which hints name as it is, would lead nowhere from the service's. */
function typedAs(program: string): string | null {
  if (program === 'epistle') return null;
  return program.startsWith('../') || (program.startsWith('./') && !program.startsWith('./scripts/'))
    ? resolve(program)
    : program;
}

interface Wanted {
  readonly name: string;
  readonly system: boolean | undefined;
}

/** As systemd has the name, launchd has a label. */
const labelOf = (name: string): string => (name === NAME.fallback ? LAUNCHD_LABEL : `org.epistle.${name}`);

function managerOf({ name, system }: Wanted): Manager {
  const account = { home: homedir(), uid: userInfo().uid };
  if (!/^[A-Za-z0-9_.-]+$/.test(name)) throw new EngineError('usage', '--name takes letters, digits, dots and dashes');
  if (process.platform === 'darwin') return launchdManager(labelOf(name), account);
  if (process.platform !== 'linux')
    throw new EngineError('usage', 'a service can be installed on Linux (systemd) and macOS (launchd) only');
  return systemdManager(name, system ? 'system' : account);
}

/** A gateway has no use for the rights of root. */
function ownerOf(folder: string): string {
  const { uid } = statSync(folder);
  if (uid === 0)
    throw new EngineError(
      'usage',
      `${folder} belongs to root; make an account for the gateway, give it the folder (chown -R), and name it with --user`,
    );
  return String(uid);
}

export const service: Group = {
  name: 'service',
  summary: 'The gateway as a service of the machine',
  commands: [install, status, uninstall],
};
