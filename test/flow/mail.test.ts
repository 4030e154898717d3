import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { epistle, launchGateway, type Program, readOutgoing } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

describe('a member writes to a persona while the gateway runs', () => {
  let workspace: TestWorkspace;
  let gateway: Program;
  beforeAll(async () => {
    workspace = makeWorkspace();
    gateway = await launchGateway(workspace.root).ready;
  });
  afterAll(async () => {
    await gateway.kill();
    workspace.remove();
  });

  it('is answered in the thread, with the tools it asked for, and everything is on record', async () => {
    const body =
      'Please look.\n/write_file {"path": "note.txt", "content": "hello"}\n/read_file {"path": "note.txt"}\n';
    const sent = await epistle(
      workspace.root,
      ['send', '--to', 'ada+x@agents.localhost', '--from', 'mia@member.example', '--subject', 'Notes', '--wait=180'],
      body,
    );
    expect(sent.code).toBe(0);
    const [result] = sent.json.results;
    expect(result).toMatchObject({ persona: 'ada', decision: 'accepted', status: 'done', outcome: 'final' });
    expect(result.reply.text).toContain('read_file: ok');

    const outgoing = join(workspace.root, 'data/outgoing');
    // The run is over before its reply has left.
    await vi.waitFor(
      async () => {
        const why = await epistle(workspace.root, ['why', sent.json.message_id]);
        const [entry] = why.json.entries;
        expect(entry).toMatchObject({ decision: 'accepted', tier: 'member', run: { status: 'done', tool_calls: 2 } });
        expect(entry.replies).toMatchObject([
          { kind: 'reply', to: [{ address: 'mia@member.example', state: 'sent' }] },
        ]);
      },
      { timeout: 90_000, interval: 250 },
    );

    const files = readdirSync(outgoing);
    expect(files).toHaveLength(1);
    const { envelopeTo, mail } = await readOutgoing(join(outgoing, files[0] ?? ''));
    expect(envelopeTo).toBe('mia@member.example');
    expect(mail.inReplyTo).toBe(sent.json.message_id);
    expect(mail.subject).toBe('Re: Notes');
    expect(mail.headers.get('auto-submitted')).toBe('auto-replied');
  });

  it('refuses a stranger with a reason on record and no run', async () => {
    const sent = await epistle(
      workspace.root,
      ['send', '--to', 'ada@agents.localhost', '--from', 'eve@stranger.example'],
      'hi',
    );
    expect(sent.code).toBe(1);
    expect(sent.json.results).toMatchObject(
      [{ decision: 'refused', code: 'sender_not_allowed', smtp: /^550/, run_id: null }].map((one) => ({
        ...one,
        smtp: expect.stringMatching(one.smtp),
      })),
    );
  });

  it('drains and exits 0 on SIGTERM', async () => {
    expect(await gateway.stop()).toBe(0);
  });
});
