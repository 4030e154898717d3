import { EngineError } from '#contract';
import { systemClock } from '../../../lib/clock.ts';
import { randomIds } from '../../../lib/ids.ts';
import type { Border } from '../../../mailbox/trial/learn.ts';
import { openInWords, type Trial } from '../../../mailbox/trial/trial.ts';
import type { Connection } from './answers.ts';
import { borderOf, checkRoundTrip, type LoginOf } from './check.ts';

/** A mail from the mailbox to itself, and what it taught. Throws `network` with the cause and the cure. */
export async function roundTrip(
  connection: Connection,
  loginOf: LoginOf,
  say: (line: string) => void,
): Promise<{ readonly trial: Extract<Trial, { ok: true }>; readonly border: Border }> {
  say('A mail from the mailbox to itself is on its way.');
  const ids = randomIds(systemClock().now);
  const trial = await checkRoundTrip(connection, loginOf, () => ids.next());
  if (!trial.ok) throw new EngineError('network', `${trial.fault.cause}; ${trial.fault.cure}`);
  const forged = trial.forged === 'ignored' ? ', and a forged verdict in it was ignored' : '';
  say(`It arrived after ${(trial.tookMs / 1000).toFixed(1)} s${forged}.`);
  if (trial.open.length > 0)
    say(`${openInWords(trial)}; so neither is written, and signatures (DKIM) are checked here.`);
  return { trial, border: borderOf(trial) };
}
