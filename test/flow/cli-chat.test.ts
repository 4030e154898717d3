import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../engine/cli/command-line.ts';
import { processSettings } from '../../engine/config/environment.ts';
import { startSmtpPeer } from '../fakes/smtp-peer.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

let workspace: TestWorkspace;
beforeEach(() => {
  workspace = makeWorkspace();
});
afterEach(() => workspace.remove());

/** A command line of somebody who sits at a terminal and types these lines. */
async function typed(args: readonly string[], lines: readonly string[]) {
  const told = { out: '', err: '' };
  const stdin = Object.assign(Readable.from([lines.map((line) => `${line}\n`).join('')]), { isTTY: true });
  const code = await runCommandLine([...args, '--workspace', workspace.root], {
    settings: processSettings({}),
    stdin,
    watch: () => ({ rejections: () => 0 }),
    out: (text) => {
      told.out += text;
    },
    err: (text) => {
      told.err += text;
    },
  });
  return { code, ...told };
}

describe('somebody at a terminal', () => {
  it('is asked in a chat about what waits for them, and nothing is mailed', async () => {
    const peer = await startSmtpPeer();
    const smtp = { host: '127.0.0.1', port: peer.port, tls: 'none', user: 'u', auth: 'none', secret_env: 'NONE' };
    workspace.write('configs/gateway.json', { smtp_listener: { port: 0 }, mailboxes: [{ id: 'main', smtp }] });
    const plan = join(workspace.root, 'data/personas/ada/files/plan.txt');
    mkdirSync(join(plan, '..'), { recursive: true });
    writeFileSync(plan, 'Monday: lunch\n');
    const edit = '/edit_file {"path": "plan.txt", "old_text": "Monday", "new_text": "Tuesday"}';
    const { code, out, err } = await typed(['chat', 'ada'], [edit, 'y', '/help', '/quit']);
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(out).toContain('ada waits for a decision.');
    expect(err).toContain('+ Tuesday: lunch');
    expect(err.split('/quit or Ctrl-D ends it.')).toHaveLength(3);
    expect(out).toContain('edit_file: ok');
    expect(readFileSync(plan, 'utf8')).toBe('Tuesday: lunch\n');
    // The question is a mail, so that it can also be answered elsewhere; the answer is not.
    expect(peer.mails.filter(({ raw }) => String(raw).includes('X-Epistle-Kind: reply'))).toEqual([]);
    await peer.stop();
  });

  it('sees fifty runs of a task that is due every five seconds, and how many more there are', async () => {
    workspace.write('personas/ada/tasks/often.md', '---\nschedule: every 5s\n---\n\nLook.\n');
    const { code, out } = await typed(['tasks', 'next', 'ada/often'], []);
    expect({ code, lines: out.split('\n').length < 60 }).toEqual({ code: 0, lines: true });
    expect(out).toMatch(/… and \d+ more/);
  });

  it('is asked for the text of a mail, and told that no gateway runs', async () => {
    const { code, out, err } = await typed(['send', '--to', 'ada', '--subject', 'Tea', '--wait=180'], ['Earl Grey?']);
    expect(code).toBe(0);
    expect(err).toContain('Write your mail; Ctrl-D');
    expect(err).toContain(`No gateway runs on ${workspace.root}`);
    expect(out).toContain('Earl Grey?');
    const given = await typed(['send', '--to', 'ada', '--text', 'Darjeeling?', '--wait=180'], []);
    expect(given.out).toContain('Darjeeling?');
    expect(given.err).not.toContain('Write your mail');
  });
});
