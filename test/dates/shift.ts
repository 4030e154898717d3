import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { instantIn, isTimeZone } from '../../engine/lib/schedule/zone.ts';

const FILE_TIMES = fileURLToPath(new URL('file-times.cjs', import.meta.url));

/** By how much the clock of a run is ahead of the machine's, in ms; not set where it is not. */
export const SHIFT = 'TESTS_SHIFTED_MS';

/**
 * What everything of a run has in its environment so that a clock in `zone` shows `at` when it begins, and runs on from
 * there: the tests, the programs that they start, threads of those, TLS and the times of files. Timers are not touched. A
 * program that is given another environment altogether has the machine's clock. Throws what is wrong with `at` or `zone`, and
 * where libfaketime is missing.
 */
export function shiftedEnvironment(
  { at, zone }: { readonly at: string; readonly zone: string },
  environment: NodeJS.ProcessEnv,
  now: number,
  library: string = libfaketime(),
): NodeJS.ProcessEnv {
  if (!isTimeZone(zone)) throw new RangeError(`--zone: there is no time zone ${zone}`);
  const shiftMs = Math.round((instantIn(zone, at, '--at') - now) / 1000) * 1000;
  const seconds = shiftMs / 1000;
  return {
    ...environment,
    TZ: zone,
    [SHIFT]: String(shiftMs),
    LD_PRELOAD: [library, environment.LD_PRELOAD].filter(Boolean).join(':'),
    FAKETIME: seconds < 0 ? String(seconds) : `+${seconds}`,
    // Timers, and how long something took, go by a clock that nobody sets.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NODE_OPTIONS: [environment.NODE_OPTIONS, `--require=${JSON.stringify(FILE_TIMES)}`].filter(Boolean).join(' '),
  };
}

/** Debian has it in a folder of the processor, others in one of two. */
function libfaketime(): string {
  const folders = ['/usr/lib', '/usr/lib64', '/usr/local/lib'].filter(existsSync);
  const below = folders.flatMap((folder) => [folder, ...readdirSync(folder).map((name) => join(folder, name))]);
  const found = below.map((folder) => join(folder, 'faketime/libfaketimeMT.so.1')).find(existsSync);
  if (found === undefined) throw new Error('tests at another date need libfaketime (apt-get install libfaketime)');
  return found;
}
