import type { Requeued } from '../actions/mail/requeue-dead-letter.ts';
import type { Refusal } from '../actions/refusal.ts';
import type { DeadLetter } from '../storage/types/gateway.ts';

/** A backup that there is. */
export interface BackupHere {
  /** ms */
  readonly at: number;
  readonly path: string;
  /** Null: it has so many files that they are not added up here. */
  readonly bytes: number | null;
  readonly withSecrets: boolean;
}

/** One that somebody has asked for since the gateway has started. */
export interface BackupAsked {
  readonly by: string;
  readonly since: number;
  /** Null: it is being made. */
  readonly ended: { readonly at: number; readonly error: string | null } | null;
}

/** What only the gateway that runs can do or say. */
export interface GatewayDesk {
  versions(): { readonly epistle: string; readonly node: string };
  /** The newest of this workspace, newest first. */
  backups(most: number): Promise<readonly BackupHere[]>;
  /** The last that somebody has asked for. */
  backupAsked(): BackupAsked | null;
  /** Begins to make one, as `backup create --verify` does; false: one is being made. All earlier ones stay. */
  backUp(by: string): boolean;
  /** A mailbox whose servers answer again is connected at once, and not when it is tried the next time. */
  reconnect(mailbox: string): void;
  /** As `deadletters requeue` does. */
  requeue(letter: DeadLetter, by: string): Promise<Requeued | Refusal>;
}
