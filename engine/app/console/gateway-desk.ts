import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { isOwn, manifestIn, type WhoseBackups } from '../../backup/backups.ts';
import { MANIFEST } from '../../backup/manifest.ts';
import type { BackupAsked, BackupHere, GatewayDesk } from '../../console/desk.ts';
import { readJson } from '../../lib/json.ts';
import { keepBackupByHand } from '../../queries/gateway/upkeep/backups.ts';
import { runBackup } from '../backups/follow-schedule.ts';
import { requeue } from '../refused/take-in-after-all.ts';
import { packageVersion } from '../version.ts';
import type { Worker } from '../worker.ts';

/** Folders that are looked into on the way to the newest ones: others may keep theirs there, too. */
const MOST_LOOKED = 200;

/** What the console has done by the gateway that it is a part of. */
export function gatewayDesk(worker: Pick<Worker, 'workspace' | 'receive' | 'mailboxes'>): GatewayDesk {
  const { workspace } = worker;
  const { root, gateway, live, ids, clock, log, children } = workspace;
  const version = packageVersion();
  let asked: BackupAsked | null = null;
  const known = new Map<string, Kept>();

  const make = async (by: string, since: number): Promise<void> => {
    const { to, secrets } = live.current().system.backup;
    const { path, error } = await runBackup({ root, to: resolve(root, to), keep: null, secrets, children });
    const at = clock.now();
    asked = { by, since, ended: { at, error } };
    if (error !== null) {
      log.error({ error }, 'the backup that an owner asked for could not be made');
      return;
    }
    log.info({ path }, 'a backup was made');
    // What failed before it is made good; what is due is due as before.
    await keepBackupByHand(workspace, at);
  };

  return {
    versions: () => ({ epistle: version, node: process.versions.node }),
    async backups(most) {
      const whose = {
        root: resolve(root),
        id: await gateway.setting('workspace_id', () => ids.next()),
        host: hostname(),
      };
      return backupsIn(resolve(root, live.current().system.backup.to), { most, whose, known });
    },
    backupAsked: () => asked,
    backUp(by) {
      if (asked?.ended === null) return false;
      const since = clock.now();
      asked = { by, since, ended: null };
      make(by, since).catch((error: unknown) => {
        asked = { by, since, ended: { at: clock.now(), error: String(error) } };
        log.error({ error: String(error) }, 'the backup that an owner asked for could not be looked after');
      });
      return true;
    },
    reconnect: (mailbox) => worker.mailboxes.hurry(mailbox),
    requeue: (letter, by) => requeue({ ...worker, by }, letter),
  };
}

/** What tells of a backup stands before its lists, which are as long as the workspace is large. */
const HEAD_BYTES = 8192;
/** A longer manifest is not read for its sum. */
const MOST_SUMMED = 4 * 1024 * 1024;
const headSchema = z.object({
  created_at: z.string(),
  workspace: z.string().exactOptional(),
  workspace_id: z.string().exactOptional(),
  host: z.string().exactOptional(),
  secrets: z.boolean(),
});

function backupsIn(
  folder: string,
  { most, whose, known }: { readonly most: number; readonly whose: WhoseBackups; readonly known: Map<string, Kept> },
): readonly BackupHere[] {
  const found: BackupHere[] = [];
  for (const path of newestFirst(folder)) {
    if (found.length >= most) break;
    const kept = known.get(path) ?? keptOf(path, whose);
    if (kept === null) continue;
    // Nobody changes one that is complete.
    if (known.size >= MOST_LOOKED) known.clear();
    known.set(path, kept);
    if (kept !== 'foreign') found.push(kept);
  }
  return found.toSorted((one, other) => other.at - one.at);
}

type Kept = BackupHere | 'foreign';

/** Null: it is no backup, or none that is complete. */
function keptOf(path: string, whose: WhoseBackups): Kept | null {
  const head = readJson(headSchema, headIn(join(path, MANIFEST)));
  if (head === undefined) return null;
  if (!isOwn(head, whose, (root) => existsSync(join(root, 'configs')))) return 'foreign';
  const isShort = (statSync(join(path, MANIFEST), { throwIfNoEntry: false })?.size ?? 0) <= MOST_SUMMED;
  const manifest = isShort ? manifestIn(path) : undefined;
  const bytes = manifest ? [...manifest.databases, ...manifest.files].reduce((sum, one) => sum + one.bytes, 0) : null;
  return { at: Date.parse(head.created_at), path, bytes, withSecrets: head.secrets };
}

function headIn(path: string): string {
  try {
    const file = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(HEAD_BYTES);
      const text = buffer.toString('utf8', 0, readSync(file, buffer, 0, HEAD_BYTES, 0));
      const [head = ''] = text.split('"databases"', 1);
      return `${head.trimEnd().replace(/,$/, '')}}`;
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}

function newestFirst(folder: string): readonly string[] {
  try {
    const paths = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.endsWith('.partial'))
      .map(({ name }) => join(folder, name));
    const dated = paths.map((path) => ({ path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
    return dated
      .toSorted((one, other) => other.at - one.at)
      .slice(0, MOST_LOOKED)
      .map(({ path }) => path);
  } catch {
    return [];
  }
}
