import type { PersonaEntry } from '../config/types.ts';
import type { MailResult } from '../intake/incoming.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';

/** How often deferred mail is asked for that may be looked at again. */
export const RECHECK_MS = 15_000;

const FIRST_MS = 60_000;
const MAX_MS = 3_600_000;
/** Mails of each kind that are checked at a time. */
const MOST = 50;
/** Codes of mail that waits for the world outside: only time can tell. */
const BY_TIME: ReadonlySet<string | null> = new Set(['auth_failed', 'dns']);

/** When mail that waits for the world outside is looked at again: after a minute, then twice as long each time. Pure. */
export const laterBy = (deferrals: number): number => Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(deferrals, 30));

/**
 * When the mail is looked at again and how often it has been left by then; null when it is settled. What waits for
 * something here, a persona in error, is looked at as soon as that is over (`dueUids`); its time is only a last
 * resort. Pure.
 */
export function nextLook(
  results: readonly MailResult[],
  { deferrals, now }: { deferrals: number; now: number },
): { nextAt: number; deferrals: number } | null {
  const deferred = results.filter(({ decision }) => decision === 'deferred');
  if (deferred.length === 0) return null;
  return deferred.some(({ code }) => BY_TIME.has(code))
    ? { nextAt: now + laterBy(deferrals), deferrals: deferrals + 1 }
    : { nextAt: now + MAX_MS, deferrals };
}

/**
 * The deferred mail of a folder that is worth fetching now: what waited for a persona that is no longer in error, and
 * what is due by time, in turns. One kind must not keep the other waiting, however much there is of it.
 */
export async function dueUids(
  deps: { gateway: GatewayStore; findByAddress(address: string): PersonaEntry | undefined },
  folder: { mailbox: string; uidvalidity: string },
  now: number,
): Promise<readonly number[]> {
  const ready: number[] = [];
  for (const { persona, recipient } of await deps.gateway.waitedFor(folder)) {
    if (recipient !== null && deps.findByAddress(recipient)?.state === 'error') continue;
    ready.push(...(await deps.gateway.uidsWaitingFor(folder, persona, MOST)));
  }
  const byTime = await deps.gateway.dueUids(folder, now, MOST);
  const inTurns = Array.from({ length: Math.max(ready.length, byTime.length) }, (_unused, at) => [
    ready[at],
    byTime[at],
  ]);
  return [...new Set(inTurns.flat())].filter((uid) => uid !== undefined);
}
