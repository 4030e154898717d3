import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const BUBBLEWRAP = '/usr/bin/bwrap';
const PROBE = ['--unshare-user', '--unshare-all', '--disable-userns', '--ro-bind', '/', '/', '/bin/true'];

/** That it once worked; asked again until then, so that installing the package is enough. */
const known = { works: false };

/** Why no sandbox can be made here; null when one can. */
export function whyUnavailable(): string | null {
  if (known.works) return null;
  if (process.platform !== 'linux') return 'the sandbox needs Linux';
  if (!existsSync(BUBBLEWRAP)) return `there is no ${BUBBLEWRAP}: install the package bubblewrap`;
  const probe = spawnSync(BUBBLEWRAP, PROBE, { env: {}, timeout: 3000, encoding: 'utf8' });
  known.works = probe.status === 0;
  return known.works ? null : `no sandbox can be made here (user namespaces): ${probe.stderr.trim().slice(0, 200)}`;
}
