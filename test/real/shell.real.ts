import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createFilesDesk } from '../../engine/tools/files/desk.ts';
import { MAX_ENTRIES, measure } from '../../engine/tools/files/usage.ts';
import { createShell } from '../../engine/tools/shell/shell.ts';
import { whyUnavailable } from '../../extensions/tools/shell/available.ts';
import { becomeUser } from '../../scripts/lib/become-user.ts';
import { filesIn } from '../engine/tools/capabilities/files-rig.ts';
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
    const done = await run('bomb() { bomb 4713.25 | bomb 4713.25 & }; bomb; sleep 20', 5000);
    expect(done.stderr).toMatch(/fork/i);
    expect(running('4713.25')).toBe(0);
  });
});

/** A persona of its own: its files, its shell and its file tools, with so much room. */
function personaWith(name: string, maxFilesBytes: number, at = home) {
  const root = join(at, 'personas', name, 'files');
  mkdirSync(root, { recursive: true });
  const desk = createFilesDesk({ now: () => 0 });
  const own = createShell({ filesRoot: root, maxFilesBytes, desk });
  return {
    root,
    run: (command: string, timeoutMs = 20_000) => own.run({ command, timeoutMs, signal }),
    files: filesIn(root, {}, { maxFilesBytes, desk }),
  };
}

const MIB = 1024 * 1024;

describe('L6: a command', () => {
  it('is refused as root, where the number of its processes could not be bounded', async () => {
    const asRoot = createShell({ filesRoot, maxFilesBytes: MIB, desk: createFilesDesk({ now: () => 0 }), uid: 0 });
    await expect(asRoot.run({ command: 'echo x', timeoutMs: 1000, signal })).rejects.toMatchObject({
      code: 'tool_failed',
      message: expect.stringContaining('user of its own'),
    });
    expect(whyUnavailable(0)).toContain('user of its own');
  });

  it('has at most 128 processes and threads, and cannot raise that again', async () => {
    const count = `perl -e 'my $n = 0; while ($n < 1000) { my $p = fork; last unless defined $p; if (!$p) { sleep 20; exit } $n++ } print $n'`;
    const { stdout } = await run(`ulimit -p unlimited 2>/dev/null; ulimit -u unlimited 2>/dev/null; ${count}`);
    expect(Number(stdout)).toBeGreaterThan(50);
    expect(Number(stdout)).toBeLessThan(128);
  });

  it('is ended at its time also while the gateway is too busy to look', async () => {
    const ticking = run('while :; do date +%s%3N > tick; done', 500);
    const busyFrom = Date.now();
    // The command has to have begun before this thread stands still.
    await vi.waitFor(() => expect(statSync(join(filesRoot, 'tick')).mtimeMs).toBeGreaterThan(busyFrom - 1000), 30_000);
    const stoodFrom = Date.now();
    while (Date.now() - stoodFrom < 4000);
    const lastTick = statSync(join(filesRoot, 'tick')).mtimeMs;
    expect(lastTick - stoodFrom).toBeLessThan(2000);
    expect(await ticking).toMatchObject({ ended: 'timeout' });
  });

  it.each([
    ['in many files', 'i=0; while :; do head -c 1048576 /dev/zero > f$i; i=$((i+1)); done'],
    [
      'reserved beyond the end of files',
      'for i in 1 2 3 4 5 6 7 8; do : > g$i; fallocate -n -l 4M g$i; done; sleep 20',
    ],
    [
      'in a folder that may not be read',
      'mkdir d; for i in 1 2 3 4 5 6; do head -c 4194304 /dev/zero > d/$i; done; chmod 0 d; sleep 20',
    ],
  ])('that writes more than there is room for is ended: %s', async (what, command) => {
    const { root, run: runHere, files } = personaWith(what.replaceAll(' ', '-'), 16 * MIB);
    const done = await runHere(command);
    expect(done).toMatchObject({ exit_code: null, ended: 'too much written' });
    expect((await measure(root)).bytes).toBeLessThan(512 * MIB);
    // What is held beyond the end of a file goes when it is closed: that may make a little room again.
    writeFileSync(join(root, 'by-hand.bin'), Buffer.alloc(8 * MIB));
    await expect(runHere('echo x')).rejects.toThrow('no room left in files/');
    await expect(files.write('more.txt', 'x')).rejects.toThrow('no room left in files/');
    const inside = readdirSync(root).flatMap((name) => (name === 'd' ? ['d/1', 'd/2', 'd/3'] : [name]));
    for (const path of inside) await files.remove(path).catch(() => undefined);
    await files.write('more.txt', 'x');
    expect(await runHere('cat more.txt')).toMatchObject({ stdout: 'x' });
  });

  it('that keeps what it writes out of sight is ended when the disk shows it', async () => {
    const { run: runHere } = personaWith('hidden', 64 * MIB);
    const hide = `perl -e 'my @open; for my $n (1..20) { open(my $f, ">", "x"); unlink("x"); print $f "x" x 1048576 for 1..60; $f->flush if $f->can("flush"); push @open, $f } sleep 20'`;
    expect(await runHere(hide)).toMatchObject({ ended: 'too much written' });
  });

  it('that makes names without end is ended', async () => {
    // Two hundred thousand names are made and removed faster in memory.
    const memory = mkdtempSync('/dev/shm/epistle-shell-');
    const { root, run: runHere, files } = personaWith('names', 2 ** 40, memory);
    const many = `perl -e 'mkdir "n"; for (my $n = 0; ; $n++) { symlink("x", "n/$n") }'`;
    expect(await runHere(many)).toMatchObject({ ended: 'too much written' });
    expect((await measure(root)).entries).toBe(MAX_ENTRIES + 1);
    await expect(files.write('more.txt', 'x')).rejects.toThrow('no room left in files/');
    rmSync(memory, { recursive: true });
  });
});

describe('H5: a command and a file tool of one persona', () => {
  it('work one after the other, also where something of the command went to the background', async () => {
    const { root, run: runHere, files } = personaWith('turns', 2 ** 30);
    const going = runHere(
      '(setsid sh -c "while :; do echo shell > a.txt; done" >/dev/null 2>&1 &) ; sleep 1; echo done',
    );
    await vi.waitFor(() => expect(existsSync(join(root, 'a.txt'))).toBe(true), 30_000);
    const order: string[] = [];
    const written = files.write('a.txt', 'tool\n').then(() => order.push('tool'));
    const done = await going.finally(() => order.push('shell'));
    await written;
    expect(done).toMatchObject({ exit_code: 0, stdout: 'done\n' });
    expect(order).toEqual(['shell', 'tool']);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('tool\n');
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
