import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root as repository } from '../house/sources.ts';
import { run, withoutKeys } from './command-line.ts';
import { eventually } from './eventually.ts';
import { epistle, type Gateway, startGateway } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

let workspace: TestWorkspace;
let gateway: Gateway | undefined;
beforeEach(() => {
  workspace = makeWorkspace({
    'configs/system.json': { log: { level: 'info', format: 'json' } },
    '.env': 'SOME_KEY=sk-very-secret\n',
  });
});
afterEach(async () => {
  await gateway?.end();
  gateway = undefined;
  workspace.remove();
});

const send = (subject: string, to = 'ada@agents.localhost') =>
  epistle(
    workspace.root,
    ['send', '--to', to, '--from', 'owner@example.com', '--subject', subject, '--wait=180'],
    'Hi',
  );
const logs = async (...options: string[]) => (await epistle(workspace.root, ['logs', ...options])).json.lines;

describe('what a gateway has logged', () => {
  it('is shown, by persona and by level, and holds no secret', async () => {
    expect((await run(['logs', '--workspace', workspace.root])).stdout).toContain('Nothing such was logged');
    gateway = await startGateway(workspace.root);
    await send('Offer');
    await send('Bill', 'ben@agents.localhost');
    await eventually(
      () => logs('--persona', 'ben'),
      (lines) => lines.some(({ subject }: { subject: string }) => subject === 'Bill'),
    );
    expect(await logs('--persona', 'ada')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ level: 'info', msg: 'mail accepted', to: 'ada', subject: 'Offer' }),
      ]),
    );
    const ofAda = JSON.stringify(await logs('--persona', 'ada'));
    expect(ofAda).not.toContain('Bill');
    expect((await logs('--level', 'error', '--since', '1h')).length).toBe(0);
    expect((await logs('--limit', '1')).length).toBe(1);
    const told = await run(['logs', '--workspace', workspace.root]);
    expect(told.stdout).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d info {2}mail accepted {2}from=owner@example\.com to=ada subject=Offer/m,
    );

    const file = join(workspace.root, 'data/log/gateway.jsonl');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain('sk-very-secret');
    expect(text).not.toContain(readFileSync(join(workspace.root, 'data/submission.secret'), 'utf8').trim());
    expect(gateway.log()).toContain('"msg":"mail accepted"');
    expect((await epistle(workspace.root, ['logs', '--level', 'loud'])).json.error).toMatchObject({ code: 'usage' });
  });

  it('is followed, one document a line with --json', async () => {
    gateway = await startGateway(workspace.root);
    const args = ['logs', '-f', '--json', '--persona', 'ada', '--workspace', workspace.root];
    const child = spawn(process.execPath, [join(repository, 'bin/epistle.js'), ...args], {
      env: withoutKeys(process.env),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const lines: { subject?: string }[] = [];
    createInterface(child.stdout).on('line', (text) => lines.push(JSON.parse(text)));
    // It may begin to follow after the first of them.
    await eventually(
      async () => {
        await send('Offer');
        return lines;
      },
      (seen) => seen.some(({ subject }) => subject === 'Offer'),
    );
    child.kill('SIGINT');
    await exited;
  });

  it('ends when nobody reads it any more', async () => {
    gateway = await startGateway(workspace.root);
    const args = ['logs', '-f', '--json', '--workspace', workspace.root];
    const child = spawn(process.execPath, [join(repository, 'bin/epistle.js'), ...args], {
      env: withoutKeys(process.env),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit').then(() => 'gone');
    child.stdout.destroy();
    await eventually(
      async () => {
        await send('Offer');
        return child.exitCode;
      },
      (code) => code !== null,
    );
    expect(await exited).toBe('gone');
  });
});

describe('a gateway that is not to log', () => {
  it('writes no file where `log.file` is off, and nothing to stderr with --quiet', async () => {
    workspace.write('configs/system.json', { log: { level: 'info', format: 'json', file: false } });
    gateway = await startGateway(workspace.root);
    await send('Offer');
    await eventually(
      () => gateway?.log() ?? '',
      (text) => text.includes('mail accepted'),
    );
    expect(await logs()).toEqual([]);
    await gateway.stop();

    workspace.write('configs/system.json', { log: { level: 'info', format: 'json' } });
    const child = spawn(
      process.execPath,
      [join(repository, 'bin/epistle.js'), 'start', '--json', '--quiet', '--workspace', workspace.root],
      {
        env: withoutKeys(process.env),
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const heard = { stderr: '' };
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      heard.stderr += text;
    });
    await once(createInterface(child.stdout), 'line');
    await send('Bill');
    await eventually(logs, (lines) => lines.some(({ subject }: { subject: string }) => subject === 'Bill'));
    child.kill('SIGTERM');
    await once(child, 'exit');
    expect(heard.stderr).toBe('');
  });
});
