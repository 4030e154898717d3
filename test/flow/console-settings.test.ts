import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startSmtpPeer } from '../fakes/smtp-peer.ts';
import { type Browser, browserAt, openConsole } from './console-rig.ts';
import { OWNER } from './governance-rig.ts';

const open: { office?: Awaited<ReturnType<typeof openConsole>> } = {};
const peers: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  await open.office?.close();
  for (const peer of peers.splice(0)) await peer.stop();
});

const SECURITY = `{
  "owners": ["${OWNER}",  "olga@example.com"],
  "approvals": { "batch_window_s": 0, "ttl_hours":  72 }
}
`;
const TOKEN = 'hunter2-of-the-office';

async function office(files: Readonly<Record<string, string | object>> = {}) {
  const made = await openConsole({
    'configs/security.json': SECURITY,
    'personas/ben/persona.json': { name: 'Ben', address: 'ben@agents.localhost', owners: ['bob@example.com'] },
    ...files,
  });
  open.office = made;
  const text = (file: string) => readFileSync(join(made.root, file), 'utf8');
  const loggedIn = (...args: string[]) => made.loggedIn(...(args.includes('--as') ? [] : ['--as', OWNER]), ...args);
  return { ...made, loggedIn, text };
}

const hashIn = (text: string): string => /name="hash" value="([0-9a-f]+)"/.exec(text)?.[1] ?? '';
const address = (file: string, key: string, more: Readonly<Record<string, string>> = {}): string =>
  `/settings/change?${new URLSearchParams({ file, key, ...more }).toString()}`;

/** What somebody does who looks at the difference and presses the button. */
async function change(browser: Browser, file: string, key: string, to: string) {
  const { text } = await browser.get(address(file, key, { to }));
  return browser.press('/settings/change', { file, key, to, hash: hashIn(text) });
}
/** Of the table, the row of one setting. */
const rowOf = (text: string, key: string): string =>
  text.split('<tr ').find((row) => row.includes(`<code>${key}</code>`)) ?? '';

describe('settings in the console', () => {
  it('stand there with what is in force, where it comes from, its default and what it means', async () => {
    const { loggedIn } = await office();
    const owner = await loggedIn();
    const { status, text: first } = await owner.get('/settings');
    expect(status).toBe(200);
    expect(rowOf(first, 'approvals.ttl_hours')).toMatch(/72[\s\S]*the file[\s\S]*168/);
    // Four fifths are defaults, which stand one link away.
    expect(rowOf(first, 'quarantine_days')).toBe('');
    expect(first).toMatch(/<a href="\/settings\?file=security">All \d\d settings of configs\/security\.json<\/a>/);
    expect(rowOf((await owner.get('/settings?file=security')).text, 'quarantine_days')).not.toBe('');
    const { text } = await owner.get('/settings?set=all');
    expect(rowOf(text, 'approvals.ttl_hours')).toMatch(/72[\s\S]*the file[\s\S]*168/);
    expect(rowOf(text, 'quarantine_days')).toMatch(/14[\s\S]*default[\s\S]*14/);
    expect(rowOf(text, 'quarantine_days')).toContain('Days for which a refused mail is kept');
    // Of every key of the reference.
    const reference = readFileSync('docs/settings.md', 'utf8').matchAll(/^\| `([\w.]+)` \|/gm);
    const ofPersonas = (await owner.get('/settings?file=persona%2Fada')).text;
    const keys = [...reference];
    expect(keys.length).toBeGreaterThan(100);
    for (const [, key = ''] of keys) expect(rowOf(text, key) || rowOf(ofPersonas, key), key).not.toBe('');
    const found = await owner.get('/settings?q=refused+kept');
    expect(found.text).toContain('quarantine_days');
    expect(found.text).not.toContain('approvals.ttl_hours');
    const touched = await owner.get('/settings?set=yes');
    expect(touched.text).toContain('approvals.ttl_hours');
    expect(touched.text).not.toContain('quarantine_days');
    expect((await owner.get('/settings?q=nothing-like-that')).text).toContain('No setting fits');
  });

  it('are changed as a difference first, and nothing else of the file moves', async () => {
    const { loggedIn, text, cli } = await office();
    const owner = await loggedIn();
    const shown = await owner.get(address('security', 'approvals.ttl_hours', { to: '100' }));
    expect(shown.text).toMatch(/<del>72<\/del>[\s\S]*<ins>100<\/ins>/);
    expect(text('configs/security.json')).toBe(SECURITY);
    const form = { file: 'security', key: 'approvals.ttl_hours', hash: hashIn(shown.text) };
    const done = await owner.press('/settings/change', { ...form, to: '100' });
    expect(done.status).toBe(303);
    expect(text('configs/security.json')).toBe(SECURITY.replace('72', '100'));
    expect((await owner.get('/settings?q=ttl_hours')).text).toContain('100');
    const { json } = await cli('audit');
    expect(json.audit[0]).toMatchObject({ event: 'setting_changed', actor: OWNER });
    // The same form once more is about a file that is another by now.
    expect(await owner.press('/settings/change', { ...form, to: '5' })).toMatchObject({ status: 409 });
    const back = await owner.get(address('security', 'approvals.ttl_hours', { unset: 'yes' }));
    const hash = hashIn(back.text);
    expect(await owner.press('/settings/change', { ...form, hash, unset: 'yes' })).toMatchObject({ status: 303 });
    expect(JSON.parse(text('configs/security.json')).approvals).toEqual({ batch_window_s: 0 });
  });

  it('of a persona and of entries with names are changed where they stand', async () => {
    const side = { host: 'mail.example.com', user: 'u', secret_env: 'MAIN_PASSWORD' };
    const { loggedIn, text } = await office({
      'configs/gateway.json': { smtp_listener: { port: 0 }, mailboxes: [{ id: 'main', smtp: side }] },
    });
    const owner = await loggedIn();
    expect(await change(owner, 'persona/ada', 'budget.usd_per_day', '2.5')).toMatchObject({ status: 303 });
    expect(JSON.parse(text('personas/ada/persona.json')).budget).toEqual({ usd_per_day: 2.5 });
    expect(await change(owner, 'gateway', 'mailboxes.main.smtp.port', '2525')).toMatchObject({ status: 303 });
    expect(JSON.parse(text('configs/gateway.json')).mailboxes[0].smtp.port).toBe(2525);
    const row = rowOf((await owner.get('/settings?file=gateway')).text, 'mailboxes.main.smtp.secret_env');
    expect(row).toContain('MAIN_PASSWORD');
    expect(row).toContain('is not set');
  });

  it('that somebody has written wrongly are told with what is in force, and mended', async () => {
    const { loggedIn, text, workspace } = await office();
    const owner = await loggedIn();
    const wrong = SECURITY.replace('"approvals"', '"quarantine_days": "thirty",\n  "approvals"');
    workspace.write('configs/security.json', wrong);
    const { text: page } = await owner.get('/settings');
    expect(page).toContain('was not taken');
    expect(rowOf(page, 'quarantine_days')).toMatch(/14[\s\S]*the file says thirty/);
    expect(rowOf(page, 'approvals.ttl_hours')).toMatch(/72[\s\S]*last good version/);
    const planned = await owner.get(address('security', 'quarantine_days', { to: 'forty' }));
    expect(planned.text).toContain('cannot be written');
    expect(await change(owner, 'security', 'quarantine_days', 'forty')).toMatchObject({ status: 409 });
    expect(await change(owner, 'security', 'quarantine_days', '30')).toMatchObject({ status: 303 });
    expect(text('configs/security.json')).toBe(wrong.replace('"thirty"', '30'));
    expect(rowOf((await owner.get('/settings')).text, 'quarantine_days')).toMatch(/30[\s\S]*the file/);
    workspace.write('configs/security.json', '{ "owners": [');
    const broken = await owner.get('/settings?file=security');
    expect(broken.text).toContain('is not JSON');
    expect(rowOf(broken.text, 'approvals.ttl_hours')).toContain('72');
  });

  it('never show what is secret, also where somebody has written it in the place of its name', async () => {
    const { loggedIn } = await office({
      'configs/gateway.json': {
        smtp_listener: { port: 0 },
        mailboxes: [{ id: 'main', smtp: { host: 'mail.example.com', user: 'u', secret_env: 'Hunter2_of_the_office' } }],
      },
      'extensions/extensions.json': {
        providers: [{ name: 'openai', config: { base_url: `https://u:${TOKEN}@api.example.com/v1`, api_key: TOKEN } }],
        mcp: [{ name: 'files', enabled: false, command: 'run', args: ['--token', TOKEN, `--key=${TOKEN}`] }],
      },
      '.env': `MAIN_PASSWORD=${TOKEN}\n`,
    });
    const owner = await loggedIn();
    for (const path of [
      '/settings',
      '/settings?q=hunter2',
      address('extensions', 'providers.openai.config'),
      address('extensions', 'mcp.files.args'),
      address('extensions', 'mcp.files.args', { to: '["--token"]' }),
      address('gateway', 'mailboxes.main.smtp.secret_env'),
    ]) {
      const { text, status } = await owner.get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(text, path).not.toMatch(/hunter2-|>Hunter2/);
    }
  });
});

describe('what decides who may do what', () => {
  it('is changed in a fresh session alone, and every owner is told who changed it', async () => {
    const { loggedIn, text, restart, url, arrival } = await office();
    const owner = await loggedIn();
    const later = new Date(Date.now() + 6 * 60_000).toISOString();
    await restart({ NODE_ENV: 'test', EPISTLE_TEST_NOW: later });
    const still = browserAt(url(), owner.cookie());
    const to = '["mallory@example.com"]';
    const shown = await still.get(address('security', 'owners', { to }));
    expect(shown.text).toContain('less than five minutes old');
    const form = { file: 'security', key: 'owners', to, hash: hashIn(shown.text) };
    const refused = await still.press('/settings/change', form);
    expect(refused).toMatchObject({ status: 403 });
    expect(refused.text).toContain('open it in this browser');
    expect(text('configs/security.json')).toBe(SECURITY);
    // What decides nothing of that kind needs no fresh one.
    expect(await change(still, 'inference', 'max_tool_turns', '9')).toMatchObject({ status: 303 });
    await restart({});
    const fresh = await loggedIn();
    expect(await change(fresh, 'security', 'owners', to)).toMatchObject({ status: 303 });
    expect(JSON.parse(text('configs/security.json')).owners).toEqual(['mallory@example.com']);
    // Who is no owner any more sees nothing of it from then on.
    expect((await fresh.get('/settings')).status).toBe(404);
    for (const address of [OWNER, 'olga@example.com', 'mallory@example.com']) {
      const { mail } = await arrival('notice', address);
      expect(mail.subject).toBe(`Settings were changed by ${OWNER}`);
      expect(mail.text).toContain('configs/security.json, owners.mallory@example.com: – → "mallory@example.com"');
    }
  });

  it('is for owners of the gateway alone', async () => {
    const { loggedIn, text } = await office();
    const key = 'max_tool_turns';
    const bob = await loggedIn('--as', 'bob@example.com');
    expect((await bob.get('/')).text).not.toContain('href="/settings"');
    const hash = hashIn((await (await loggedIn()).get(address('inference', key, { to: '9' }))).text);
    const form = { file: 'inference', key, to: '9', hash };
    for (const path of ['/settings', '/settings?file=persona%2Fben', address('persona/ben', 'name')])
      expect([path, (await bob.get(path)).status]).toEqual([path, 404]);
    expect(await bob.press('/settings/change', form)).toMatchObject({ status: 404 });
    for (const role of ['viewer', 'operator']) {
      const looker = await loggedIn('--role', role);
      const { text: page } = await looker.get(address('inference', key));
      expect(page).toContain(`You are here as ${role}`);
      expect(await looker.press('/settings/change', form)).toMatchObject({ status: 403 });
    }
    const owner = await loggedIn();
    expect(await owner.press('/settings/change', { ...form, form: 'f'.repeat(32) })).toMatchObject({ status: 403 });
    // Another one's persona is not there, and nothing that is no key of the reference.
    const bad: readonly (readonly [string, string])[] = [
      ['persona/ben', 'name'],
      ['persona/../../etc', 'name'],
      ['nothing', 'a'],
      ['inference', '__proto__.x'],
      ['inference', '["stages"'],
      ['inference', ''],
    ];
    for (const [file, name] of bad) {
      expect([file, name, (await owner.get(address(file, name))).status]).toEqual([file, name, 404]);
      const { status } = await owner.press('/settings/change', { file, key: name, to: '1', hash });
      expect([file, name, status]).toEqual([file, name, 404]);
    }
    expect(text('configs/security.json')).toBe(SECURITY);
    const hostile = await owner.get(`/settings?q=${encodeURIComponent('"><script>x</script>')}`);
    expect(hostile.text).toContain('&lt;script&gt;x');
    expect(hostile.text).not.toContain('<script>x');
    const typed = await owner.get(address('system', 'data_dir', { to: '<img src=x>' }));
    expect(typed.text).toContain('&lt;img src=x');
    expect(typed.text).not.toContain('<img');
  });
});

describe('a change of how mail leaves', () => {
  /** Its mails leave by a server of the test; `theirs` is another one. */
  async function mailing() {
    const [ours, theirs] = [await startSmtpPeer(), await startSmtpPeer()];
    peers.push(ours, theirs);
    const smtp = { host: '127.0.0.1', tls: 'none', auth: 'none', secret_env: 'NONE', user: 'ada@agents.localhost' };
    const made = await office({
      'configs/gateway.json': {
        smtp_listener: { port: 0 },
        mailboxes: [{ id: 'main', smtp: { ...smtp, port: ours.port } }],
      },
    });
    const told = ({ mails }: typeof ours) =>
      mails.filter(({ raw }) => raw.includes('Settings were changed')).flatMap(({ to }) => to);
    return { ...made, ours, theirs, told };
  }
  const port = 'mailboxes.main.smtp.port';

  it('is told to every owner by the way of before, which it cannot swallow', async () => {
    const { loggedIn, text, ours, theirs, told } = await mailing();
    const owner = await loggedIn();
    expect(await change(owner, 'gateway', port, String(theirs.port))).toMatchObject({ status: 303 });
    // It has left when the change is made.
    expect(told(ours).toSorted()).toEqual(['olga@example.com', OWNER].toSorted());
    expect(told(theirs)).toEqual([]);
    expect(JSON.parse(text('configs/gateway.json')).mailboxes[0].smtp.port).toBe(theirs.port);
    expect((await owner.get('/')).text).not.toContain('had not left before');
  });

  it('stands among what is to be mended where the mail about it did not leave before', async () => {
    const { loggedIn, text, ours, theirs, told, cli } = await mailing();
    const owner = await loggedIn();
    ours.script.greeting = '421 not now';
    expect(await change(owner, 'gateway', port, String(theirs.port))).toMatchObject({ status: 303 });
    expect(told(ours)).toEqual([]);
    expect(JSON.parse(text('configs/gateway.json')).mailboxes[0].smtp.port).toBe(theirs.port);
    for (const path of ['/', '/system']) {
      const page = await owner.get(path);
      expect(page.text).toContain(`${OWNER} changed how mail leaves`);
      expect(page.text).toContain(`configs/gateway.json ${port}`);
    }
    const bob = await loggedIn('--as', 'bob@example.com');
    expect((await bob.get('/')).text).not.toContain('changed how mail leaves');
    const { audit } = (await cli('audit')).json;
    expect(audit).toContainEqual(expect.objectContaining({ event: 'setting_told_late', persona: null, actor: OWNER }));
  });
});
