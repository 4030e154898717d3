import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import stringWidth from 'string-width';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run as epistle } from '../flow/command-line.ts';
import { makeWorkspace, type TestWorkspace } from '../flow/workspace.ts';
import { root } from '../house/sources.ts';

const exec = promisify(execFile);
const ESCAPE = '\u001b';
const SUBJECTS = [
  '会议纪要：下周的安排和需要准备的材料',
  'Ein Betreff, der viel länger ist als sechzig Spalten breit sind',
  '予定',
];
const COMMANDS = [['status'], ['mail', 'list'], ['why', 'last'], ['approvals', 'list'], ['runs', 'list']];

let workspace: TestWorkspace;
const environment = (more: object = {}) => ({
  PATH: process.env.PATH,
  HOME: workspace.root,
  TERM: 'xterm-256color',
  ...more,
});

/** What a command prints on a terminal that is so many columns wide. */
async function onTerminal(args: readonly string[], more: object = {}) {
  const command = [process.execPath, join(root, 'bin/epistle.js'), '--workspace', workspace.root, ...args];
  const script = join(root, 'test/real/terminal.py');
  const { stdout } = await exec('python3', [script, JSON.stringify(command), '60'], { env: environment(more) });
  return JSON.parse(stdout) as { code: number; screen: string };
}

beforeAll(async () => {
  workspace = makeWorkspace();
  for (const subject of SUBJECTS) {
    const args = [
      'send',
      '--to',
      'ada@agents.localhost',
      '--subject',
      subject,
      '--wait',
      '--workspace',
      workspace.root,
    ];
    expect((await epistle(args, { stdin: 'Hello' })).code).toBe(0);
  }
  const asks = '/send_email {"to": ["carol@example.com"], "subject": "午饭", "body": "At twelve."}';
  const args = ['send', '--to', 'ada@agents.localhost', '--subject', 'Lunch', '--wait', '--workspace', workspace.root];
  expect((await epistle(args, { stdin: asks })).code).toBe(3);
});
afterAll(() => workspace.remove());

describe('on a terminal of 60 columns', () => {
  it.each([
    ['mail', 'list'],
    ['approvals', 'list'],
    ['runs', 'list'],
  ])('%s %s breaks no line in two', async (...args) => {
    const { code, screen } = await onTerminal(args);
    const lines = screen.trimEnd().split('\n');
    expect(code).toBe(0);
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.filter((line) => stringWidth(line) > 60)).toEqual([]);
  });

  it('shows subjects in any script, each cut to what fits', async () => {
    const { screen } = await onTerminal(['mail', 'list']);
    expect(screen).toMatch(/会议纪要.*…/);
    expect(screen).toContain('予定');
    // Columns stay below each other: the last one begins at the same place in all lines.
    const starts = screen
      .trimEnd()
      .split('\n')
      .filter((line) => line.includes('taken in'))
      .map((line) => stringWidth(line.slice(0, line.lastIndexOf('taken in'))));
    expect(starts.length).toBeGreaterThan(1);
    expect(new Set(starts).size).toBe(1);
  });
});

describe('colours and pipes', () => {
  it.each(COMMANDS)('%s %s has no colour with NO_COLOR, and none in a pipe', async (...words) => {
    const args = words.filter((word) => word !== undefined);
    const plain = await onTerminal(args, { NO_COLOR: '1' });
    const piped = await epistle([...args, '--workspace', workspace.root]);
    expect(plain.screen + piped.stdout + piped.stderr).not.toContain(ESCAPE);
  });

  it.each(COMMANDS)('%s %s ends well when nobody reads on', async (...words) => {
    const args = words.filter((word) => word !== undefined);
    const command = [process.execPath, join(root, 'bin/epistle.js'), '--workspace', workspace.root, ...args];
    const quoted = command.map((word) => `'${word}'`).join(' ');
    const { stdout, stderr } = await exec('bash', ['-c', `${quoted} | head -n 1; echo "$\{PIPESTATUS[0]}"`], {
      env: environment(),
    });
    const lines = stdout.trimEnd().split('\n');
    expect([lines.length, Number(lines[1]) <= 1, stderr]).toEqual([2, true, '']);
  });

  it('a pipe gets whole lines, however narrow the terminal is', async () => {
    const { stdout } = await epistle(['mail', 'list', '--workspace', workspace.root]);
    expect(stdout).toContain('会议纪要：下周的安排和需要准备的材料');
  });
});
