import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Hosts, startDnsServer, type Zone } from '../fakes/dns-server.ts';
import { startProcess } from './processes.ts';

/**
 * DNS for servers that ask whoever stands in /etc/resolv.conf, at port 53: a loopback address of its own, and a file that
 * these servers see in its place. Needs root.
 */
export async function startResolver(folder: string, zone: Zone, hosts: Hosts = {}) {
  const host = `127.53.${1 + (process.pid % 250)}.${1 + (Math.floor(process.pid / 250) % 250)}`;
  const dns = await startDnsServer(zone, () => false, { host, port: 53 }, hosts);
  const file = join(folder, 'resolv.conf');
  await writeFile(file, `nameserver ${host}\noptions timeout:2 attempts:2\n`);
  return {
    host,
    /** A program that asks it. */
    start: (command: string, args: readonly string[]) => startProcess('unshare', [...asking(file), command, ...args]),
    /** What stands before the words of such a program. */
    asking: ['unshare', ...asking(file)] as const,
    stop: dns.stop,
  };
}

const asking = (file: string) => ['--mount', 'sh', '-c', ASKING, 'sh', file];

const ASKING = 'file=$1; shift; mount --bind "$file" "$(readlink -f /etc/resolv.conf)" && exec "$@"';

export type Resolver = Awaited<ReturnType<typeof startResolver>>;
