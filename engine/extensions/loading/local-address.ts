import { BlockList, isIP } from 'node:net';

const NEARBY = new BlockList();
// RFC 1122, 1918, 3927, 6598; RFC 4193 and 4291.
NEARBY.addSubnet('127.0.0.0', 8);
NEARBY.addSubnet('10.0.0.0', 8);
NEARBY.addSubnet('172.16.0.0', 12);
NEARBY.addSubnet('192.168.0.0', 16);
NEARBY.addSubnet('169.254.0.0', 16);
NEARBY.addSubnet('100.64.0.0', 10);
NEARBY.addAddress('::1', 'ipv6');
NEARBY.addSubnet('fc00::', 7, 'ipv6');
NEARBY.addSubnet('fe80::', 10, 'ipv6');

/** Names that no public DNS has: RFC 6761, 6762, 8375, and what networks at home and of containers use. */
const NEARBY_NAMES = ['localhost', 'local', 'internal', 'lan', 'home.arpa'] as const;

/** Whether an address of a model server lies on this machine or in a private network, where nobody bills by tokens. */
export function isLocalAddress(url: unknown): boolean {
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const version = isIP(host);
  if (version !== 0) return NEARBY.check(host, version === 4 ? 'ipv4' : 'ipv6');
  return (
    (host !== '' && !host.includes('.')) || NEARBY_NAMES.some((name) => host === name || host.endsWith(`.${name}`))
  );
}
