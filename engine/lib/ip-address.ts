import { isIPv6 } from 'node:net';
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
