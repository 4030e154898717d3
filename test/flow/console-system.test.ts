import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openConsole } from './console-rig.ts';
import { MEMBER, OWNER } from './governance-rig.ts';
import { onceRecorded } from './record.ts';

const open: { office?: Awaited<ReturnType<typeof openConsole>> } = {};
afterEach(() => open.office?.close());

const SMTP = { host: '127.0.0.1', port: 1, tls: 'none', auth: 'none', user: 'u', secret_env: 'MAIN_PASSWORD' };

async function office(files: Readonly<Record<string, string | object>> = {}) {
  const made = await openConsole({
    'personas/ben/persona.json': { name: 'Ben', address: 'ben@agents.localhost', owners: ['bob@example.com'] },
    ...files,
  });
  open.office = made;
  return made;
}

describe('the system in the console', () => {
  it('says what there is, and what is wrong with it', async () => {
    const { loggedIn } = await office({
      'configs/gateway.json': { smtp_listener: { port: 0 }, mailboxes: [{ id: 'main', smtp: SMTP }] },
      'extensions/extensions.json': {
        mcp: [
          { name: 'files', enabled: false, command: 'file-server', env: ['FILES_KEY'] },
          { name: 'shop', enabled: false, url: 'https://u:pass-word@shop.example.com/mcp' },
        ],
      },
      '.env': 'FILES_KEY=never-shown-anywhere\n',
    });
    const owner = await loggedIn();
    const { status, text } = await owner.get('/system');
    expect(status).toBe(200);
    for (const words of [
      'is not read',
      'Back up now',
      'There is no backup',
      'file-server',
      'FILES_KEY',
      'is set',
      'Node',
    ])
      expect(text).toContain(words);
    expect(text).not.toContain('never-shown-anywhere');
    expect(text).not.toContain('pass-word');
    const tested = await owner.press('/system/mailboxes/main/test');
    expect(tested.status).toBe(200);
    expect(tested.text).toContain('does not work');
    expect((await owner.press('/system/mailboxes/other/test')).status).toBe(404);
  });

  it('has a mail that failed sent again, in the name of who pressed', async () => {
    const gateway = await office({
      'configs/gateway.json': { smtp_listener: { port: 0 }, mailboxes: [{ id: 'main', smtp: SMTP }] },
    });
    const { loggedIn, root, cli, post } = gateway;
    await post({ from: OWNER, subject: 'Hello <b>there</b>', text: 'What do you do?' });
    const queued = async (count: number) =>
      onceRecorded(root, async () => {
        const { json } = await cli('outbox', 'list');
        expect(json.outbox.filter(({ attempts }: { attempts: number }) => attempts >= count).length).toBeGreaterThan(0);
        return json.outbox[0];
      });
    const mail = await queued(1);
    const owner = await loggedIn();
    const { text } = await owner.get('/system');
    expect(text).toContain('Try now');
    expect(text).toContain('Hello &lt;b&gt;there');
    const path = `/system/outbox/${mail.persona}/${mail.id}/retry`;
    expect(await owner.press(path)).toMatchObject({ status: 303 });
    await queued(2);
    const { json } = await cli('audit');
    expect(json.audit[0]).toMatchObject({ event: 'mail_sent_again', actor: OWNER, detail: { outbox_id: mail.id } });
    await cli('outbox', 'drop', mail.id);
    for (const [other, code] of [
      [`/system/outbox/ada/${mail.id}x/retry`, 404],
      [`/system/outbox/ben/${mail.id}/retry`, 404],
      ['/system/outbox/nobody/x/retry', 404],
    ] as const)
      expect([other, (await owner.press(other)).status]).toEqual([other, code]);
  });

  it('takes in once more what could not be read', async () => {
    const { loggedIn, post, cli, root, workspace } = await office({
      'configs/gateway.json': { smtp_listener: { port: 0 }, limits: { max_mime_parts: 2 } },
    });
    const parts = ['one', 'two', 'three'].flatMap((word) => ['--x', 'Content-Type: text/plain', '', word]);
    const head = [
      `From: ${MEMBER}`,
      'To: ada@agents.localhost',
      'Subject: Many parts',
      'Message-ID: <m@member.example>',
    ];
    const type = ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=x', ''];
    await post({ from: OWNER, raw: [...head, ...type, ...parts, '--x--', ''].join('\r\n').replace(MEMBER, OWNER) });
    const letter = await onceRecorded(root, async () => {
      const { json } = await cli('deadletters', 'list');
      expect(json.dead_letters).toHaveLength(1);
      return json.dead_letters[0];
    });
    const owner = await loggedIn();
    expect((await owner.get('/system')).text).toContain('Read again');
    const path = `/system/letters/${letter.id}/requeue`;
    expect(await owner.press(path)).toMatchObject({ status: 409 });
    await cli('deadletters', 'requeue', letter.id);
    workspace.write('configs/gateway.json', { smtp_listener: { port: 0 }, limits: { max_mime_parts: 200 } });
    await onceRecorded(root, async () => expect(await owner.press(path)).toMatchObject({ status: 303 }));
    expect((await cli('deadletters', 'list')).json.dead_letters).toEqual([]);
    expect((await owner.get('/system')).text).not.toContain('Read again');
    expect(await owner.press(path)).toMatchObject({ status: 404 });
    const { json } = await cli('audit');
    const actors = json.audit.map(({ event, actor }: { event: string; actor: string }) => [event, actor]);
    expect(actors).toContainEqual(['letter_requeued', OWNER]);
    expect(actors).toContainEqual(['letter_requeued', 'cli']);
  });

  it('makes a backup, one at a time, which stands there with its time and size', async () => {
    const { loggedIn, root, cli } = await office();
    const owner = await loggedIn();
    expect(await owner.press('/system/backup')).toMatchObject({ status: 303 });
    const second = await owner.press('/system/backup');
    expect(second).toMatchObject({ status: 409 });
    await onceRecorded(root, async () => {
      const { text } = await owner.get('/system');
      expect(text).toContain('was made and verified');
      expect(text).toContain('with keys and passwords');
    });
    expect(readdirSync(join(root, 'backups'))).toHaveLength(1);
    const { json } = await cli('audit');
    expect(json.audit[0]).toMatchObject({ event: 'backup_begun', actor: OWNER });
  });

  it('is for owners of the gateway alone, and who only looks presses nothing', async () => {
    const { loggedIn, root } = await office();
    const bob = await loggedIn('--as', 'bob@example.com');
    const acts = [
      '/system/backup',
      '/system/letters/x/requeue',
      '/system/outbox/ada/x/retry',
      '/system/mailboxes/x/test',
    ];
    expect((await bob.get('/system')).status).toBe(404);
    expect((await bob.get('/')).text).not.toContain('href="/system"');
    for (const path of acts) expect([path, (await bob.press(path)).status]).toEqual([path, 404]);
    for (const role of ['viewer', 'operator']) {
      const looker = await loggedIn('--role', role);
      const { status, text } = await looker.get('/system');
      expect([status, text.includes('Back up now')]).toEqual([200, false]);
      for (const path of acts) expect([role, path, (await looker.press(path)).status]).toEqual([role, path, 403]);
    }
    const owner = await loggedIn();
    for (const path of acts) {
      const { status } = await owner.send(path, { method: 'POST', form: { form: 'f'.repeat(32) } });
      expect([path, status]).toEqual([path, 403]);
    }
    expect(existsSync(join(root, 'backups'))).toBe(false);
  });
});
