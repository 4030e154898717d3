import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { EngineError } from '#contract';
import { refusal } from '../../../actions/refusal.ts';
import { packageVersion } from '../../../app/version.ts';
import { listBackups, manifestIn, removeOldBackups, type WhoseBackups } from '../../../backup/backups.ts';
import { createBackup } from '../../../backup/create.ts';
import type { BackupManifest } from '../../../backup/manifest.ts';
import { type CameSince, restoreBackup } from '../../../backup/restore.ts';
import { type BackupProblem, verifyBackup } from '../../../backup/verify.ts';
import { systemClock } from '../../../lib/clock.ts';
import type { Workspace } from '../../../workspace.ts';
import { defineCommand, type Group } from '../../command/define.ts';
import { atHere } from '../../text/local-time.ts';
import { schedule } from './schedule.ts';

const create = defineCommand({
  name: 'backup create',
  summary: 'Copy configuration, mail and memory of the workspace, also while its gateway works',
  options: {
    to: {
      flags: '--to <dir>',
      about: 'the folder for backups, from the current one; by default `backup.to` of configs/system.json',
    },
    keep: {
      flags: '--keep <n>',
      about: 'afterwards remove all but the newest n backups of this workspace in that folder',
    },
    verify: { flags: '--verify', about: 'look whether it is whole before older ones are removed' },
    withoutSecrets: {
      flags: '--without-secrets',
      about: 'leave out .env, private keys, tokens of mailboxes and the secret of submission',
    },
  },
  async run({ open, note }, { options }) {
    const keep = options.keep === undefined ? null : Number(options.keep);
    if (keep !== null && !(Number.isInteger(keep) && keep >= 1))
      throw new EngineError('usage', '--keep takes a whole number of at least 1');
    const workspace = open({ tolerant: true });
    const to = options.to === undefined ? folderOf(workspace) : resolve(options.to);
    const whose = await whoseBackups(workspace);
    const { path, manifest } = await createBackup({
      whose,
      root: workspace.root,
      dataDir: workspace.dataDir,
      to,
      secrets: options.withoutSecrets !== true,
      version: packageVersion(),
      now: workspace.clock.now(),
      progress: note,
    });
    const problems = options.verify ? await verifyBackup(path, manifest) : [];
    if (problems.length > 0) {
      // It would be counted as one to go back to.
      rmSync(path, { recursive: true, force: true });
      const words = problems.map(inWords).join('\n');
      return refusal('backup_damaged', `the backup could not be read back, and was removed:\n${words}`);
    }
    return {
      path,
      ...summaryOf(manifest),
      removed: keep === null ? [] : removeOldBackups(to, keep, { ...whose, now: workspace.clock.now() }),
    };
  },
  text: ({ path, personas, files, bytes, secrets, removed }) =>
    [
      `Copied ${counted(personas, 'persona')}, ${counted(files, 'file')} and ${megabytes(bytes)} to ${path}`,
      ...(secrets ? ['It holds your keys and passwords (.env): keep it where nobody else can read.'] : []),
      ...(removed.length > 0 ? [`Removed ${counted(removed.length, 'older backup')}.`] : []),
    ].join('\n'),
});

const list = defineCommand({
  name: 'backup list',
  summary: 'Complete backups of a folder, oldest first',
  options: { from: { flags: '--from <dir>', about: 'the folder; by default `backup.to` of configs/system.json' } },
  run: async ({ open }, { options }) => ({
    backups: listBackups(options.from === undefined ? folderOf(open({ tolerant: true })) : resolve(options.from)),
  }),
  rows: ({ backups }) => backups,
  times: true,
  columns: { CREATED: ({ created_at }) => atHere(created_at), PATH: ({ path }) => path },
  empty: 'There is no backup.',
});

const verify = defineCommand({
  name: 'backup verify',
  summary: 'Check every file and database of a backup, and open a copy of each database',
  arguments: ['<dir>'],
  async run(_context, { args: [dir] }) {
    const path = resolve(dir);
    const manifest = manifestIn(path);
    if (!manifest) return noBackup(path);
    const problems = await verifyBackup(path, manifest);
    return { path, ...summaryOf(manifest), problems };
  },
  text: ({ path, personas, files, problems }) =>
    problems.length === 0
      ? `${path} is whole: ${counted(personas, 'persona')}, ${counted(files, 'file')}.`
      : [`${path} cannot be relied on:`, ...problems.map(inWords)].join('\n'),
  exitCode: ({ problems }) => (problems.length === 0 ? 0 : 1),
});

const restore = defineCommand({
  name: 'backup restore',
  summary: 'Put a backup into a new workspace, after verifying it',
  arguments: ['<dir>'],
  options: {
    to: { flags: '--to <dir>', about: 'the new workspace: a new or empty folder', required: true },
    data: {
      flags: '--data <dir>',
      about: 'its data_dir, where that lies outside of the new workspace and is meant to',
    },
    asItWas: { flags: '--as-it-was', about: 'for the version of Epistle that made it: databases are not changed' },
  },
  async run({ note }, { args: [dir], options }) {
    const from = resolve(dir);
    const manifest = manifestIn(from);
    if (!manifest) return noBackup(from);
    const problems = await verifyBackup(from, manifest);
    if (problems.length > 0)
      return refusal('backup_damaged', [`${from} cannot be relied on:`, ...problems.map(inWords)].join('\n'));
    const to = resolve(options.to);
    const asItWas = options.asItWas === true;
    const dataTo = options.data === undefined ? null : resolve(options.data);
    const at = { from, manifest, to, dataTo };
    const restored = await restoreBackup({ ...at, now: systemClock().now(), asItWas, progress: note });
    return { ...restored, created_at: manifest.created_at, secrets: manifest.secrets };
  },
  text: ({ root, personas, in_doubt, created_at, secrets, links_left_out: leftOut, since }, { command }) =>
    [
      `Restored ${counted(personas, 'persona')} as of ${atHere(created_at)} to ${root}`,
      ...(in_doubt > 0
        ? [`${counted(in_doubt, 'mail')} had not left then; each is looked for in Sent before it is sent.`]
        : []),
      ...(leftOut.length > 0
        ? ['Left out, since they lead out of the workspace; make these links anew if you want them:']
        : []),
      ...leftOut.map(({ path, target }) => `  ${path} -> ${target}`),
      ...(secrets ? [] : ['The backup holds no .env: write your keys and passwords into it before you start.']),
      ...(since === null ? [] : [cameSinceInWords(since)]),
      'What was answered after the backup is not known: mail of that time which still lies in the mailbox is answered',
      `again. Move it away first, then: ${command(`--workspace ${root} start`)}`,
    ].join('\n'),
});

const cameSinceInWords = ({ root, received, sent }: CameSince): string => {
  const mails =
    received === null || sent === null
      ? 'How many mails came and left since could not be counted.'
      : `Since then ${counted(received, 'mail')} came and ${counted(sent, 'mail')} left.`;
  return `${mails} They, and all else that was done or set since, are in ${root} alone: keep it.`;
};

/** Made once; what is restored or copied keeps it. */
const whoseBackups = async ({ root, gateway, ids }: Workspace): Promise<WhoseBackups> => ({
  root: resolve(root),
  id: await gateway.setting('workspace_id', () => ids.next()),
  host: hostname(),
});

const folderOf = ({ root, live }: Workspace): string => resolve(root, live.current().system.backup.to);

/** Where it is the folder of them, the newest is meant more often than not, and named. */
function noBackup(path: string) {
  const newest = listBackups(path).at(-1);
  const hint = newest ? `; the newest backup in it is ${newest.path}` : '';
  return refusal('not_a_backup', `${path} is no backup: it has no manifest.json of Epistle${hint}`);
}

const inWords = ({ path, problem }: BackupProblem): string => `  ${path} ${problem}`;

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** What a person wants to know of a backup. `bytes`: its length, shared files included. */
function summaryOf({ databases, files, created_at, secrets }: BackupManifest) {
  const all = [...databases, ...files];
  const personas = databases.filter(({ persona }) => persona !== null).length;
  return { created_at, personas, files: all.length, bytes: all.reduce((sum, one) => sum + one.bytes, 0), secrets };
}

export const backup: Group = {
  name: 'backup',
  summary: 'Copies of the workspace that can be put back',
  commands: [create, list, verify, restore, schedule],
};
