import { BlockList, isIPv6 } from 'node:net';

/** An IPv4 peer of a dual-stack socket under its own address. */
export const plainIp = (address: string): string => address.replace(/^::ffff:/i, '').toLowerCase();

/**
 * Whom an address is counted as: itself, or the /64 that it lies in. That is what one customer is given with IPv6, so
 * that counted one by one he has 2^64 of them.
 */
export function countedAs(address: string): string {
  const ip = plainIp(address).replace(/%.*$/, '');
  if (!isIPv6(ip)) return ip;
  const [head = '', tail = ''] = ip.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  const network = [...before, ...zeros, ...after].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}

/** This host and the networks that anybody may use inside: RFC 1122, 1918, 3927, 4193 and 4291. */
const PRIVATE = new BlockList();
for (const [net, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const)
  PRIVATE.addSubnet(net, prefix, 'ipv4');
for (const [net, prefix] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  PRIVATE.addSubnet(net, prefix, 'ipv6');

/** Whether an address is one of this host or of a private network. */
export const isPrivateIp = (ip: string): boolean => PRIVATE.check(ip, isIPv6(ip) ? 'ipv6' : 'ipv4');
