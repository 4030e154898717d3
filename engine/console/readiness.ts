import { statfs } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { withDeadline } from '../lib/deadline.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';

/** Whether mail can be taken in and kept. Nothing of it names a mailbox or an address: nobody has to log in to see it. */
export interface Readiness {
  readonly ok: boolean;
  readonly checks: { readonly database: Check; readonly mailboxes: Check; readonly disk: Check };
}

interface Check {
  readonly ok: boolean;
  readonly message: string;
}

/** Below this a mail of the largest size and what comes of it may find no room. */
const LEAST_FREE_BYTES = 100 * 1024 * 1024;
const DATABASE_MS = 2000;
/** Our own commits lock it, too, for a moment. */
const LOOKS = 8;

export async function readinessOf(looked: {
  readonly dataDir: string;
  readonly gateway: Pick<GatewayStore, 'nextWakeupAt' | 'canWrite'>;
  /** States of the mailboxes that are watched. */
  mailboxes(): readonly { readonly state: string }[];
}): Promise<Readiness> {
  const [database, disk] = await Promise.all([databaseCheck(looked.gateway), diskCheck(looked.dataDir)]);
  const mailboxes = mailboxesCheck(looked.mailboxes());
  return { ok: database.ok && mailboxes.ok && disk.ok, checks: { database, mailboxes, disk } };
}

async function databaseCheck(gateway: Pick<GatewayStore, 'nextWakeupAt' | 'canWrite'>): Promise<Check> {
  try {
    await withDeadline(() => gateway.nextWakeupAt(), { ms: DATABASE_MS, code: 'timeout', what: 'the database' });
    for (let looks = 0; looks < LOOKS; looks += 1) {
      if (await gateway.canWrite()) return { ok: true, message: 'it answers' };
      await wait(DATABASE_MS / LOOKS);
    }
    return { ok: false, message: 'nothing can be written to it' };
  } catch {
    return { ok: false, message: 'it does not answer' };
  }
}

function mailboxesCheck(states: readonly { readonly state: string }[]): Check {
  const connected = states.filter(({ state }) => state === 'connected').length;
  return { ok: connected === states.length, message: `${connected} of ${states.length} connected` };
}

async function diskCheck(folder: string): Promise<Check> {
  try {
    const { bsize, bavail } = await statfs(folder);
    const megabytes = Math.floor((bsize * bavail) / (1024 * 1024));
    return { ok: bsize * bavail >= LEAST_FREE_BYTES, message: `${megabytes} MiB free` };
  } catch {
    return { ok: false, message: 'the folder of the data cannot be read' };
  }
}
