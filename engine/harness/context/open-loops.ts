import { localTime } from '../../lib/schedule/zone.ts';
import { DAY_MS } from '../../lib/time.ts';
import { addressKey } from '../../mail/mime/address.ts';
import { beginsItsSubject } from '../../policy/values/shown.ts';
import { type Asker, askerOf, viewerOf } from '../../policy/viewer.ts';
import type { SeenThread } from '../../storage/types/thread-overview.ts';
import { waitsFor } from '../../tools/capabilities/threads.ts';
import type { GatherRun } from './parts.ts';

const MOST = 5;
const LOOKED_AT = { threads: 40, mails: 500, days: 30 } as const;

/** For the resolvers of one run. */
export async function openWith({ loaded, store, persona, isOwnAddress }: GatherRun): Promise<readonly string[]> {
  const { message, run, thread } = loaded;
  const asker = askerOf(run);
  const people = new Set(
    [message.from_address ?? '', ...message.to, ...message.cc].flatMap((address) =>
      isOwnAddress(address) ? [] : (addressKey(address) ?? []),
    ),
  );
  if (people.size === 0) return [];
  const seen = await store.seenThreads({
    since: message.received_at - LOOKED_AT.days * DAY_MS,
    viewer: viewerOf(run),
    asker: asker ?? 'owner',
    limit: LOOKED_AT.threads,
    newest: LOOKED_AT.mails,
    waitingWith: { addresses: [...people], thread: thread.id },
  });
  return seen
    .filter((other) => isWith(other, people))
    .flatMap((other) => {
      const waits = waitsFor(other);
      if (waits === null) return [];
      const day = localTime(persona.timezone, other.last_at).slice(0, '2026-11-30'.length);
      return [`${day}, ${aboutOf(other, asker)}: waits for ${waits}`];
    })
    .slice(0, MOST);
}

const isWith = ({ people, last_to }: SeenThread, wanted: ReadonlySet<string>): boolean =>
  [...people.map(({ address }) => address), ...last_to].some((address) => wanted.has(addressKey(address) ?? ''));

/** By its subject where that is an owner's word to an owner, or the asker's own: anybody else's would be read as what is asked. */
function aboutOf({ first, people, last_to }: SeenThread, asker: Asker): string {
  const { direction, tier, from_address: from, subject } = first;
  const isTheirs = asker === null ? tier === 'owner' : from === asker.address && tier === asker.tier;
  if (direction === 'in' && isTheirs && beginsItsSubject(first)) return JSON.stringify(subject.slice(0, 120));
  return `a conversation with ${[...new Set([...people.map(({ address }) => address), ...last_to])].slice(0, 2).join(', ')}`;
}
