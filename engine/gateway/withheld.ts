import type { Log } from '#contract';
import type { Intake, Location } from '../intake/incoming.ts';
import type { Clock } from '../lib/clock.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';
import type { Withheld } from './imap/types.ts';

const FIRST_MS = 10_000;
const MAX_MS = 3_600_000;
/** Asked for so often, over more than eight hours, before its owners are told. */
const MOST_ASKED = 16;
/** Not there at so many looks, over three quarters of an hour: it is gone. */
const MOST_ABSENT = 8;
/** Should the process die in between: when it is asked for again. */
const UNLESS_TOLD_MS = 3_600_000;

/** When a server is asked again for a mail that it could not hand over: first soon, then twice as long each time. Pure. */
const askAgainMs = (asked: number): number => Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(asked, 30));

interface Deps {
  readonly gateway: Pick<GatewayStore, 'beginTry' | 'putOff' | 'forgetDeferred' | 'isPlaceSettled'>;
  readonly intake: Pick<Intake, 'leaveThere' | 'setAside'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A server could not say what this mail is: it keeps its place and is asked for again, or is given up and its owners told. */
export async function leaveWithheld(deps: Deps, place: Location, { why, head }: Withheld): Promise<void> {
  const { gateway, intake, clock, log } = deps;
  // Offered again after a crash, or given up a moment ago.
  if (await gateway.isPlaceSettled(place)) return;
  const { deferrals } = await gateway.beginTry(place, clock.now() + UNLESS_TOLD_MS);
  if (deferrals >= MOST_ASKED) {
    log.error({ ...place, why }, 'a mail is given up: its server does not hand it over');
    return intake.setAside(place, { code: 'not_handed_over', reason: why, raw: null, head });
  }
  log.warn({ ...place, why }, 'a mail is asked for again: its server could not hand it over');
  await intake.leaveThere(place, { decision: 'deferred', code: 'not_handed_over', reason: why, head });
  await gateway.putOff(place, { nextAt: clock.now() + askAgainMs(deferrals), deferrals: deferrals + 1 });
}

/** Mail that was left for later and is not there: a server that is being mended shows an empty folder for a while. */
export async function leaveAbsent({ gateway, clock }: Deps, place: Location): Promise<void> {
  const { deferrals } = await gateway.beginTry(place, clock.now() + UNLESS_TOLD_MS);
  if (deferrals >= MOST_ABSENT) return gateway.forgetDeferred(place);
  await gateway.putOff(place, { nextAt: clock.now() + askAgainMs(deferrals), deferrals: deferrals + 1 });
}

const HELD = 'the mailbox has other numbers for its mail now, and nobody has seen this one';
/** Nobody looks at it before somebody has said what is to become of it. */
const FOR_EVER = Number.MAX_SAFE_INTEGER;

/** Waits for its owners to say whether it is to be worked. */
export async function holdBack({ gateway, intake }: Deps, place: Location, head: Uint8Array | null): Promise<void> {
  if (await gateway.isPlaceSettled(place)) return;
  await intake.leaveThere(place, { decision: 'deferred', code: 'resync_held', reason: HELD, head });
  await gateway.putOff(place, { nextAt: FOR_EVER, deferrals: 0 });
}
