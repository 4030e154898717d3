import type { ListResponse } from 'imapflow';
import type { ImapConfig } from '../../../config/types.ts';
import type { Login } from '../../../mailbox/login/login.ts';
import type { Tuning } from '../tuning.ts';
import { type ImapSession, logInAt, noop, required } from './session.ts';

/** A lazily opened connection beside the watcher's; its users wait in line. */
export interface ImapLine {
  /** Rejects with what `work` throws, or with imapflow's error (see `classifyFailure`); the connection is new then. */
  use<Result>(work: (line: OpenLine) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export interface OpenLine {
  readonly session: ImapSession;
  /** All folders, asked for once in the life of the connection. */
  folders(): Promise<readonly ListResponse[]>;
}

/** The connection is kept this long after a use: providers count logins. */
const IDLE_MS = 15_000;

export function createLine(options: { imap: ImapConfig; login: Login; tuning: Tuning }): ImapLine {
  const { imap, login, tuning } = options;
  const state: { open: OpenLine | null; line: Promise<unknown>; timer: NodeJS.Timeout | undefined } = {
    open: null,
    line: Promise.resolve(),
    timer: undefined,
  };

  const open = async (): Promise<OpenLine> => {
    if (state.open && !state.open.session.closed.aborted) return state.open;
    const session = await logInAt({ imap, login, maxMessageBytes: 64 * 1024 * 1024, tuning });
    const known: { folders: readonly ListResponse[] | null } = { folders: null };
    state.open = {
      session,
      async folders() {
        known.folders ??= await session.call('LIST', (client) => client.list());
        return known.folders;
      },
    };
    return state.open;
  };
  const hangUp = async () => {
    clearTimeout(state.timer);
    const { open: opened } = state;
    state.open = null;
    await opened?.session.end();
  };
  return {
    use(work) {
      const turn = state.line.then(async () => {
        clearTimeout(state.timer);
        try {
          return await work(await open());
        } catch (error) {
          await hangUp();
          throw error;
        } finally {
          state.timer = setTimeout(() => void hangUp(), IDLE_MS).unref();
        }
      });
      state.line = turn.catch(() => {});
      return turn;
    },
    async close() {
      clearTimeout(state.timer);
      await state.line;
      await hangUp();
    },
  };
}

/** Selects a folder and hears what others have done in it since. Its UIDVALIDITY. */
export async function select(session: ImapSession, path: string): Promise<string> {
  const { mailbox } = session.client;
  // The server tells of what other clients did with a command's answer.
  if (mailbox && mailbox.path === path) await noop(session);
  else required(await session.call('SELECT', (client) => client.mailboxOpen(path)), 'SELECT');
  const selected = session.client.mailbox;
  return selected ? String(selected.uidValidity) : '0';
}
