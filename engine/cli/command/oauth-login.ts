import { createInterface } from 'node:readline';
import { EngineError } from '#contract';
import { iso } from '../../lib/clock.ts';
import type { OAuthClient } from '../../mailbox/oauth/client.ts';
import { begunInWords } from '../../mailbox/oauth/grant/in-words.ts';
import type { HowToLogIn, LoggedIn } from '../../mailbox/oauth/grant/log-in.ts';
import type { PendingLogin } from '../../mailbox/oauth/grant/pending.ts';
import type { Tokens } from '../../mailbox/oauth/tokens/tokens.ts';
import type { CommandContext } from './context.ts';
import { millisecondsOf } from './wait-option.ts';

const WAIT_S = 900;

/** What every command takes by which a person logs in. */
export const LOGIN_OPTIONS = {
  url: { flags: '--url <address>', about: 'the address that the browser ended on, where it could not come back' },
  wait: { flags: '--wait <seconds>', about: `for the person (default: ${WAIT_S}, with --non-interactive 0)` },
  nonInteractive: {
    flags: '--non-interactive',
    about: 'begin the login, say what is to be done, and end; run again, look whether it was done',
  },
} as const;

interface Given {
  readonly url?: string | undefined;
  readonly wait?: string | undefined;
  readonly nonInteractive?: boolean | undefined;
}

/** `pending`: what the person has yet to do; null: nothing, and the tokens are there. */
export type BegunLogin =
  | { readonly tokens: Tokens; readonly pending: null }
  | { readonly tokens: null; readonly pending: PendingLogin };

/** A login that was begun, or went on. Throws `unauthorised` where a person has to do something else, and `network`. */
export async function logInHere(
  { note, stdin, json }: Pick<CommandContext, 'note' | 'stdin' | 'json'>,
  options: Given,
  client: OAuthClient,
  logIn: (how: Omit<HowToLogIn, 'flow'>) => Promise<LoggedIn>,
): Promise<BegunLogin> {
  const isAsking = options.nonInteractive !== true;
  const isTerminal = isAsking && !json && stdin.isTTY === true;
  const pasted = isTerminal ? createInterface({ input: stdin }) : null;
  try {
    const done = await logIn({
      returned: options.url ?? null,
      pasted,
      waitMs: millisecondsOf('--wait', options.wait, isAsking ? WAIT_S : 0),
      onBegun(pending) {
        if (!isAsking) return;
        for (const line of begunInWords(pending, client, { pastes: isTerminal })) note(line);
      },
    });
    if (done.state === 'failed') {
      const { cause, cure } = done.judged.fault;
      throw new EngineError(done.judged.until === 'person' ? 'unauthorised' : 'network', `${cause}; ${cure}`);
    }
    return done.state === 'pending' ? { tokens: null, pending: done.pending } : { tokens: done.tokens, pending: null };
  } finally {
    pasted?.close();
  }
}

/** What a document says of it. */
export const loginShape = ({ tokens, pending }: BegunLogin) => ({
  state: pending ? 'pending' : 'logged_in',
  ...(tokens ? { ends_at: tokens.refresh_ends_at === null ? null : iso(tokens.refresh_ends_at) } : {}),
});

/** What people are told of a login that nobody has finished; null: somebody has. */
export const unfinishedInWords = ({ pending }: BegunLogin, client: OAuthClient): string | null =>
  pending ? [...begunInWords(pending, client), 'Nobody has logged in yet.'].join('\n') : null;
