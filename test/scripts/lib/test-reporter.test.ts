import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readTestReport } from '../../../scripts/lib/test-counts.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The report of a real run of such test files. */
function reportOn(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'epistle-reporter-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), `import { beforeAll, describe, expect, it } from 'vitest';\n${text}`);
  }
  const output = join(folder, 'report.json');
  const reporter = join(root, 'scripts/lib/test-reporter.ts');
  const args = ['run', '--root', folder, `--reporter=${reporter}`, `--outputFile=${output}`];
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], {
    cwd: folder,
  });
  const report = readTestReport(readFileSync(output, 'utf8'));
  return { status, files: report.files.toSorted((a, b) => (a.file < b.file ? -1 : 1)), uncaught: report.uncaught };
}

describe('the report of a run', () => {
  it('names each test by its suites, and the first line of what failed it, in it or around it', () => {
    const report = reportOn({
      'a.test.js': `describe('situation', () => {
        it('passes', () => {});
        it.skip('is skipped', () => {});
        it('fails', () => { throw new TypeError('first line\\nsecond line'); });
        it('waits', () => expect.poll(() => 1, { timeout: 50 }).toBe(2));
      });`,
      'b.test.js': "import './is-not-there.js';",
      'c.test.js':
        "describe('situation', () => { beforeAll(() => { throw new Error('hook'); }); it('never runs', () => {}); });",
      'd.test.js': "it('leaves it', () => { void Promise.reject(new Error('nobody caught it')); });",
    });
    expect(report.status).toBe(1);
    const [a, b, c, d] = report.files;
    expect(a).toMatchObject({
      file: 'a.test.js',
      around: [],
      tests: [
        { name: 'situation > passes', state: 'passed', error: null },
        { name: 'situation > is skipped', state: 'skipped' },
        { name: 'situation > fails', state: 'failed', error: 'TypeError: first line' },
        { name: 'situation > waits', state: 'failed', error: expect.stringContaining('expected 1 to be 2') },
      ],
    });
    expect(b).toMatchObject({ around: [expect.stringContaining('is-not-there.js')], tests: [] });
    expect(c).toMatchObject({ around: ['hook'] });
    expect(d).toMatchObject({ around: ['nobody caught it'], tests: [{ name: 'leaves it', state: 'passed' }] });
    expect(report.uncaught).toEqual([]);
  });
});
