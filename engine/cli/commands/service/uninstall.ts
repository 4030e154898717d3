import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { programFile } from '../../../app/version.ts';
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
  const rm = (path: string): string => `rm -r ${quoted(path)}`;
  const folder = (what: string, path: string): Left => ({ what, path, command: rm(path) });
  const workspace = isWorkspace(root) && relative(program, root) !== '' ? foldersOf(root) : [];
  return [
    { what: 'The service', path: manager.file, command: command('service uninstall') },
    ...workspace.map(({ what, path }) => folder(what, path)),
    folder('Which workspace was started last', state),
    folder('Compiled code', join(home, '.cache/epistle')),
    isCheckout
      ? folder('The program, with what lies in its folder', program)
      : { what: 'The program', path: program, command: 'npm uninstall --global epistle' },
  ].filter(({ path }) => existsSync(path));
}

/** The workspace, and what its settings have elsewhere. */
function foldersOf(root: string): readonly { readonly what: string; readonly path: string }[] {
  const { system } = loadConfigs(root).configs ?? defaultConfigs();
  const elsewhere = [
    { what: 'Its databases and mail', path: resolve(root, system.data_dir) },
    { what: 'Its backups', path: resolve(root, system.backup.to) },
  ].filter(({ path }) => !isWithin(root, path));
  return [{ what: 'The workspace, with all settings, keys, mail and memory', path: root }, ...elsewhere];
}

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
