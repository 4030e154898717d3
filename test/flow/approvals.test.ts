import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { epistle, type Gateway, launchGateway, readOutgoing, startGateway, submit } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const OWNER = 'owner@example.com';
const MEMBER = 'mia@member.example';
const SEND = '/send_email {"to": ["carl@elsewhere.example"], "subject": "Offer", "body": "Dear Carl, *hello*."}';

let workspace: TestWorkspace;
let gateway: Gateway;
beforeEach(async () => {
  workspace = makeWorkspace();
  gateway = await startGateway(workspace.root);
});
afterEach(async () => {
  await gateway.end();
  workspace.remove();
});

/** All mail that left so far, by its X-Epistle-Kind. */
async function outgoing(kind: string) {
  const folder = join(workspace.root, 'data/outgoing');
  const files = readdirSync(folder).filter((name) => name.endsWith('.eml'));
  const mails = await Promise.all(files.map((name) => readOutgoing(join(folder, name))));
  return mails.filter(({ mail }) => mail.headers.get('x-epistle-kind') === kind);
}

const ask = (text = SEND) =>
  epistle(
    workspace.root,
    ['send', '--to', 'ada@agents.localhost', '--from', MEMBER, '--subject', 'Write to Carl', '--wait=180'],
    text,
  );

/** Waits for the one mail of a kind, optionally to somebody. */
const arrival = (kind: string, to?: string) =>
  vi.waitFor(async () => {
    const found = (await outgoing(kind)).filter(({ envelopeTo }) => to === undefined || envelopeTo === to);
    expect(found).toHaveLength(1);
    return found[0] as (typeof found)[number];
  }, 90_000);

const replyTo = (mail: Awaited<ReturnType<typeof arrival>>['mail']) => mail.replyTo?.value[0]?.address ?? '';

describe('a member asks for mail to somebody new', () => {
  it('waits: the owner is asked with the exact arguments, the member is told, and nothing is sent', async () => {
    const sent = await ask();
    expect(sent.code).toBe(3);
    expect(sent.json.results[0]).toMatchObject({ status: 'waiting_approval' });
    const notice = await arrival('approval', OWNER);
    expect(notice.mail.text).toContain('carl@elsewhere.example');
    expect(notice.mail.text).toContain('Dear Carl, *hello*.');
    const wait = await arrival('wait', MEMBER);
    expect(wait.mail.inReplyTo).toBe(sent.json.message_id);
    expect(await outgoing('reply')).toHaveLength(0);
  });

  it('sends exactly that mail once the owner answers the notice, over a kill and a restart in between', async () => {
    await gateway.stop();
    const killed = await launchGateway(workspace.root).ready;
    gateway = killed;
    const sent = await ask();
    const notice = await arrival('approval', OWNER);
    await killed.kill();
    gateway = await startGateway(workspace.root);
    await submit(workspace.root, gateway.ready, {
      from: OWNER,
      to: replyTo(notice.mail),
      subject: `Re: ${notice.mail.subject}`,
      inReplyTo: notice.mail.messageId ?? '',
      text: 'approve\n',
    });
    const mail = await arrival('reply', 'carl@elsewhere.example');
    expect(mail.mail.subject).toBe('Offer');
    expect(mail.mail.html).toContain('<em>hello</em>');
    const answer = await arrival('reply', MEMBER);
    expect(answer.mail.inReplyTo).toBe(sent.json.message_id);
    expect(answer.mail.text).toContain('send_email: ok');
    const list = await epistle(workspace.root, ['approvals', 'list']);
    expect(list.json.approvals).toMatchObject([{ tool: 'send_email', state: 'executed', decided_by: OWNER }]);
  });

  it('does not send it when the owner says no, and the answer says so', async () => {
    await ask();
    const notice = await arrival('approval', OWNER);
    await submit(workspace.root, gateway.ready, {
      from: OWNER,
      to: replyTo(notice.mail),
      subject: 'no',
      text: 'deny because Carl left',
    });
    const answer = await arrival('reply', MEMBER);
    expect(answer.mail.text).toContain('the owner said no');
    expect(answer.mail.text).not.toContain('Carl left');
    expect((await outgoing('reply')).filter(({ envelopeTo }) => envelopeTo === 'carl@elsewhere.example')).toEqual([]);
  });

  it('is decided by the command line as well, once', async () => {
    await ask();
    const [approval] = (await epistle(workspace.root, ['approvals', 'list'])).json.approvals;
    expect((await epistle(workspace.root, ['approvals', 'approve', approval.id])).code).toBe(0);
    await arrival('reply', 'carl@elsewhere.example');
    const again = await epistle(workspace.root, ['approvals', 'deny', approval.id]);
    expect(again.code).toBe(1);
    expect(again.json.error.code).toBe('not_pending');
  });

  it('lets the owner go on writing below a notice that is decided', async () => {
    await ask();
    const notice = await arrival('approval', OWNER);
    const reply = (text: string) =>
      submit(workspace.root, gateway.ready, {
        from: OWNER,
        to: replyTo(notice.mail),
        subject: 'Re',
        text,
        inReplyTo: notice.mail.messageId ?? '',
      });
    await reply('deny');
    await arrival('reply', MEMBER);
    const id = await reply('Which files do you keep?\n/list_files');
    const why = await epistle(workspace.root, ['why', id]);
    expect(why.json.entries[0]).toMatchObject({ decision: 'accepted', tier: 'owner' });
  });

  it('believes nobody else: not the member with the token, and not a token that was never given out', async () => {
    await ask();
    const notice = await arrival('approval', OWNER);
    const forged = await submit(workspace.root, gateway.ready, {
      from: MEMBER,
      to: replyTo(notice.mail),
      subject: 'ok',
      text: 'approve',
    });
    const invented = await submit(workspace.root, gateway.ready, {
      from: OWNER,
      to: `ada+ok-${'0'.repeat(32)}@agents.localhost`,
      subject: 'ok',
      text: 'approve',
    });
    const codes = async (id: string) => (await epistle(workspace.root, ['why', id])).json.entries[0].code;
    expect(await codes(forged)).toBe('approval_not_authorised');
    expect(await codes(invented)).toBe('approval_token_invalid');
    const list = await epistle(workspace.root, ['approvals', 'list']);
    expect(list.json.approvals).toMatchObject([{ state: 'pending' }]);
  });
});

it('never asks about mail to the owner', async () => {
  const sent = await ask(`/send_email {"to": ["${OWNER}"], "subject": "Report", "body": "All is well."}`);
  expect(sent.json.results[0]).toMatchObject({ status: 'done' });
  await arrival('reply', OWNER);
});

describe('an owner writes STOP', () => {
  it('ends the waiting run, lets new mail wait, says so, and goes on at RESUME', async () => {
    const sent = await ask();
    const notice = await arrival('approval', OWNER);
    const stop = await submit(workspace.root, gateway.ready, {
      from: OWNER,
      to: 'ada@agents.localhost',
      subject: 'STOP',
      text: '',
    });
    const confirmed = await arrival('notice', OWNER);
    expect(confirmed.mail.text).toContain('I gave up 1 job.');
    expect((await epistle(workspace.root, ['why', stop])).json.entries[0]).toMatchObject({
      decision: 'recorded',
      code: 'stop_command',
    });
    expect((await epistle(workspace.root, ['runs', 'show', sent.json.results[0].run_id])).json.run.status).toBe(
      'cancelled',
    );

    await submit(workspace.root, gateway.ready, {
      from: OWNER,
      to: replyTo(notice.mail),
      subject: 'late',
      text: 'approve',
    });
    const waits = await ask('/list_files');
    expect(waits.json.results[0]).toMatchObject({ decision: 'deferred', code: 'persona_stopped' });

    await submit(workspace.root, gateway.ready, {
      from: OWNER,
      to: 'ada@agents.localhost',
      subject: 'RESUME',
      text: '',
    });
    const again = await ask('/list_files');
    expect(again.json.results[0]).toMatchObject({ status: 'done' });
    expect((await outgoing('reply')).filter(({ envelopeTo }) => envelopeTo === 'carl@elsewhere.example')).toEqual([]);
  });

  it('is obeyed from nobody else', async () => {
    await submit(workspace.root, gateway.ready, {
      from: MEMBER,
      to: 'ada@agents.localhost',
      subject: 'STOP',
      text: '/list_files',
    });
    expect((await ask('/list_files')).json.results[0]).toMatchObject({ status: 'done' });
  });
});
