import type { FetchQueryObject, ImapFlow } from 'imapflow';
import { EngineError } from '#contract';
import type { ImapConfig } from '../../../config/types.ts';
import { withDeadline } from '../../../lib/deadline.ts';
import type { Tuning } from '../tuning.ts';
import { imapOptions } from './options.ts';

/**
 * One IMAP connection, used once. Every command has a deadline that destroys the connection, and imapflow's
 * falsy answers (which it gives for dead connections too) are errors.
 */
export interface Session {
  readonly client: ImapFlow;
  /** Runs one command. `bytes` is what it moves at most, for a fair deadline. */
  call<Result>(what: string, work: (client: ImapFlow) => Promise<Result>, bytes?: number): Promise<Result>;
  /** Aborts when the connection is gone, with the reason. */
  readonly closed: AbortSignal;
  /** LOGOUT, briefly, then the socket. Never throws. */
  end(): Promise<void>;
}

const LOGOUT_MS = 1000;

/** Connects and logs in. Throws imapflow's error (see `classifyFailure`); nothing stays open then. */
export async function openSession(options: {
  imap: ImapConfig;
  secret: string | undefined;
  maxMessageBytes: number;
  tuning: Tuning;
  /** Cuts any command. */
  signal?: AbortSignal;
  /** Cuts the connect alone: nothing is lost by that. */
  connecting?: AbortSignal;
}): Promise<Session> {
  const { tuning } = options;
  // Loaded by whoever has a mailbox: it is a tenth of what a gateway loads to start.
  const { ImapFlow } = await import('imapflow');
  const client = new ImapFlow(await imapOptions(options));
  const closed = new AbortController();
  const reason: { error: unknown } = { error: undefined };
  // Before connect(): an 'error' event that nobody hears ends the process.
  client.on('error', (error) => {
    reason.error ??= error;
    client.close();
  });
  client.on('close', () => closed.abort(reason.error ?? lost(client.byeReason)));

  const never = new AbortController().signal;
  const cut = options.signal ?? never;
  // Also between two commands, while a mail is being committed.
  const hangUp = () => client.close();
  cut.addEventListener('abort', hangUp, { once: true });
  closed.signal.addEventListener('abort', () => cut.removeEventListener('abort', hangUp), { once: true });
  const limited = async <Result>(
    what: string,
    work: () => Promise<Result>,
    ms: number,
    parent = cut,
  ): Promise<Result> => {
    try {
      return await withDeadline(work, { ms, code: 'timeout', what: `IMAP ${what}`, parent });
    } catch (error) {
      // After a time-out the answer may still come and would be taken for the next command's.
      if (error instanceof EngineError) client.close();
      throw closed.signal.aborted && !(error instanceof EngineError) ? (reason.error ?? error) : error;
    }
  };

  try {
    const either = AbortSignal.any([cut, options.connecting ?? never]);
    await limited('connect', () => client.connect(), tuning.connectMs, either);
  } catch (error) {
    // After a wrong password the socket stays open, and the server counts it, unless it is closed here.
    client.close();
    throw error;
  }
  return {
    client,
    closed: closed.signal,
    call: (what, work, bytes = 0) =>
      limited(what, () => work(client), tuning.commandMs + Math.ceil(bytes / 1_048_576) * tuning.commandMsPerMib),
    async end() {
      try {
        if (client.usable)
          await withDeadline(() => client.logout(), { ms: LOGOUT_MS, code: 'timeout', what: 'LOGOUT' });
      } catch {
        // Politeness failed; the socket is closed below either way.
      } finally {
        client.close();
      }
    },
  };
}

const lost = (bye: string | undefined) =>
  new EngineError('network', bye ? `the server ended the connection: ${bye}` : 'the connection was lost', {
    retry: { afterMs: 0 },
  });

/** For imapflow's `false` and `undefined`, which say "nothing" and mean "failed". */
export function required<Value>(value: Value | false | undefined, what: string): Value {
  if (value === false || value === undefined) {
    throw new EngineError('network', `IMAP ${what} failed`, { retry: { afterMs: 0 } });
  }
  return value;
}

/** UIDs in ascending order that a search found. */
export async function searchUids(session: Session, query: Parameters<ImapFlow['search']>[0]): Promise<number[]> {
  const found = await session.call('SEARCH', (client) => client.search(query, { uid: true }));
  return required(found, 'SEARCH').toSorted((a, b) => a - b);
}

/** FETCH by UID. imapflow answers with nothing when no folder is selected, so that is checked. */
export async function fetchByUid(session: Session, range: string, query: FetchQueryObject, bytes = 0) {
  if (!session.client.mailbox)
    throw new EngineError('network', 'IMAP: no folder is selected', { retry: { afterMs: 0 } });
  return session.call('FETCH', (client) => client.fetchAll(range, { ...query, uid: true }, { uid: true }), bytes);
}

/** NOOP that fails aloud; imapflow's own swallows the error. */
export async function noop(session: Session): Promise<void> {
  await session.call('NOOP', (client) => client.noop());
  session.closed.throwIfAborted();
  if (!session.client.usable) throw new EngineError('network', 'IMAP NOOP failed', { retry: { afterMs: 0 } });
}
