import { EngineError } from '#contract';
import type { ImapConfig } from '../../../config/types.ts';
import type { Fault } from '../../../mailbox/faults/fault.ts';
import { faultOf } from '../../../mailbox/faults/fault-of.ts';
import { sideOf } from '../../../mailbox/faults/side.ts';
import type { Login } from '../../../mailbox/login/login.ts';
import type { MailboxState } from '../types.ts';
import { classifyFailure, type Failure, responseOf } from './failure.ts';
import { openSession, type Session } from './session.ts';

/** There is nothing to log in with. */
export class LoginMissing extends EngineError {
  readonly fault: Fault;
  readonly until: 'person' | 'time';
  constructor(fault: Fault, until: 'person' | 'time') {
    super('auth', `${fault.cause}; ${fault.cure}`);
    this.fault = fault;
    this.until = until;
  }
}

/** An access token may end on its way to the server; more than this often in a row it is not the time. */
const MOST_TOKENS = 4;

/**
 * Opens a session with what `login` gives. An access token that the server refuses is renewed, and tried once more. Throws
 * LoginMissing, or imapflow's error (see `classifyFailure`).
 */
export async function logInAt(
  options: Omit<Parameters<typeof openSession>[0], 'secret'> & { readonly login: Login },
): Promise<Session> {
  const { login } = options;
  for (let tried = 1; ; tried += 1) {
    const taken = await login.take();
    if (!taken.ok) throw new LoginMissing(taken.fault, taken.until);
    try {
      return await openSession({ ...options, secret: taken.secret });
    } catch (error) {
      const isRefused = options.imap.auth === 'oauth' && classifyFailure(error).kind === 'auth';
      if (!isRefused) throw error;
      const isOther = await login.refused(taken.secret);
      // What the provider said of it meanwhile says more than the server.
      const next = await login.take();
      if (!next.ok) throw new LoginMissing(next.fault, next.until);
      if (!isOther) throw error;
      if (tried >= MOST_TOKENS) throw new EngineError('network', 'each access token ended before it could be used');
    }
  }
}

/** What a broken session means for the next attempt; of a token that was refused in words, with what to do. */
export function failureOf(error: unknown, imap: ImapConfig, seen: { readonly hasWorked: boolean }): Failure {
  if (error instanceof LoginMissing) {
    const { fault, until } = error;
    const isOfPerson = until === 'person' && fault.code !== 'secret_missing';
    const message = isOfPerson ? error.message : fault.cause;
    return { kind: until === 'person' ? 'auth' : 'network', message, waitMs: 0, needsLogin: isOfPerson };
  }
  const failure = classifyFailure(error, seen);
  if (imap.auth !== 'oauth' || failure.kind !== 'auth') return failure;
  const said = { stage: 'login', ...responseOf(error) } as const;
  const { cause, cure } = faultOf({ side: sideOf('imap', imap), seen: null, said });
  return { ...failure, message: `${cause}; ${cure}` };
}

export const stateAfter = ({ kind, needsLogin = false }: Failure): MailboxState =>
  needsLogin ? 'needs_login' : kind === 'auth' ? 'auth_failed' : 'retrying';
