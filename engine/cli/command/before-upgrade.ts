import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { packageVersion } from '../../app/version.ts';
import { isMarkedCurrent, isWorkedOn } from '../../backup/schema-marker.ts';
import { finishChange } from '../../config/journal/journal.ts';
import { defaultConfigs, loadConfigs } from '../../config/load.ts';
import type { CommandContext } from './context.ts';
import type { GatewayPlace } from './gateway-process.ts';

/** What has to be done before a command reads anything of its workspace. */
export async function beforeWork(
  context: Pick<CommandContext, 'root' | 'note'>,
  { withoutDatabases }: { readonly withoutDatabases: boolean },
): Promise<void> {
  endBrokenChange(context);
  if (!withoutDatabases) await beforeUpgrade(context);
}

/** Where a workspace keeps its data, and whether a gateway works there; no database is opened for it. Null: none has worked yet. */
export function gatewayPlace({ root }: Pick<CommandContext, 'root'>): GatewayPlace | null {
  const dataDir = dataDirOf(root);
  return dataDir === null ? null : { root, dataDir, isLocked: () => isWorkedOn(dataDir) };
}

/** A change of settings at which somebody was killed is ended before anything of them is read. */
function endBrokenChange({ root, note }: Pick<CommandContext, 'root' | 'note'>): void {
  const ended = finishChange(root);
  if (ended === 'completed') note('A change of the settings that was broken off was completed.');
  if (ended === 'taken_back')
    note('A change of the settings that was broken off was taken back, since the files had changed.');
}

/** Any command that opens a workspace brings its databases to the newest version, so the way back is made before. */
export async function beforeUpgrade({ root, note }: Pick<CommandContext, 'root' | 'note'>): Promise<void> {
  const dataDir = dataDirOf(root);
  if (dataDir === null || isMarkedCurrent(dataDir)) return;
  // Loaded once after an upgrade alone.
  const { backupBeforeUpgrade } = await import('../../backup/before-upgrade.ts');
  await backupBeforeUpgrade({ root, dataDir, version: packageVersion(), now: Date.now(), progress: note });
}

/** Null where no gateway has worked yet. */
function dataDirOf(root: string): string | null {
  if (!existsSync(join(root, 'configs'))) return null;
  const { data_dir } = (loadConfigs(root).configs ?? defaultConfigs()).system;
  const dataDir = resolve(root, data_dir);
  return existsSync(join(dataDir, 'gateway.db')) ? dataDir : null;
}
