import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fingerprint } from '../../bin/fingerprint.js';
import { tooOld } from '../../bin/node-version.js';

const bin = fileURLToPath(new URL('../../bin', import.meta.url));
const place = mkdtempSync(join(tmpdir(), 'epistle bin-'));

beforeEach(() => void mkdirSync(place, { recursive: true }));
afterEach(() => rmSync(place, { recursive: true, force: true }));

function put(path: string, text: string): void {
  mkdirSync(dirname(join(place, path)), { recursive: true });
  writeFileSync(join(place, path), text);
}

/** A copy of bin/ in `folder`, started there with a home of its own. */
function start(folder: string, ...args: string[]) {
  cpSync(bin, join(place, folder, 'bin'), { recursive: true });
  const file = join(place, folder, 'bin/epistle.js');
  const env = { HOME: join(place, 'home'), PATH: '' };
  return spawnSync(process.execPath, [file, ...args], { cwd: place, encoding: 'utf8', env });
}

describe('the command in a checkout', () => {
  it('runs the TypeScript sources with the arguments and exits as they say', () => {
    put('checkout/package.json', '{"type":"module"}');
    put(
      'checkout/engine/cli/main.ts',
      'export async function main(argv: string[]): Promise<number> { console.log(argv.join("+")); return 3; }',
    );
    const { status, stdout } = start('checkout', 'send', '--to', 'ada');
    expect({ status, stdout }).toEqual({ status: 3, stdout: 'send+--to+ada\n' });
  });

  it('finds what its sources import: each other, packages, and files of an extension', () => {
    put('checkout/package.json', '{"type":"module"}');
    put('checkout/engine/lib/words.ts', 'export const words = (count: number): string => count + " words";');
    put('checkout/node_modules/old/index.js', 'module.exports = require("./part.js");');
    put('checkout/node_modules/old/part.js', 'exports.name = "old";');
    put('checkout/node_modules/old/package.json', '{"main":"index.js"}');
    put('own/package.json', '{"type":"commonjs"}');
    put('own/part.js', 'module.exports = "an extension";');
    put('own/index.mjs', 'export { default } from "./part.js";');
    put(
      'checkout/engine/cli/main.ts',
      `import old from 'old';
import { words } from '../lib/words.ts';
export async function main(): Promise<number> {
  const own = await import(new URL('../../../own/index.mjs', import.meta.url).href);
  console.log([words(2), old.name, own.default].join(', '));
  return 0;
}`,
    );
    expect(start('checkout')).toMatchObject({ status: 0, stdout: '2 words, old, an extension\n' });
  });

  it('says in one line what is missing from an incomplete copy', () => {
    put('checkout/package.json', '{"type":"module"}');
    const { status, stderr } = start('checkout');
    expect(status).toBe(2);
    expect(stderr).toMatch(/^Epistle is incomplete: .*main\.ts is missing\.\n$/);
  });

  it('ends with 5 and the stack when the engine fails by a bug', () => {
    put('checkout/package.json', '{"type":"module"}');
    put('checkout/engine/cli/main.ts', 'export async function main() { throw new Error("a bug"); }');
    const { status, stderr } = start('checkout');
    expect(status).toBe(5);
    expect(stderr).toMatch(/^epistle: Error: a bug\n\s+at /);
  });
});

describe('the command in an installed package', () => {
  const home = 'app/node_modules/epistle';

  beforeEach(() => {
    put(`${home}/package.json`, '{"type":"module"}');
    put(`${home}/engine/cli/main.ts`, 'the source, which does not run below node_modules');
    put(`${home}/dist/engine/cli/main.js`, 'export const main = async () => { console.log("built"); return 0; };');
  });

  it('finds what the build imports', () => {
    put(`${home}/dist/engine/lib/words.js`, 'export const words = "two words";');
    put(
      `${home}/dist/engine/cli/main.js`,
      'import { words } from "../lib/words.js"; export const main = async () => { console.log(words); return 0; };',
    );
    build(fingerprint(join(place, home)));
    expect(start(home)).toMatchObject({ status: 0, stdout: 'two words\n' });
  });

  const build = (print: string) => put(`${home}/dist/build.json`, JSON.stringify({ fingerprint: print }));

  it('runs the build', () => {
    build(fingerprint(join(place, home)));
    const { status, stdout } = start(home);
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'built\n' });
  });

  it('refuses a build that is older than the sources packed beside it', () => {
    build(fingerprint(join(place, home)));
    appendFileSync(join(place, home, 'engine/cli/main.ts'), '// changed after the build');
    const { status, stdout, stderr } = start(home);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^This package was packed without a build of its sources\..*\n$/);
  });

  it('refuses a package without a build', () => {
    rmSync(join(place, home, 'dist'), { recursive: true });
    expect(start(home).status).toBe(2);
  });
});

describe('the fingerprint of the sources', () => {
  beforeEach(() => put('engine/a.ts', 'a'));

  it('changes with a name as with a content', () => {
    const before = fingerprint(place);
    put('engine/a.ts', 'b');
    expect(fingerprint(place)).not.toBe(before);
    put('engine/a.ts', 'a');
    expect(fingerprint(place)).toBe(before);
    put('extensions/a.ts', 'a');
    expect(fingerprint(place)).not.toBe(before);
  });

  it('does not see what npm leaves out of a package', () => {
    const before = fingerprint(place);
    for (const name of ['.DS_Store', '.a.ts.swp', 'a.ts.orig', 'node_modules/zod/index.js']) put(`engine/${name}`, 'x');
    expect(fingerprint(place)).toBe(before);
  });
});

describe('the Node that runs it', () => {
  it('must be 24 or newer', () => {
    expect(tooOld('24.0.0')).toBeUndefined();
    expect(tooOld('100.1.0')).toBeUndefined();
    expect(tooOld('9.11.2')).toMatch(/^Epistle needs Node 24 or newer; this is Node 9\.11\.2\. /);
    expect(tooOld('23.11.1')).not.toContain('\n');
  });
});
