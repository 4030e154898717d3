import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFilesDesk } from '../../engine/harness/tools/capabilities/files-desk.ts';
import { createShell } from '../../engine/harness/tools/capabilities/shell.ts';
import { whyUnavailable } from '../../extensions/tools/shell/available.ts';
import { becomeUser } from '../../scripts/lib/become-user.ts';
import { OWNER, openOffice } from '../flow/governance-rig.ts';

becomeUser();

const home = mkdtempSync(join(tmpdir(), 'epistle-shell-'));
const filesRoot = join(home, 'personas/ada/files');
const { signal } = new AbortController();
const shell = createShell({ filesRoot, maxFilesBytes: 2 ** 30, desk: createFilesDesk({ now: () => 0 }) });
const run = (command: string, timeoutMs = 10_000) => shell.run({ command, timeoutMs, signal });

beforeAll(() => {
  mkdirSync(filesRoot, { recursive: true });
  mkdirSync(join(home, 'personas/ben'), { recursive: true });
  writeFileSync(join(home, 'personas/ben/secret.txt'), 'the secret of Ben');
  symlinkSync(join(home, 'personas/ben/secret.txt'), join(filesRoot, 'link'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Processes on this machine whose command line has this in it. */
const running = (mark: string): number =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark);
    } catch {
      return false;
    }
  }).length;

it('is available here: none of this may pass by being skipped', () => {
  expect(whyUnavailable()).toBeNull();
});

describe('a command', () => {
  it('works on the files of the persona, and nothing else can be written', async () => {
    const done = await run(
      'echo hello > a.txt; cat a.txt; pwd; for f in /x /usr/x /etc/x /dev/x; do touch $f 2>/dev/null && echo WROTE $f; done; exit 3',
    );
    expect(done).toMatchObject({ exit_code: 3, ended: null, stdout: 'hello\n/files\n', truncated: false });
    expect(readFileSync(join(filesRoot, 'a.txt'), 'utf8')).toBe('hello\n');
  });

  it('sees nothing of others: not by path, by link, by process or by environment', async () => {
    const done = await run(
      `cat link ${home}/personas/ben/secret.txt /etc/passwd /etc/shadow; env; ls /proc | grep -c '^[0-9]'; cat /proc/1/environ`,
    );
    expect(done.stdout).not.toContain('the secret');
    expect(done.stdout).not.toContain('root:');
    expect(done.stdout).not.toMatch(/KEY|SECRET|TOKEN|EPISTLE/);
    expect(Number(/^(\d+)$/m.exec(done.stdout)?.[1])).toBeLessThan(10);
  });

  it('reaches no network, not even this machine', async () => {
    const server = createServer((socket) => socket.end('reached')).listen(0, '127.0.0.1');
    const { port } = await new Promise<{ port: number }>((resolve) =>
      server.once('listening', () => resolve(server.address() as { port: number })),
    );
    const done = await run(
      `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3; bash -c 'cat < /dev/tcp/127.0.0.1/${port}'; cat /proc/net/dev`,
    );
    server.close();
    expect(done.stdout).not.toContain('reached');
    expect(done.stdout).not.toMatch(/eth|ens|wlan/);
  });

  it('is ended at its time with all that it started', async () => {
    const done = await run('sleep 4711.25 & sleep 4711.25', 500);
    expect(done).toMatchObject({ exit_code: null, ended: 'timeout' });
    expect(running('4711.25')).toBe(0);
  });

  it('leaves nothing in the background when it is done', async () => {
    const done = await run('(setsid sleep 4712.25 >/dev/null 2>&1 &) ; echo done');
    expect(done).toMatchObject({ exit_code: 0, stdout: 'done\n' });
    expect(running('4712.25')).toBe(0);
  });

  it('that writes without end is cut, and that it was cut is said', async () => {
    const done = await run('yes 0123456789');
    expect(done).toMatchObject({ ended: 'too much output', truncated: true });
    expect(done.stdout.length).toBeLessThanOrEqual(65_536);
    expect(done.stdout_bytes).toBeGreaterThan(done.stdout.length);
  });

  it('that multiplies is stopped, and nothing of it is left', async () => {
    const done = await run('bomb() { bomb 4713.25 | bomb 4713.25 & }; bomb; sleep 20', 15_000);
    expect(done.stderr).toMatch(/fork/i);
    expect(running('4713.25')).toBe(0);
  });
});

it('is off by default, and asked about where policy lets it', async () => {
  const office = await openOffice({
    'configs/security.json': {
      owners: [OWNER],
      approvals: { batch_window_s: 0 },
      tool_policy: { tools: { shell: 'approve' } },
    },
  });
  try {
    expect((await office.ask('/shell {"command": "echo made by hand > made.txt"}')).code).toBe(3);
    const notice = await office.arrival('approval', OWNER);
    expect(notice.mail.text).toContain('echo made by hand');
    await office.answer(notice, 'approve');
    await office.arrival('reply');
    expect(readFileSync(join(office.root, 'data/personas/ada/files/made.txt'), 'utf8')).toBe('made by hand\n');
  } finally {
    await office.close();
  }
});
