import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';

/** Types of a program that we do not install: they stay with its major, and are not the newest of themselves. */
const FOLLOWS: ReadonlySet<string> = new Set(['@types/node']);
const PINS = ['package.json', 'package-lock.json'] as const;

const outdatedSchema = z.record(z.string(), z.object({ current: z.string(), latest: z.string() }));

export interface Newer {
  readonly name: string;
  readonly current: string;
  readonly latest: string;
}

/**
 * Pure. What `npm outdated --json` lists, as groups that have to move together: a package and its scope are released as one
 * (`vitest` and `@vitest/coverage-v8`), types of others each by themselves.
 * @param within the newest version of a package with the major of this one; null: the registry has none
 */
export function newerGroups(
  json: string,
  within: (name: string, current: string) => string | null,
): readonly (readonly Newer[])[] {
  const groups = new Map<string, Newer[]>();
  for (const [name, { current, latest: newest }] of Object.entries(outdatedSchema.parse(JSON.parse(json || '{}')))) {
    const latest = FOLLOWS.has(name) ? within(name, current) : newest;
    if (latest === null || latest === current) continue;
    const [scope = name] = name.startsWith('@types/') ? [name] : name.replace(/^@/, '').split('/');
    groups.set(scope, [...(groups.get(scope) ?? []), { name, current, latest }]);
  }
  return [...groups.values()];
}

/**
 * Keeps each group with which the tests still pass: first all of them together, and only if that fails one after the other.
 * @param passes whether the tests pass with these groups installed
 */
export async function whatPasses<Group>(
  groups: readonly Group[],
  passes: (groups: readonly Group[]) => boolean | Promise<boolean>,
): Promise<readonly Group[]> {
  if (groups.length === 0 || (await passes(groups))) return groups;
  if (groups.length === 1) return [];
  let kept: readonly Group[] = [];
  for (const group of groups) if (await passes([...kept, group])) kept = [...kept, group];
  return kept;
}

const versionsSchema = z.union([z.string(), z.array(z.string())]).transform((found) => [found].flat());

/** The highest of what `npm view --json` says of a range, which has one version as a text and is in the order of its making. */
export const highest = (json: string): string | null =>
  versionsSchema
    .parse(JSON.parse(json || '[]'))
    .filter((version) => /^\d+\.\d+\.\d+$/.test(version))
    .toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }))
    .at(-1) ?? null;

function run(cwd: string, [command = '', ...args]: readonly string[], quiet = false): boolean {
  return spawnSync(command, args, { cwd, stdio: ['ignore', quiet ? 'ignore' : 'inherit', 'inherit'] }).status === 0;
}

async function main(root: string): Promise<number> {
  const { values, positionals } = parseArgs({ options: { write: { type: 'boolean' } }, allowPositionals: true });
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const npm = (...args: readonly string[]) => spawnSync('npm', args, { cwd: root, encoding: 'utf8' }).stdout;
  const groups = newerGroups(npm('outdated', '--json'), (name, current) =>
    highest(npm('view', `${name}@${current.split('.', 1)[0]}`, 'version', '--json')),
  );
  if (groups.length === 0) {
    say('Every pin is the newest there is.');
    return 0;
  }
  const copy = mkdtempSync(join(tmpdir(), 'epistle-newer-'));
  const copyPins = (from: string, to: string) => {
    for (const pin of PINS) cpSync(join(from, pin), join(to, pin));
  };
  const text = (group: readonly Newer[]) =>
    group.map(({ name, current, latest }) => `${name} ${current} -> ${latest}`).join(', ');
  const install = (some: typeof groups): boolean => {
    copyPins(root, copy);
    const specs = some.flat().map(({ name, latest }) => `${name}@${latest}`);
    // A version whose parts cannot all be had is installed, and only a clean install says so.
    return run(copy, ['npm', 'install', '--save-exact', ...specs], true) && run(copy, ['npm', 'ci'], true);
  };
  try {
    if (!run(root, ['git', 'clone', '--quiet', root, copy])) return 1;
    const installable = groups.filter((group) => {
      const fits = install([group]);
      if (!fits) say(`Cannot be installed: ${text(group)}`);
      return fits;
    });
    const kept = await whatPasses(
      installable,
      (some) => install(some) && run(copy, ['./scripts/test', ...positionals]),
    );
    for (const group of installable)
      say(`${kept.includes(group) ? 'Can be kept' : 'Tests fail with it'}: ${text(group)}`);
    if (values.write && kept.length > 0 && install(kept)) copyPins(copy, root);
    return kept.length === groups.length ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

if (import.meta.main) process.exitCode = await main(join(import.meta.dirname, '../..'));
