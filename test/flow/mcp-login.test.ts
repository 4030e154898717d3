import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { READ } from '../engine/extensions/mcp/mcp-rig.ts';
import { browse, startAuthorizationServer } from '../fakes/authorization-server.ts';
import { startMcpServer } from '../fakes/mcp-http-server.ts';
import { eventually } from './eventually.ts';
import { OWNER, openOffice } from './governance-rig.ts';

const SCRIPT = { tools: [READ], calls: { 'look-up': { content: [{ type: 'text', text: 'Cats are small.' }] } } };

/** A gateway with a hosted server that wants a login, and its owner, who has a browser. */
async function hosted() {
  const as = await startAuthorizationServer();
  const folder = mkdtempSync(join(tmpdir(), 'epistle-hosted-'));
  const script = join(folder, 'wiki.json');
  writeFileSync(script, JSON.stringify(SCRIPT));
  const calls = () => (existsSync(`${script}.calls`) ? readFileSync(`${script}.calls`, 'utf8').trim().split('\n') : []);
  const ending = { afterCalls: Number.POSITIVE_INFINITY };
  /** Its tokens end between two calls of one run. */
  const isGood = (token: string): boolean => {
    if (calls().length < ending.afterCalls) return as.isGood(token);
    ending.afterCalls = Number.POSITIVE_INFINITY;
    as.endAccess();
    return false;
  };
  const server = await startMcpServer(script, { guard: { issuer: as.url, isGood } });
  as.script.resource = `${server.baseUrl}/mcp`;
  const wiki = {
    name: 'wiki',
    url: `${server.baseUrl}/mcp`,
    auth: 'oauth',
    tools: { risk: { 'look-up': 'read' } },
  };
  const office = await openOffice({ 'extensions/extensions.json': { mcp: [wiki] } });
  onTestFinished(async () => {
    await office.close();
    await Promise.all([server.stop(), as.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    as,
    server,
    office,
    calls,
    ending,
    async logIn() {
      const begun = await office.cli('extensions', 'login', 'wiki', '--non-interactive');
      expect(begun).toMatchObject({ code: 3, json: { ok: true, state: 'pending', server: 'wiki' } });
      const { headers } = await fetch(begun.json.url, { redirect: 'manual' });
      const back = headers.get('location') ?? '';
      return office.cli('extensions', 'login', '--non-interactive', '--url', back);
    },
    notices: async () => (await office.left('notice', OWNER)).filter(({ mail }) => mail.subject?.includes('login')),
  };
}

/** What is kept of the login, or of one that was begun. */
function keptOf(root: string, end: '.pending.json' | '.json'): string {
  const folder = join(root, 'data/oauth');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const name = names.find((one) => one.endsWith(end) && (end === '.pending.json' || !one.endsWith('.pending.json')));
  return name === undefined ? '{}' : readFileSync(join(folder, name), 'utf8');
}

const LOOK = '/wiki_look_up {"word": "cat"}';

describe('a hosted MCP server that wants a login', () => {
  it('is logged in to by a command, and used by mail while its tokens end', async () => {
    const { as, office, logIn, calls, ending } = await hosted();
    const missing = await office.cli('extensions', 'check', 'wiki');
    expect(missing).toMatchObject({ code: 1 });
    expect(JSON.stringify(missing.json.problems)).toContain('run `epistle extensions login wiki`');
    expect(await logIn()).toMatchObject({ code: 0, json: { state: 'logged_in', provider: new URL(as.url).host } });
    expect((await office.cli('extensions', 'allow', 'wiki')).json).toMatchObject({ pinned: 1 });

    ending.afterCalls = 1;
    const { json } = await office.ask(`${LOOK}\n/wiki_look_up {"word": "dog"}`, OWNER);
    expect(json.results[0]).toMatchObject({ status: 'done' });
    expect(json.results[0].reply.text.match(/Cats are small/g)).toHaveLength(2);
    expect(calls()).toHaveLength(2);
    expect(as.renewals()).toBe(1);
    expect((await office.cli('doctor')).json.checks).toContainEqual(
      expect.objectContaining({ name: 'mcp:wiki:login', ok: true }),
    );

    const shown = await office.cli('runs', 'show', json.message_id, '--prompt');
    const said = [office.log(), json, shown.json, (await office.cli('config', 'show')).json].map((one) =>
      JSON.stringify(one),
    );
    expect(said.join('\n')).not.toMatch(/(access|refresh|secret|code)-\d+-z/);
    const backup = await office.cli('backup', 'create', '--without-secrets');
    expect(readFileSync(join(backup.json.path, 'manifest.json'), 'utf8')).not.toContain('oauth/');
  });

  it('loses its tools by name when the login is revoked, tells the owner once, and mail goes on', async () => {
    const { as, office, logIn, notices, calls } = await hosted();
    await logIn();
    await office.cli('extensions', 'allow', 'wiki');
    await office.ask(LOOK, OWNER);
    expect(calls()).toHaveLength(1);

    const { refresh_token: token } = JSON.parse(keptOf(office.root, '.json'));
    await fetch(`${as.url}/revoke`, { method: 'POST', body: new URLSearchParams({ token }) });
    for (const subject of ['First', 'Second']) {
      const { json } = await office.ask(LOOK, OWNER, subject);
      expect(json.results[0]).toMatchObject({ status: 'done' });
      expect(json.results[0].reply.text).toContain('its login has ended');
      expect(json.results[0].reply.text).not.toContain('SERVER-WORDS');
    }
    const [told, ...more] = await notices();
    expect(more).toEqual([]);
    expect(told?.mail.subject).toBe('[Ada] A login is needed: the MCP server wiki');
    expect(told?.mail.text).toContain('extensions login wiki');
    expect(told?.mail.text).toContain('Mail is answered meanwhile without them.');

    const status = (await office.cli('status')).json;
    expect(status).toMatchObject({ healthy: false, unhealthy: ['cannot be used: tool server wiki'] });
    const check = await office.cli('extensions', 'check', 'wiki');
    const list = await office.cli('extensions', 'list');
    for (const said of [check.json.problems, list.json.extensions, status.extensions])
      expect(JSON.stringify(said)).toContain('epistle extensions login wiki');
    const { checks } = (await office.cli('doctor')).json;
    const doctor = checks.find(({ name }: { name: string }) => name === 'mcp:wiki:login');
    expect(doctor).toMatchObject({ ok: false, cure: 'run `epistle extensions login wiki`' });

    // A restart tells nobody again.
    await office.restart();
    await office.ask(LOOK, OWNER, 'Third');
    expect(await notices()).toHaveLength(1);
    await logIn();
    const { json } = await office.ask(LOOK, OWNER, 'Fourth');
    expect(json.results[0].reply.text).toContain('Cats are small');
    const unhealthy = async () => (await office.cli('status')).json.unhealthy;
    await expect.poll(unhealthy, { timeout: 20_000 }).toEqual([]);
  });

  it('lets the browser come back to the command by itself', async () => {
    const { office } = await hosted();
    const told = office.cli('extensions', 'login', 'wiki', '--wait', '60');
    const begun = () => JSON.parse(keptOf(office.root, '.pending.json')).url;
    const page = await eventually(begun, (url) => url !== undefined);
    expect(await browse(page)).toMatchObject({ status: 200 });
    expect(await told).toMatchObject({ code: 0, json: { state: 'logged_in' } });
  });
});
