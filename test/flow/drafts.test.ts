import { afterEach, expect, it } from 'vitest';
import { startImapPeer } from '../fakes/imap-peer.ts';
import { epistle } from './gateway.ts';
import { MEMBER, type Office, OWNER, openOffice } from './governance-rig.ts';
import { makeWorkspace } from './workspace.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const ADA = { name: 'Ada', address: 'ada@agents.localhost', access: { allow: [MEMBER] } };

it('an answer that cannot be put into Drafts is sent to nobody; why, and what helps, is told', async () => {
  const peer = await startImapPeer({ mails: [] });
  closers.push(peer.stop);
  const imap = { host: '127.0.0.1', port: peer.port, tls: 'none', user: 'u', secret_env: 'IN_SECRET' };
  const office: Office = await openOffice(
    {
      'configs/gateway.json': { smtp_listener: { port: 0 }, mailboxes: [{ id: 'in', imap }] },
      'personas/ada/persona.json': { ...ADA, reply: { mode: 'draft', rules: [{ sender: OWNER, mode: 'send' }] } },
    },
    { IN_SECRET: 'x' },
  );
  closers.push(office.close);

  // The rule for the owner.
  await office.ask('Hello.', OWNER);
  await office.arrival('reply', OWNER);

  const { json } = await office.ask('Hello.');
  const [{ run_id: runId, reply }] = json.results;
  expect(reply).toMatchObject({ mode: 'draft', text: expect.stringContaining('Hello.') });
  const notice = await office.arrival('notice', OWNER);
  expect(notice.mail.subject).toBe('[Ada] No draft: "Re: A request"');
  expect(notice.mail.text).toMatch(/no folder for drafts[\s\S]*epistle outbox retry/);
  expect(await office.left('reply', MEMBER)).toEqual([]);

  const { outbox } = (await office.cli('outbox', 'list', '--status', 'failed')).json;
  expect(outbox).toMatchObject([
    { run_id: runId, to: [{ address: MEMBER, state: 'failed', smtp: 'no_drafts_folder' }] },
  ]);
  const shown = (await office.cli('outbox', 'show', outbox[0].id)).json.outbox;
  expect(shown).toMatchObject({ draft: { mailbox: 'in', folder: null, sent_message_id: null } });
  expect(shown.raw).not.toMatch(/^(?:Auto-Submitted|X-Epistle-Recursion):/im);
  const { explained } = (await office.cli('runs', 'explain', json.message_id)).json;
  expect(explained.final).toMatchObject({ state: 'failed', text: expect.stringContaining('Hello.'), to: [MEMBER] });
  expect((await office.cli('runs', 'replay', runId)).json).toMatchObject({ replay: { identical: true } });
  const { thread } = (await office.cli('threads', 'show', json.results[0].thread_id)).json;
  expect(thread.messages.map(({ direction }: { direction: string }) => direction)).toEqual(['in']);

  office.workspace.write('.env', 'IN_SECRET=x\n');
  const tested = (await office.cli('mailbox', 'test')).json.mailboxes;
  expect(tested).toMatchObject([{ id: 'in', imap: { ok: false, kind: 'folder' } }]);
  const { checks } = (await office.cli('doctor')).json;
  expect(checks.find(({ name }: { name: string }) => name === 'mailbox:in:imap')).toMatchObject({
    ok: false,
    cure: expect.stringContaining('make a folder named Drafts'),
  });
});

it.each([
  ['no mailbox', []],
  ['one that is reached by SMTP alone', [{ id: 'out', smtp: { host: 'localhost', user: 'u', secret_env: 'S' } }]],
])('a persona whose answers are to lie in Drafts of %s is in error, with the cure', async (_what, mailboxes) => {
  const workspace = makeWorkspace({
    'configs/gateway.json': { mailboxes },
    'personas/ada/persona.json': { ...ADA, reply: { rules: [{ sender: '*@example.com', mode: 'draft' }] } },
  });
  closers.push(workspace.remove);
  const { json } = await epistle(workspace.root, ['persona', 'validate', 'ada']);
  expect(json.error.problems).toMatchObject([
    { file: 'personas/ada/persona.json', key: 'reply.rules.0.mode', code: 'invalid_value', message: /add it there/ },
  ]);
});
