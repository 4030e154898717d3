import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILLED = {
  repository: 'https://code.example.com/epistle/epistle.git',
  homepage: 'https://epistle.example.com',
  bugs: 'https://code.example.com/epistle/epistle/issues',
  author: 'The Epistle contributors',
};
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder with the manifest as it is here, and with what a person has filled. */
function manifest(fields: Partial<typeof FILLED> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'epistle-publishing-'));
  folders.push(folder);
  for (const name of ['package.json', '.npmrc']) copyFileSync(join(ROOT, name), join(folder, name));
  const empty = JSON.parse(read('publishing.json'));
  writeFileSync(join(folder, 'publishing.json'), JSON.stringify({ ...empty, ...fields }));
  const publishing = (...args: string[]) =>
    spawnSync(process.execPath, [join(ROOT, 'scripts/publishing.ts'), ...args, folder], { encoding: 'utf8' });
  const npm = (...args: string[]) =>
    spawnSync('npm', args, {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: folder },
    });
  const now = () => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { publishing, npm, now };
}

describe('a package that nobody has filled in', () => {
  it('is not published, and what is empty is named', () => {
    const { publishing, npm } = manifest();
    const { status, stderr } = publishing('--check');
    expect(status).toBe(1);
    expect(stderr.trim().split('\n')).toEqual(Object.keys(FILLED).map((name) => `${name} is empty in publishing.json`));
    // Nobody listens there, and whoever published could log in.
    const published = npm('publish', '--offline', '--registry=http://127.0.0.1:9/', '--//127.0.0.1:9/:_authToken=none');
    expect(published.status).not.toBe(0);
    expect(published.stderr).toContain('EPRIVATE');
  });

  it('stays so as long as one thing is missing', () => {
    const { publishing, now } = manifest({ ...FILLED, bugs: '' });
    expect(publishing().stdout).toBe('Not to be published yet: bugs is empty.\n');
    expect(now()).toMatchObject({ private: true, homepage: FILLED.homepage });
    expect(publishing('--check').stderr).toBe('bugs is empty in publishing.json\n');
  });
});

describe('a package that somebody has filled in', () => {
  it('has the fields in its manifest, and may be published under the tag of its version', () => {
    const { publishing, now } = manifest(FILLED);
    const before = now();
    expect(publishing('--check').stderr).toContain('package.json is not as publishing.json says');
    expect(publishing().stdout).toBe('Ready to be published.\n');
    const { private: isPrivate, repository, bugs, ...rest } = now();
    expect(isPrivate).toBeUndefined();
    expect([repository, bugs]).toEqual([{ type: 'git', url: `git+${FILLED.repository}` }, { url: FILLED.bugs }]);
    expect({ ...before, ...rest, private: true }).toEqual({
      ...before,
      homepage: FILLED.homepage,
      author: FILLED.author,
    });
    expect(publishing('--check', '--tag', `v${before.version}`).status).toBe(0);
    const other = publishing('--check', '--tag', 'v9.9.9');
    expect([other.status, other.stderr]).toEqual([1, expect.stringContaining('the tag is v9.9.9')]);
  });

  it('is not, where an address is none', () => {
    expect(manifest({ ...FILLED, homepage: 'javascript:alert(1)' }).publishing('--check').status).toBe(1);
  });
});

describe('what a repository shows and does', () => {
  const wrongIn = (content: string): readonly string[] =>
    parseWorkflow({ name: 'workflow', content }, new NoOperationTraceWriter())
      .context.errors.getErrors()
      .map(({ message }) => message);
  const workflows = readdirSync(join(ROOT, '.github/workflows'));

  it('are workflows as the schema of workflows has them, without rights that they do not need', () => {
    expect(workflows.toSorted()).toEqual(['ci.yml', 'codeql.yml', 'release.yml']);
    for (const name of workflows) {
      const text = read(join('.github/workflows', name));
      expect({ name, errors: wrongIn(text) }).toEqual({ name, errors: [] });
      expect({ name, permissions: parse(text).permissions }).toEqual({ name, permissions: { contents: 'read' } });
    }
    const text = read('.github/workflows/ci.yml');
    expect(wrongIn(text.replace('runs-on:', 'runs-in:'))).not.toEqual([]);
    expect(wrongIn(text.replace('contents: read', 'contents: all'))).not.toEqual([]);
  });

  it('has every script that a workflow starts', () => {
    const started = workflows.flatMap((name) => [
      ...read(join('.github/workflows', name)).matchAll(/(?:^|\s)((?:scripts|\.ci)\/[\w./-]+)/gm),
    ]);
    expect(started.length).toBeGreaterThan(3);
    for (const [, path = ''] of started) expect({ path, is: existsSync(join(ROOT, path)) }).toEqual({ path, is: true });
  });

  it('publishes only what was looked at and tested before', () => {
    const { jobs } = parse(read('.github/workflows/release.yml'));
    expect(jobs.ready.steps.some(({ run = '' }) => run.includes('publishing.ts --check'))).toBe(true);
    expect([jobs.tested.needs, jobs.package.needs, jobs.image.needs]).toEqual(['ready', 'tested', 'tested']);
  });

  it('asks for a run without anybody’s words, by a command that there is', () => {
    const form = parse(read('.github/ISSUE_TEMPLATE/fault.yml'));
    const asked = JSON.stringify(form.body);
    for (const command of ['runs issue', 'why', 'doctor', 'version']) {
      expect(asked).toContain(`epistle ${command}`);
      expect(read('docs/commands.md')).toContain(`epistle ${command}`);
    }
    for (const name of ['fault.yml', 'wish.yml']) {
      const { body, ...head } = parse(read(join('.github/ISSUE_TEMPLATE', name)));
      expect(head).toMatchObject({ name: expect.any(String), description: expect.any(String) });
      for (const { type, id, attributes } of body)
        expect({ type, id, attributes }).toMatchObject(
          type === 'markdown'
            ? { attributes: { value: expect.any(String) } }
            : { id: expect.stringMatching(/^[a-z]+$/) },
        );
    }
  });

  it('takes over nothing that is younger than a week', () => {
    const { updates } = parse(read('.github/dependabot.yml'));
    expect(updates).toHaveLength(3);
    for (const { cooldown } of updates) expect(cooldown['default-days']).toBeGreaterThanOrEqual(7);
  });
});

describe('what the package is made of', () => {
  const { dependencies } = JSON.parse(read('package.json'));

  it('stands in NOTICE, each library under its license', () => {
    let license = '';
    const named: Record<string, string> = {};
    for (const line of read('NOTICE').split('\n').slice(6)) {
      if (line.startsWith('  ')) named[line.trim()] = license;
      else if (line !== '') license = line;
    }
    const installed = Object.keys(dependencies).map((name) => [
      name,
      JSON.parse(read(`node_modules/${name}/package.json`)).license,
    ]);
    expect(named).toEqual(Object.fromEntries(installed));
  });

  it('is listed by npm, with what the libraries need in turn', () => {
    const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--offline'];
    const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: tmpdir() };
    const { stdout, stderr } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8', env });
    const names = JSON.parse(stdout || `{"components": [], "said": ${JSON.stringify(stderr)}}`).components.map(
      ({ group, name }: { group?: string; name: string }) => (group ? `${group}/${name}` : name),
    );
    expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
  });
});
