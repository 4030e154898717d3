import type { Log } from '#contract';
import type { Location, MailResult } from '../intake/incoming.ts';
import type { Clock } from '../lib/clock.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';

import { laterBy, nextLook } from './rechecks.ts';

/** Unfinished attempts after which a mail is tried alone. */
export const SUSPECT = 2;
/** Unfinished attempts after which the mail counts as the cause. */
const MOST_BEGUN = 5;
/** Left for later so often because it could not be taken in: a week, at one try an hour. */
const MOST_DEFERRALS = 180;
const UNLESS_TOLD_MS = 3_600_000;

export type Tried =
  | { readonly kind: 'settled'; readonly results: readonly MailResult[] }
  /** On record as left for later. */
  | { readonly kind: 'later' }
  /** It is not to be tried again, for this reason. */
  | { readonly kind: 'hopeless'; readonly reason: string };

export interface Tries {
  take(place: Location, receive: () => Promise<readonly MailResult[]>): Promise<Tried>;
  /** The gateway stops: what is in hand could not come to its end. */
  forgive(): Promise<void>;
}

/**
 * Keeps on record how often each mail of a mailbox was taken up, before it is: one that ends the process would
 * otherwise be fetched again after each start, for ever, and nothing behind it would be read.
 */
export function createTries(deps: { gateway: GatewayStore; clock: Clock; log: Log }): Tries {
  const { gateway, clock, log } = deps;
  const inHand = new Set<Location>();

  const afterFault = async (
    place: Location,
    { begun, deferrals }: { begun: number; deferrals: number },
    error: unknown,
  ): Promise<Tried> => {
    // At first it is the disk, which concerns every mail: then nothing else is begun either.
    if (begun < MOST_BEGUN && deferrals === 0) throw error;
    const reason = `it could not be taken in: ${String(error)}`;
    log.error({ ...place, error: String(error) }, 'a mail could not be taken in, others go first');
    if (deferrals >= MOST_DEFERRALS) return { kind: 'hopeless', reason };
    await gateway.putOff(place, { nextAt: clock.now() + laterBy(deferrals), deferrals: deferrals + 1 });
    return { kind: 'later' };
  };

  return {
    async take(place, receive) {
      const known = await gateway.beginTry(place, clock.now() + UNLESS_TOLD_MS);
      if (known.begun > MOST_BEGUN) {
        return { kind: 'hopeless', reason: `the gateway ended ${MOST_BEGUN} times while it was taken in` };
      }
      inHand.add(place);
      try {
        const results = await receive();
        const later = nextLook(results, { deferrals: known.deferrals, now: clock.now() });
        if (!later) return { kind: 'settled', results };
        await gateway.putOff(place, later);
        return { kind: 'later' };
      } catch (error) {
        return await afterFault(place, known, error);
      } finally {
        inHand.delete(place);
      }
    },
    async forgive() {
      await Promise.all([...inHand].map((place) => gateway.forgiveTry(place)));
    },
  };
}
