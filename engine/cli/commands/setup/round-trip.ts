import { EngineError } from '#contract';
import type { Configs } from '../../../config/types.ts';
import { systemClock } from '../../../lib/clock.ts';
import { randomIds } from '../../../lib/ids.ts';
import { trustedServers } from '../../../mail/identity/login-line.ts';
import { findingsOf } from '../../trial/in-words.ts';
import type { LearnedServer } from '../../trial/learn.ts';
import type { Travelled } from '../../trial/trial.ts';
import { isOnItsWay } from '../set-up/persona.ts';
import type { MailboxConnection } from './answers.ts';
import { borderOf, checkAddress, checkRoundTrip, type LoginOf } from './check.ts';

export interface Taught {
  readonly trial: Travelled;
  readonly border: LearnedServer;
}

/** A mail from the mailbox to itself, and what it taught. Throws `network` with the cause and the cure. */
export async function roundTrip(
  connection: MailboxConnection,
  loginOf: LoginOf,
  { security }: Pick<Configs, 'security'>,
  say: (line: string) => void,
): Promise<Taught> {
  say('A mail from the mailbox to itself is on its way.');
  const ids = randomIds(systemClock().now);
  const trial = await checkRoundTrip(connection, {
    loginOf,
    newId: () => ids.next(),
    trusted: trustedServers(security.gateway_auth.trusted_received).hops,
  });
  if (!trial.ok) throw new EngineError('network', `${trial.fault.cause}; ${trial.fault.cure}`);
  const forged = trial.tested?.forged === 'ignored' ? ', and a forged verdict in it was ignored' : '';
  say(`It arrived after ${(trial.tookMs / 1000).toFixed(1)} s${forged}.`);
  for (const { cause, cure, isFailure } of findingsOf(trial)) {
    say(`${capital(cause)}.${isFailure ? ' So no border is set.' : ''}\n${capital(cure)}.`);
  }
  return { trial, border: borderOf(trial) };
}

/** A mail to an address of its own that a persona is to get. Throws `network` where it does not come. */
export async function addressTrip(
  connection: MailboxConnection,
  address: string,
  loginOf: LoginOf,
  say: (line: string) => void,
): Promise<void> {
  say(isOnItsWay(address));
  const ids = randomIds(systemClock().now);
  const fault = await checkAddress(connection, address, { loginOf, trusted: [], newId: () => ids.next() });
  if (fault)
    throw new EngineError(
      'network',
      `${fault.cause}; nothing was written: ${address} could get no mail. Give another --address`,
    );
}

const capital = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1);
