import { countedAs } from '../lib/ip-address.ts';
import type { Peer } from '../lib/workers/pool.ts';
import type { Incoming } from './intake.ts';

/** On whose account the threads work on a mail: who can send many, and who must not wait for those. */
export function queuePeerOf({ arrival, place }: Pick<Incoming, 'arrival' | 'place'>): Peer {
  if (arrival.door === 'submission') return { key: 'submission', first: true };
  if (arrival.door === 'relay') return { key: `relay ${arrival.authservId}`, first: true };
  if (arrival.door === 'imap') return { key: `mailbox ${place?.mailbox ?? ''}`, first: false };
  return { key: `address ${countedAs(arrival.ip)}`, first: false };
}
