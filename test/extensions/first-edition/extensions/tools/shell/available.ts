import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const BUBBLEWRAP = '/usr/bin/bwrap';
const PROBE = ['--unshare-user', '--unshare-all', '--disable-userns', '--ro-bind', '/', '/', '/bin/true'];

/** The kernel bounds the processes of every account but this one. */
const AS_ROOT = 'the shell does not run as root: run the gateway as a user of its own, and give it the data folder';

/** That it once worked; asked again until then, so that installing the package is enough. */
const known = { works: false };

/** Why no sandbox can be made here; null when one can. */
export function whyUnavailable(uid = process.geteuid?.()): string | null {
  if (uid === 0) return AS_ROOT;
  if (known.works) return null;
  if (process.platform !== 'linux') return 'the sandbox needs Linux';
  if (!existsSync(BUBBLEWRAP)) return `there is no ${BUBBLEWRAP}: install the package bubblewrap`;
  const probe = spawnSync(BUBBLEWRAP, PROBE, { env: {}, timeout: 3000, encoding: 'utf8' });
  known.works = probe.status === 0;
  return known.works ? null : `no sandbox can be made here (user namespaces): ${probe.stderr.trim().slice(0, 200)}`;
}
