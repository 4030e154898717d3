import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importsOf } from './house/sources.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const place = mkdtempSync(join(tmpdir(), 'epistle package-'));
const checkout = join(place, 'checkout');
const installed = join(place, 'app/node_modules/epistle');

function run(command: string, args: readonly string[], cwd: string) {
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: place };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', env });
  return { status, stdout, stderr };
}

function must(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = run(command, args, cwd);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** A clone of what is here, set up, built and packed by npm alone; then unpacked where npm would install it. */
beforeAll(() => {
  for (const path of [
    'bin',
    'configs',
    'engine',
    'extensions',
    'personas',
    'scripts',
    'package.json',
    '.npmrc',
    'LICENSE',
    'tsconfig.json',
    'tsconfig.build.json',
  ]) {
    if (existsSync(join(root, path))) cpSync(join(root, path), join(checkout, path), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  must('git', ['init', '--quiet'], checkout);
  must('git', ['add', '.'], checkout);
  mkdirSync(join(checkout, 'personas/private'), { recursive: true });
  for (const path of ['personas/private/PERSONA.md', '.env', 'extensions/.env'])
    writeFileSync(join(checkout, path), 'secret');

  must(process.execPath, ['scripts/lib/build.ts'], checkout);
  must('npm', ['pack', '--silent'], checkout);
  const tarball = readdirSync(checkout).find((name) => name.endsWith('.tgz')) ?? '';
  mkdirSync(join(place, 'app/node_modules'), { recursive: true });
  must('tar', ['-xzf', join(checkout, tarball), '-C', place], place);
  cpSync(join(place, 'package'), installed, { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')).filter((name) => !name.startsWith('.'))) {
    symlinkSync(join(root, 'node_modules', name), join(place, 'app/node_modules', name));
  }
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

const files = (): string[] =>
  readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(installed, join(entry.parentPath, entry.name)));

describe('the package', () => {
  it('has a build of every source', () => {
    const sources = files().filter((path) => /^(engine|extensions)\/.*\.ts$/.test(path) && !path.endsWith('.d.ts'));
    const present = new Set(files());
    expect(sources.filter((path) => !present.has(`dist/${path.replace(/ts$/, 'js')}`))).toEqual([]);
    expect(sources).toContain('engine/contract/index.ts');
  });

  it('names only files that it has', () => {
    const present = new Set(files());
    const built = files().filter((path) => path.startsWith('dist/') && /\.(js|d\.ts)$/.test(path));
    const broken = built
      .flatMap((path) => importsOf({ path, text: readFileSync(join(installed, path), 'utf8') }))
      .filter(
        ({ specifier, to }) =>
          specifier.startsWith('.') && !present.has(to?.replace(/\.js$/, '.d.ts') ?? '') && !present.has(to ?? ''),
      );
    expect(broken.map(({ from, specifier }) => `${from}: ${specifier}`)).toEqual([]);
  });

  it('has manifests whose entry is there', () => {
    const manifests = files().filter((path) => /^dist\/extensions\/.*manifest\.json$/.test(path));
    const missing = manifests.filter((path) => {
      const manifest: { entry?: string } = JSON.parse(readFileSync(join(installed, path), 'utf8'));
      return manifest.entry !== undefined && !existsSync(join(installed, dirname(path), manifest.entry));
    });
    expect(missing).toEqual([]);
  });

  it('has no test, no secret and no persona that is not under version control', () => {
    expect(files().filter((path) => /(^|\/)(test|\.env|private|\.runtime|data)(\/|$)/.test(path))).toEqual([]);
  });

  it('lets other packages import the contract', () => {
    writeFileSync(
      join(place, 'app/use.mjs'),
      "import { EngineError } from 'epistle/contract'; import { asVendorError } from 'epistle/contract/http'; const known = new EngineError('usage', 'x'); console.log(asVendorError(known, {}) === known && known.code);",
    );
    expect(run(process.execPath, ['use.mjs'], join(place, 'app'))).toMatchObject({ status: 0, stdout: 'usage\n' });
  });

  it('gives other packages the types of the contract', () => {
    const program =
      "import { defineTool, type ErrorCode } from 'epistle/contract';\nimport type { VendorHabits } from 'epistle/contract/http';\nexport const habits: VendorHabits = {};\nexport const code: ErrorCode = 'usage';\nexport const tool: number = defineTool;\n";
    writeFileSync(join(place, 'app/use.mts'), program);
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', '', 'use.mts'];
    const { stdout } = run(process.execPath, [tsc, ...options], join(place, 'app'));
    expect(
      stdout
        .trim()
        .split('\n')
        .filter((line) => line.includes('error')),
    ).toEqual([expect.stringMatching(/^use\.mts\(5,14\): error TS2322/)]);
  });

  it.skipIf(!existsSync(join(root, 'engine/cli/main.ts')))('runs', () => {
    const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const { status, stdout } = run(process.execPath, [join(installed, 'bin/epistle.js'), 'version'], place);
    expect(status).toBe(0);
    expect(stdout).toContain(version);
  });
});
