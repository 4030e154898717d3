import { BlockList, isIP } from 'node:net';
import { isPrivateIp } from '../../lib/ip-address.ts';

/** What a provider of access has in place of public addresses (RFC 6598), and private networks between machines use. */
const SHARED = new BlockList();
SHARED.addSubnet('100.64.0.0', 10);

/** Names that no public DNS has: RFC 6761, 6762, 8375, and what networks at home and of containers use. */
const NEARBY_NAMES = ['localhost', 'local', 'internal', 'lan', 'home.arpa'] as const;

/** Whether an address of a model server lies on this machine or in a private network, where nobody bills by tokens. */
export function isLocalAddress(url: unknown): boolean {
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const version = isIP(host);
  if (version !== 0) return isPrivateIp(host) || (version === 4 && SHARED.check(host));
  return (
    (host !== '' && !host.includes('.')) || NEARBY_NAMES.some((name) => host === name || host.endsWith(`.${name}`))
  );
}
