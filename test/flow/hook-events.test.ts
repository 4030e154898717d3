import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { HOOK_EVENT_NAMES } from '#contract';
import { startSmtpPeer } from '../fakes/smtp-peer.ts';
import { epistle, type Gateway, startGateway, submit } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const open: { workspace?: TestWorkspace; gateway?: Gateway; peer?: Awaited<ReturnType<typeof startSmtpPeer>> } = {};
afterEach(async () => {
  await open.gateway?.end();
  await open.peer?.stop();
  open.workspace?.remove();
});

const TASK = ['---', 'schedule: every 5s', 'deliver: none', '---', 'Look around.', ''].join('\n');

const bounceOf = (messageId: string) =>
  [
    'From: MAILER-DAEMON@member.example',
    'To: ada@agents.localhost',
    'Subject: Undelivered Mail',
    'Message-ID: <bounce@member.example>',
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'It did not arrive.',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.member.example',
    '',
    'Final-Recipient: rfc822; owner@example.com',
    'Action: failed',
    'Status: 5.1.1',
    'Diagnostic-Code: smtp; 550 5.1.1 no such user',
    '',
    '--b',
    'Content-Type: text/rfc822-headers',
    '',
    `Message-ID: ${messageId}`,
    '',
    '--b--',
    '',
  ].join('\r\n');

it('tells a hook that listens to all of each kind of event', async () => {
  open.peer = await startSmtpPeer({ rcpt: { 'gone@elsewhere.example': '550 5.1.1 no such user' } });
  const workspace = makeWorkspace({
    'configs/gateway.json': {
      smtp_listener: { port: 0 },
      mailboxes: [
        {
          id: 'main',
          smtp: { host: '127.0.0.1', port: open.peer.port, tls: 'none', auth: 'none', user: 'u', secret_env: 'NONE' },
        },
      ],
    },
    'personas/ada/tasks/look.md': TASK,
    'configs/system.json': { learning: { enabled: true, auto_learn: false, refinement_model: 'offline/m' } },
    'extensions/extensions.json': { hooks: ['journal'] },
    'extensions/hooks/journal/manifest.json': {
      name: 'journal',
      kind: 'hook',
      api: 1,
      summary: 'Writes down all that it hears',
      entry: 'index.mjs',
      capabilities: ['search'],
    },
    'extensions/hooks/journal/index.mjs': `
      import { appendFileSync } from 'node:fs';
      import { defineHook } from 'epistle/contract';
      export default defineHook({
        on: ${JSON.stringify(HOOK_EVENT_NAMES)},
        uses: ['search'],
        async handle(event, { search }) {
          const found = event.name === 'run_ended' ? await search({ query: 'hello', limit: 1 }) : [];
          appendFileSync(new URL('../../../journal.txt', import.meta.url), JSON.stringify({ ...event, found }) + '\\n');
        },
      });`,
  });
  open.workspace = workspace;
  interface Heard {
    readonly name: string;
    readonly persona: string | null;
    readonly runId: string | null;
    readonly data: Record<string, unknown>;
    readonly found: unknown[];
  }
  const journal = (): Heard[] => {
    const path = join(workspace.root, 'journal.txt');
    if (!existsSync(path)) return [];
    return readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  /** Those of a kind, once there are some. */
  const heard = (name: string, isMeant: (event: Heard) => boolean = () => true) =>
    vi.waitFor(
      () => {
        const found = journal().filter((event) => event.name === name && isMeant(event));
        expect(found, `${name} among ${journal().map((event) => event.name)}`).not.toEqual([]);
        return found;
      },
      { timeout: 90_000, interval: 200 },
    );

  open.gateway = await startGateway(workspace.root);
  const to = 'ada@agents.localhost';
  const mail = 'hello\n/write_file {"path": "a.txt", "content": "a"}';
  const sent = await epistle(workspace.root, ['send', '--to', to, '--wait=180'], mail);
  const [{ run_id: runId, reply }] = sent.json.results;
  const [started] = await heard('gateway_started');
  expect(started).toMatchObject({ persona: null, runId: null, data: { pid: expect.any(Number) } });
  // The task runs meanwhile.
  const ofMail = (event: Heard) => event.runId === runId;
  await heard('run_started', ofMail);
  const [ended] = await heard('run_ended', ofMail);
  expect(ended).toMatchObject({
    persona: 'ada',
    data: { status: 'done', outcome: 'final', kind: 'message', reply_message_id: reply.message_id },
    found: [{ subject: expect.any(String) }],
  });
  const calls = (await heard('tool_called', ofMail)).concat(await heard('tool_ended', ofMail));
  expect(calls.map(({ data }) => data.tool)).toEqual(['write_file', 'write_file']);
  expect(await heard('delivery_sent')).toContainEqual(
    expect.objectContaining({
      data: expect.objectContaining({ message_id: reply.message_id, kind: 'reply', to: ['owner@example.com'] }),
    }),
  );
  expect((await heard('task_due'))[0]).toMatchObject({ data: { task: 'look' } });
  expect((await heard('task_ended'))[0]).toMatchObject({ data: { task: 'look', status: 'done' } });

  await submit(workspace.root, open.gateway.ready, { from: '', to, raw: bounceOf(reply.message_id) });
  expect((await heard('delivery_bounced'))[0]).toMatchObject({
    runId,
    data: { message_id: reply.message_id, to: ['owner@example.com'] },
  });

  const asking = '/send_email {"to": ["gone@elsewhere.example"], "subject": "s", "body": "b"}';
  await epistle(workspace.root, ['send', '--from', 'mia@member.example', '--to', to, '--wait=180'], asking);
  const [requested] = await heard('approval_requested');
  const approval = String(requested?.data.approval_id);
  await epistle(workspace.root, ['approvals', 'approve', approval]);
  expect((await heard('approval_decided'))[0]).toMatchObject({
    data: { approval_id: approval, tool: 'send_email', state: 'approved' },
  });
  expect((await heard('delivery_failed'))[0]).toMatchObject({ data: { to: ['gone@elsewhere.example'] } });

  expect((await heard('playbook_selected', ofMail))[0]).toMatchObject({
    data: { kind: 'answer', loaded: false, reason: 'no_version', version: null, mode: 'none', by: 'outcomes' },
  });
  for (const name of ['b', 'c'])
    await epistle(
      workspace.root,
      ['send', '--to', to, '--wait=180'],
      `/write_file {"path": "${name}.txt", "content": ""}`,
    );
  const examples = async () => (await epistle(workspace.root, ['learn', 'status', 'ada'])).json.kinds[0].scenarios;
  await expect.poll(examples, { timeout: 90_000, interval: 500 }).toBeGreaterThanOrEqual(3);
  expect((await heard('playbook_outcome', ofMail))[0]).toMatchObject({
    data: { kind: 'answer', version_id: null, mode: 'none', succeeded: true, failed: false, followed: false },
  });
  await epistle(workspace.root, ['learn', 'refine', 'ada', 'answer']);
  expect((await heard('playbook_refined'))[0]).toMatchObject({
    data: { kind: 'answer', accepted: false, reason: 'syntax', from_version: null, to_version: null },
  });

  await open.gateway.stop();
  open.gateway = await startGateway(workspace.root);
  await heard('gateway_stopping');
  const names = new Set(journal().map((event) => event.name));
  expect(HOOK_EVENT_NAMES.filter((name) => !names.has(name))).toEqual(['memory_written']);
});
