import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { beginRun } from './begin-run.ts';
import { MARK, processesOf } from './processes.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const LISTENS = "require('node:net').createServer().listen(0, () => console.log('listens'))";
const soon = { timeout: 90_000 };

let folder: string;
/** Where the run has its own folder. */
let temporary: string;

/** Folders of runs that were there: what has their mark is theirs after they are gone, too. */
let seen: Set<string>;

beforeEach(() => {
  seen = new Set();
  folder = mkdtempSync(join(tmpdir(), 'own-'));
  temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const own = (name: string) => JSON.stringify(join(root, 'test/own-run', name));
  writeFileSync(
    join(folder, 'vitest.config.mjs'),
    `export default { test: { pool: 'forks', globalSetup: [${own('global-setup.ts')}], setupFiles: [${own('ends-with-file.ts')}] } };`,
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A run of one test that starts somebody who listens, and does this afterwards. */
function runOf(afterwards: string, ...args: string[]) {
  writeFileSync(
    join(folder, 'a.test.mjs'),
    `import { spawn } from 'node:child_process';
    import { once } from 'node:events';
    import { expect, it } from 'vitest';
    const listens = ${JSON.stringify(LISTENS)};
    it('starts a server', async () => {
      const child = spawn(process.execPath, ['-e', listens], { env: { ...process.env, EPISTLE_CRASH_AT: 'active.begun' } });
      await once(child.stdout, 'data');
      ${afterwards}
    });`,
  );
  const { [MARK]: _, ...others } = process.env;
  const child = spawn(
    process.execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder, ...args],
    {
      cwd: folder,
      env: { ...others, TMPDIR: temporary, NO_COLOR: '1' },
    },
  );
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => said.push(text));
  const look = setInterval(() => {
    for (const name of runs()) seen.add(join(temporary, name));
  }, 10);
  const closed = once(child, 'close').finally(() => clearInterval(look));
  return { child, closed, said: () => said.join('') };
}

const runs = () => readdirSync(temporary).filter((name) => name.startsWith('run-'));
const servers = () =>
  runs()
    .flatMap((name) => processesOf(join(temporary, name)))
    .filter(({ diesAt }) => diesAt === 'active.begun');

async function nothingIsLeft(): Promise<void> {
  const known = [folder, ...seen];
  await expect.poll(() => known.flatMap(processesOf), soon).toEqual([]);
  await expect.poll(() => readdirSync(temporary), soon).toEqual([]);
}

describe('what a test has started and not ended', () => {
  it('ends with its file, which fails and says where it should have died', async () => {
    const { child, closed, said } = runOf('');
    await closed;
    expect(child.exitCode).toBe(1);
    expect(said()).toMatch(
      /still running at the end of its file: .* on port \d+ which was to die at active\.begun and did not come there/,
    );
    await nothingIsLeft();
  });

  it('ends where the test is out of time, and so does what the test starts when that has happened', async () => {
    const goesOn = `await once(child, 'exit'); spawn(process.execPath, ['-e', listens]); await new Promise(() => {});`;
    const { closed, said } = runOf(goesOn, '--testTimeout=200');
    await closed;
    expect(said()).toContain('Test timed out in 200ms');
    expect(said()).toContain('still running at the end of its file');
    await nothingIsLeft();
  });

  it('ends where the process of the tests is killed', async () => {
    const { child, closed } = runOf(`process.kill(process.pid, 'SIGKILL'); await new Promise(() => {});`);
    await closed;
    expect(child.exitCode).toBe(1);
    await nothingIsLeft();
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('ends where the run is ended by %s', async (signal) => {
    const { child, closed } = runOf('await new Promise(() => {});');
    await expect.poll(servers, soon).toHaveLength(1);
    child.kill(signal);
    await closed;
    await nothingIsLeft();
  });

  it('is ended while the run goes on where the process of the tests is killed', async () => {
    writeFileSync(
      join(folder, 'b.test.mjs'),
      "import { existsSync } from 'node:fs'; import { it } from 'vitest'; it('waits', async () => { while (!existsSync('over')) await new Promise((resolve) => setTimeout(resolve, 20)); });",
    );
    const { child, closed, said } = runOf(
      `(await import('node:fs')).writeFileSync('begun', ''); process.kill(process.pid, 'SIGKILL'); await new Promise(() => {});`,
      '--maxWorkers=2',
      '--testTimeout=90000',
    );
    await expect.poll(() => readdirSync(folder), soon).toContain('begun');
    await expect.poll(servers, soon).toEqual([]);
    expect(child.exitCode, said()).toBeNull();
    writeFileSync(join(folder, 'over'), '');
    await closed;
    await nothingIsLeft();
  });
});

describe('what is left of a run when it is to end', () => {
  it('is named, and ended', async () => {
    const run = beginRun({ ...process.env, EPISTLE_CRASH_AT: 'active.begun' });
    const child = spawn(process.execPath, ['-e', LISTENS], { env: run.environment });
    await once(child.stdout, 'data');
    expect(await run.end(0)).toEqual([
      expect.stringMatching(/createServer.* on port \d+ which was to die at active\.begun and did not come there$/),
    ]);
    expect(processesOf(run.environment.TMPDIR)).toEqual([]);
    expect(existsSync(run.environment.TMPDIR)).toBe(false);
  });

  it('is nothing where all has ended', async () => {
    expect(await beginRun(process.env).end()).toEqual([]);
  });
});
