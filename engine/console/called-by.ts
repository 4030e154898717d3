import { isIP } from 'node:net';
import type { SystemConfig } from '../config/types.ts';

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.');

/**
 * Whether a request may have the header Host that it has. A page of the web can have a name of its own lead to this
 * machine and then ask from the browser of whoever sits at it: a console for this machine alone answers to its own names
 * and to addresses, which no page can take. Pure. `named`: undefined where a program says nothing of it.
 */
export function isCalledRightly(
  { host, public_url: publicUrl }: Pick<SystemConfig['console'], 'host' | 'public_url'>,
  named: string | undefined,
): boolean {
  if (named === undefined || !isLoopback(host)) return true;
  const name = URL.parse(`http://${named}`)?.hostname.replace(/^\[|\]$/g, '') ?? '';
  const ours = ['localhost', host, publicUrl === null ? null : new URL(publicUrl).hostname];
  return isIP(name) !== 0 || ours.includes(name);
}
