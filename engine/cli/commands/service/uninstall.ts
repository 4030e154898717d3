import { existsSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { programFile } from '../../../app/version.ts';
import { backupsOf } from '../../../backup/backups.ts';
import { defaultConfigs, loadConfigs } from '../../../config/load.ts';
import { LAUNCHD_LABEL } from '../../../service/launchd.ts';
import { launchdManager, systemdManager } from '../../../service/manager.ts';
import { isWithin } from '../../../service/paths.ts';
import type { CommandContext } from '../../command/context.ts';
import { defineCommand } from '../../command/define.ts';
import { lastStartedFile } from '../../command/last-started.ts';
import { isWorkspace } from '../../command/which-workspace.ts';

/** Something that an account has of Epistle, and what removes it. */
interface Left {
  readonly what: string;
  readonly path: string;
  readonly command: string;
}

export const uninstall = defineCommand({
  name: 'uninstall',
  summary: 'What there is of Epistle on this machine, and the command that removes each; nothing is removed',
  withoutWorkspace: true,
  run: async (context) => ({ left: whatIsLeft(context), removed: [] }),
  text: ({ left }, { command }) =>
    [
      'Nothing is removed by this command. What there is, and what removes it, in this order:',
      ...left.flatMap(({ what, path, command: typed }) => ['', `${what}: ${path}`, `  ${typed}`]),
      '',
      `Mail in your mailboxes stays there. \`${command('backup create --to DIR')}\` keeps a copy of the workspace.`,
    ].join('\n'),
});

function whatIsLeft({ root: given, settings, command }: CommandContext): readonly Left[] {
  const [home, root, program] = [homedir(), resolve(given), dirname(dirname(programFile()))];
  const manager =
    process.platform === 'darwin'
      ? launchdManager(LAUNCHD_LABEL, { home, uid: process.getuid?.() ?? 0 })
      : systemdManager('epistle', { home, uid: 0 });
  const isCheckout = existsSync(join(program, '.git'));
  const state = dirname(lastStartedFile({ stateHome: settings.stateHome, home }));
  const workspace = isOurs(root) && relative(program, root) !== '' ? ofWorkspace(root, home) : [];
  return [
    { what: 'The service', path: manager.file, command: command('service uninstall') },
    ...workspace,
    folder('Which workspace was started last', state),
    folder('Compiled code', join(home, '.cache/epistle')),
    isCheckout
      ? folder('The program, with what lies in its folder', program)
      : { what: 'The program', path: program, command: 'npm uninstall --global epistle' },
  ].filter(({ path }) => existsSync(path));
}

/** Many programs have a folder `configs`, and what is named here is removed. */
const isOurs = (root: string): boolean =>
  isWorkspace(root) &&
  ['gateway', 'inference', 'context', 'security', 'system'].some((name) =>
    existsSync(join(root, `configs/${name}.json`)),
  );

/** What a workspace has; where it is the home of somebody, no more than that. */
const PARTS = ['configs', 'personas', 'extensions', '.env', 'data'];

/** The workspace, and what its settings have elsewhere: of a folder for backups, those alone that are its own. */
function ofWorkspace(root: string, home: string): readonly Left[] {
  const { system } = loadConfigs(root).configs ?? defaultConfigs();
  const [dataDir, to] = [resolve(root, system.data_dir), resolve(root, system.backup.to)];
  const parts = isWithin(root, home) ? PARTS.map((name) => join(root, name)) : [root];
  const isThere = (path: string) => parts.some((part) => isWithin(part, path));
  const backups = isThere(to) ? [] : backupsOf(to, { root, id: null, host: hostname() }).map(({ path }) => path);
  return [
    ...parts.map((path) => folder('The workspace, with all settings, keys, mail and memory', path)),
    ...(isThere(dataDir) ? [] : [folder('Its databases and mail', dataDir)]),
    ...(backups.length === 0 ? [] : [{ what: 'Its backups', path: to, command: rm(...backups) }]),
  ];
}

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
const rm = (...paths: string[]): string => `rm -r ${paths.map(quoted).join(' ')}`;
const folder = (what: string, path: string): Left => ({ what, path, command: rm(path) });
