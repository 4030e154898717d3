import { rmSync } from 'node:fs';
import type { SmtpListener } from '../gateway/smtp/listener.ts';
import { writeDurably } from '../lib/files/durable-file.ts';
import { type MailboxStateShape, mailboxStates } from '../queries/gateway/mailbox-states.ts';
import { type PersonaState, personaStates } from '../queries/gateway/persona-states.ts';
import { readyPath } from '../queries/gateway/running.ts';
import { packageVersion } from './version.ts';
import type { Worker } from './worker.ts';

/** What `start --json` prints and `data/ready.json` keeps. */
export interface Ready {
  readonly ready: true;
  readonly pid: number;
  readonly version: string;
  /** The folder of the workspace. */
  readonly workspace: string;
  /** Null where the listener is switched off. */
  readonly smtp: { readonly host: string; readonly port: number } | null;
  readonly mailboxes: readonly MailboxStateShape[];
  readonly personas: readonly PersonaState[];
  /** Null where it is switched off. */
  readonly console: { readonly url: string } | null;
}

export async function writeReady(
  { workspace, mailboxes }: Pick<Worker, 'workspace' | 'mailboxes'>,
  listener: SmtpListener | null,
  consoleUrl: string | null,
): Promise<Ready> {
  const ready: Ready = {
    ready: true,
    pid: process.pid,
    version: packageVersion(),
    workspace: workspace.root,
    smtp: listener && { host: listener.host, port: listener.port },
    mailboxes: mailboxStates(workspace.live.current().gateway, mailboxes.states()),
    personas: await personaStates(workspace),
    console: consoleUrl === null ? null : { url: consoleUrl },
  };
  const { dataDir } = workspace;
  writeDurably(dataDir, readyPath(dataDir), Buffer.from(`${JSON.stringify(ready)}\n`));
  return ready;
}

/** For whoever has just taken the lock: what is written there is about a process that is gone. */
export function forgetReady(dataDir: string): void {
  rmSync(readyPath(dataDir), { force: true });
}
