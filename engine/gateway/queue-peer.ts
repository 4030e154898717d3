import { isIPv6 } from 'node:net';
import type { Peer } from '../lib/workers/pool.ts';
import type { Incoming } from './receive.ts';

/** On whose account the threads work on a mail: who can send many, and who must not wait for those. */
export function queuePeerOf({ arrival, place }: Pick<Incoming, 'arrival' | 'place'>): Peer {
  if (arrival.door === 'submission') return { key: 'submission', first: true };
  if (arrival.door === 'relay') return { key: `relay ${arrival.authservId}`, first: true };
  if (arrival.door === 'imap') return { key: `mailbox ${place?.mailbox ?? ''}`, first: false };
  return { key: `address ${networkOf(arrival.ip)}`, first: false };
}

/** Who has one IPv6 address has 2^64 of them: the first four groups. */
function networkOf(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const [head = '', tail] = ip.replace(/%.*$/, '').split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length);
  const all = [...groups, ...Array.from({ length: zeros }, () => '0'), ...after];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
