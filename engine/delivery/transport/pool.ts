import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Opened } from './connection.ts';

export interface Lease {
  readonly connection: SMTPConnection;
  /** It has carried a mail before, so the server may have dropped it without our notice. */
  readonly reused: boolean;
  /** Gives it back for the next mail, or closes it when it broke or answered with an error. */
  release(keep: boolean): void;
}

export type Leased = { readonly ok: true; readonly lease: Lease } | Exclude<Opened, { ok: true }>;

/** A few kept connections: logging in for each mail runs into providers' limits. */
export function createPool(options: { open(): Promise<Opened>; maxConnections: number; idleMs: number }) {
  const idle = new Map<SMTPConnection, NodeJS.Timeout>();
  const leased = new Set<SMTPConnection>();
  const waiting: (() => void)[] = [];
  const state = { open: 0, closed: false };

  const free = () => {
    state.open -= 1;
    waiting.shift()?.();
  };
  const drop = (connection: SMTPConnection) => {
    const timer = idle.get(connection);
    if (!timer) return;
    clearTimeout(timer);
    idle.delete(connection);
    connection.quit();
    connection.close();
  };
  const lease = (connection: SMTPConnection, reused: boolean): Leased => {
    leased.add(connection);
    return {
      ok: true,
      lease: {
        connection,
        reused,
        release(keep) {
          leased.delete(connection);
          if (keep && !connection.destroyed && !state.closed) {
            const timer = setTimeout(() => drop(connection), options.idleMs).unref();
            idle.set(connection, timer);
          } else {
            connection.close();
          }
          free();
        },
      },
    };
  };

  return {
    async acquire({ fresh }: { fresh: boolean }): Promise<Leased> {
      while (state.open >= options.maxConnections) {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      state.open += 1;
      const kept = fresh ? undefined : [...idle.keys()].findLast((connection) => !connection.destroyed);
      if (kept) {
        clearTimeout(idle.get(kept));
        idle.delete(kept);
        return lease(kept, true);
      }
      const opened = await options.open();
      if (!opened.ok) {
        free();
        return opened;
      }
      opened.connection.once('end', () => drop(opened.connection));
      return lease(opened.connection, false);
    },
    /** Cuts everything; a mail in flight gets the outcome that its phase allows. */
    close() {
      state.closed = true;
      for (const connection of idle.keys()) drop(connection);
      for (const connection of leased) connection.close();
    },
  };
}
