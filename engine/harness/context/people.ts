import { localTime } from '../../lib/schedule/zone.ts';
import { DAY_MS } from '../../lib/time.ts';
import { standingOf } from '../../mail/access.ts';
import { addressKey } from '../../mail/mime/address.ts';
import { writtenIn } from '../../mail/pieces/pieces-of.ts';
import { addressBook, type Named } from '../../policy/own-words/address-book.ts';
import { beginsItsSubject } from '../../policy/values/shown.ts';
import { type Asker, askerOf, hasReaders, viewerOf } from '../../policy/viewer.ts';
import type { SeenThread } from '../../storage/types/thread-overview.ts';
import { waitsFor } from '../../tools/capabilities/threads.ts';
import type { GatherRun } from './parts.ts';

const MOST_NAMED = 8;

/** For the resolvers of one run. */
export async function whoIsWho({ loaded, store, persona, configs, isOwnAddress }: GatherRun) {
  const { message, run } = loaded;
  const isOwners = run.tier === 'owner' && !hasReaders(run);
  const names = isOwners ? await store.namesOfPeople(run.thread_id) : { byOwners: [], bySelf: [] };
  const called = new Map(names.byOwners.map(({ name, address }) => [addressKey(address), name]));
  const roleOf = (address: string): string => {
    if (isOwnAddress(address)) return 'you';
    const standing = standingOf(addressKey(address) ?? address, persona, configs.security.gateway_access);
    return standing === 'owner' || (standing === 'member' && isOwners) ? standing : '';
  };
  const all = [...new Set([...message.to, ...message.cc])];
  const readers = all
    .map((address) => ({ address, name: called.get(addressKey(address)) ?? '', role: roleOf(address) }))
    .filter(({ name, role }) => name !== '' || role !== '');
  const there = new Set([message.from_address ?? '', ...all].map(addressKey));
  const isAnyKnown = names.byOwners.length > 0 || names.bySelf.length > 0;
  const named = isAnyKnown
    ? addressBook(names.byOwners, names.bySelf)
        .namedIn(writtenIn(message), MOST_NAMED)
        .filter(({ address }) => !there.has(addressKey(address)))
    : [];
  const gone = new Set(named.map(({ address }) => addressKey(address)));
  const members = membersIn(writtenIn(message), names, (address) => roleOf(address) === 'member').filter(
    ({ address }) => !there.has(addressKey(address)) && !gone.has(addressKey(address)),
  );
  return {
    ...(readers.length === 0 ? {} : { readers }),
    ...(named.length === 0 ? {} : { named }),
    ...(members.length === 0 ? {} : { members }),
  };
}

type Names = Readonly<Record<'byOwners' | 'bySelf', readonly Named[]>>;

/** Members by the name that they gave themselves, in the words of the mail: of what else they call themselves nothing is shown. */
function membersIn(text: string, { byOwners, bySelf }: Names, isMember: (address: string) => boolean) {
  const [members, others] = [
    bySelf.filter(({ address }) => isMember(address)),
    bySelf.filter(({ address }) => !isMember(address)),
  ];
  if (members.length === 0) return [];
  const book = addressBook([...byOwners, ...members], others);
  return book
    .namedIn(text, MOST_NAMED)
    .flatMap(({ address }) => (isMember(address) ? [{ name: book.nameIn(text, address) ?? '', address }] : []));
}

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
