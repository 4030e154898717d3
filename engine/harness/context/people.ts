import { standingOf } from '../../mail/access.ts';
import { addressKey } from '../../mail/mime/address.ts';
import { writtenIn } from '../../mail/pieces/pieces-of.ts';
import { addressBook } from '../../policy/own-words/address-book.ts';
import { hasReaders } from '../../policy/viewer.ts';
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
  return { ...(readers.length === 0 ? {} : { readers }), ...(named.length === 0 ? {} : { named }) };
}
