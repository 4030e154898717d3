import { BlockList, isIP } from 'node:net';

/** Not the public internet: IANA special-purpose registry for IPv4 (RFC 6890 and updates), and one known service. */
const PRIVATE_V4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8], // "this network"; Linux connects 0.0.0.0 to loopback
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier NAT (RFC 6598); also cloud metadata at 100.100.100.200
  ['127.0.0.0', 8],
  ['168.63.129.16', 32], // a cloud's host agent answers on this public address, to its own machines only
  ['169.254.0.0', 16], // link-local; cloud metadata at 169.254.169.254
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.52.193.0', 24], // AMT relays (RFC 7450)
  ['192.88.99.0', 24], // 6to4 relays, deprecated (RFC 7526)
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Inside 2000::/3 and still not a plain public host: tunnels carry an IPv4 address that may be private. */
const SPECIAL_V6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23], // Teredo, ORCHID, benchmarking
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4
  ['3ffe::', 16], // the former 6bone
  ['3fff::', 20], // documentation (RFC 9637)
];

const privateV4 = new BlockList();
for (const [network, prefix] of PRIVATE_V4) privateV4.addSubnet(network, prefix, 'ipv4');
const specialV6 = new BlockList();
for (const [network, prefix] of SPECIAL_V6) specialV6.addSubnet(network, prefix, 'ipv6');
/** The only unicast range handed out to the public so far; mapped, NAT64, ULA and link-local lie outside. */
const globalV6 = new BlockList();
globalV6.addSubnet('2000::', 3, 'ipv6');

/** Whether an IP address in text form is a host on the public internet. What does not parse is not. */
export function isPublicAddress(address: string): boolean {
  // A zone (fe80::1%eth0) only exists on a local link.
  if (address.includes('%')) return false;
  switch (isIP(address)) {
    case 4:
      return !privateV4.check(address, 'ipv4');
    case 6:
      return globalV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6');
    default:
      return false;
  }
}
