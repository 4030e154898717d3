import { spawnSync } from 'node:child_process';
import { z } from 'zod';
import { readJson } from '../lib/json.ts';

/** What the registry says of the package. `another`: what it has under the name is another program. */
export type Newest =
  | { readonly state: 'found'; readonly version: string }
  | { readonly state: 'another' | 'absent' | 'no_npm' }
  | { readonly state: 'unreachable'; readonly code: string };

/** npm says it on stdout, also what went wrong. */
const answerSchema = z.union([
  z.object({ error: z.object({ code: z.string().nullish(), summary: z.string().nullish() }) }),
  z.object({ version: z.string(), bin: z.record(z.string(), z.string()).optional() }),
]);

/**
 * Asks the registry that npm is set up with, by npm itself: its address, proxy, certificates and login are npm's. One
 * try, at most half a minute.
 */
export function askRegistry(name: string): Newest {
  const args = [
    'view',
    name,
    'version',
    'bin',
    '--json',
    '--prefer-online',
    '--fetch-retries=0',
    '--fetch-timeout=15000',
  ];
  const { error, stdout } = spawnSync('npm', args, { encoding: 'utf8', timeout: 30_000, killSignal: 'SIGKILL' });
  if (error && 'code' in error && error.code === 'ENOENT') return { state: 'no_npm' };
  return newestIn(stdout ?? '', name);
}

/** Pure. What npm's answer means. */
export function newestIn(answer: string, name: string): Newest {
  const read = readJson(answerSchema, answer);
  if (!read) return { state: 'unreachable', code: 'no answer' };
  if ('error' in read) {
    const code = read.error.code ?? read.error.summary ?? 'no answer';
    return code === 'E404' ? { state: 'absent' } : { state: 'unreachable', code };
  }
  // The name alone proves nothing: whoever has it in a registry may have made anything.
  return read.bin?.[name] === `bin/${name}.js` ? { state: 'found', version: read.version } : { state: 'another' };
}

/** Pure. Whether `one` is newer than `other`; a pre-release comes before its release (semver.org, 11). */
export function isNewer(one: string, other: string): boolean {
  const [a, b] = [partsOf(one), partsOf(other)];
  const at = a.numbers.findIndex((number, index) => number !== b.numbers[index]);
  if (at >= 0) return (a.numbers[at] ?? 0) > (b.numbers[at] ?? 0);
  if (a.before === '' || b.before === '') return a.before === '' && b.before !== '';
  return a.before.localeCompare(b.before, 'en', { numeric: true }) > 0;
}

function partsOf(version: string): { readonly numbers: readonly number[]; readonly before: string } {
  const [whole = ''] = version.split('+', 1);
  const [core = '', ...before] = whole.split('-');
  return { numbers: core.split('.').map(Number), before: before.join('-') };
}
