import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { epistle } from './gateway.ts';
import { type Office, OWNER, openOffice } from './governance-rig.ts';

const open: { office?: Office } = {};
afterEach(() => open.office?.close());

const soon = { timeout: 90_000, interval: 50 };
const dyingAt = (label: string) => ({ NODE_ENV: 'test', EPISTLE_CRASH_AT: label });

/** A tool of the workspace that notes each beginning in a file, and whose result stands in another, or is brought. */
async function studio({ timeout_s = 600 } = {}) {
  const office = await openOffice({
    'configs/inference.json': { provider: 'director', model: 'm1' },
    'extensions/extensions.json': { tools: ['render'], providers: ['director'] },
    'extensions/providers/director/manifest.json': {
      name: 'director',
      kind: 'provider',
      api: 1,
      summary: 'd',
      entry: 'index.mjs',
      models: { m1: { context_tokens: 100_000, max_output_tokens: 1000, tools: true } },
    },
    'extensions/providers/director/index.mjs': `
      const base = { usage: { input: 1, output: 1, cached: 0, cacheWrite: 0 }, providerParts: null, reportedCostUsd: null };
      export default { create: () => ({ async generate({ messages, model }) {
        const parts = { ...base, providerParts: { provider: 'director', model, data: null } };
        const results = messages.flatMap((one) => (one.role === 'tool' ? one.results : []));
        if (results.length > 0)
          return { ...parts, text: 'The film: ' + results.map(({ content }) => content).join(), toolCalls: [], finish: 'stop' };
        const toolCalls = [{ id: 'c1', name: 'render', arguments: {} }];
        return { ...parts, text: 'The plan of it is ready.', toolCalls, finish: 'tool_calls' };
      } }) };`,
    'configs/system.json': { console: { enabled: true, port: 0 }, log: { level: 'warn', format: 'json' } },
    'extensions/tools/render/manifest.json': {
      name: 'render',
      kind: 'tool',
      api: 1,
      summary: 'r',
      entry: 'index.mjs',
      capabilities: ['callback'],
    },
    'extensions/tools/render/index.mjs': `
      import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
      const here = (name) => new URL(name, import.meta.url);
      const pending = (id) => ({ pending: { id, check_after_s: 0, timeout_s: ${timeout_s} } });
      export default {
        description: 'Renders a film', risk: 'read', scope: 'files:read', input: { type: 'object' }, uses: ['callback'],
        async run(_, { callback }) {
          writeFileSync(here('callback'), JSON.stringify(await callback.address()));
          appendFileSync(here('begun'), 'x');
          return pending('job-1');
        },
        check(id) {
          if (existsSync(here('film'))) return { film: readFileSync(here('film'), 'utf8') };
          return pending(id);
        },
      };`,
  });
  open.office = office;
  const inside = (name: string) => join(office.root, 'extensions/tools/render', name);
  return {
    office,
    begun: () => (existsSync(inside('begun')) ? readFileSync(inside('begun'), 'utf8').length : 0),
    /** What whoever renders the film was given; the port is the one that the console of now has. */
    callback() {
      const { url, token } = JSON.parse(readFileSync(inside('callback'), 'utf8')) as { url: string; token: string };
      const path = new URL(url).pathname;
      const post = (body: string, used = token) =>
        fetch(`${office.ready().console?.url}${path}`, {
          method: 'POST',
          body,
          headers: { authorization: `Bearer ${used}`, 'content-type': 'application/json' },
        }).then(({ status }) => status);
      return { path, token, post };
    },
    finish: (film: string) => writeFileSync(inside('film'), film),
    rests: () =>
      vi.waitFor(async () => {
        const [run] = (await office.cli('runs', 'list')).json.runs;
        expect(run.status).toBe('waiting_approval');
        return run.id as string;
      }, soon),
  };
}

/** Files in which the text stands. */
async function bytesBelow(folder: string, text: string): Promise<string[]> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());
  expect(files.length).toBeGreaterThan(3);
  return files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes(text));
}

const bring = (office: Office, job: string, json: string) => epistle(office.root, ['runs', 'resolve', job], json);

const died = async (
  office: Office,
  environment: Readonly<Record<string, string>>,
  meanwhile: () => Promise<unknown> = async () => {},
) => {
  const dying = await office.launch(environment);
  await meanwhile();
  await dying.death();
};

describe('a call whose result comes later', () => {
  it('B-22: is made once and gives one result in a follow-up of its thread, whenever the process is killed', async () => {
    const { office, begun, finish, rests } = await studio();
    await office.stop();
    await died(office, dyingAt('run.event.answered_so_far'), () =>
      office.post({ subject: 'Film', text: '/render {}' }),
    );
    await office.restart({});
    const id = await rests();
    expect(begun()).toBe(1);
    const listed = (await office.cli('runs', 'show', id)).json.run.suspensions;
    expect(listed).toMatchObject([{ tool: 'render', kind: 'external', state: 'open' }]);
    await office.stop();
    finish('f.mp4');
    await died(office, dyingAt('run.event.resumed'));
    finish('another.mp4');
    await died(office, dyingAt('run.event.reply_committed'));
    await office.restart({});
    await office.arrival('reply', OWNER, 2);
    const [soFar, rest] = await office.left('reply', OWNER);
    expect(soFar?.mail.text).toContain('The plan of it is ready.');
    expect(rest?.mail.text).toContain('f.mp4');
    expect(new Set([soFar, rest].map((one) => one?.mail.inReplyTo)).size).toBe(1);
    expect(begun()).toBe(1);
    const { run } = (await office.cli('runs', 'show', id)).json;
    expect(run.suspensions).toMatchObject([{ state: 'resolved' }]);
    expect(run.events.filter(({ type }: { type: string }) => type === 'resumed')).toHaveLength(1);
    const { explained } = (await office.cli('runs', 'explain', id)).json;
    expect(explained).toMatchObject({ missing: [], steps: [{ calls: [{ suspension: { state: 'resolved' } }] }, {}] });
    expect((await office.cli('runs', 'replay', id)).json.replay).toMatchObject({ identical: true });
  });

  it('is brought by whoever has it', async () => {
    const { office, rests } = await studio();
    await office.post({ subject: 'Film', text: 'Please.' });
    const id = await rests();
    const brought = await bring(office, 'job-1', '{"film":"g.mp4"}');
    expect(brought).toMatchObject({ code: 0, json: { resolved: { run_id: id, tool: 'render' } } });
    await office.arrival('reply', OWNER, 2);
    expect((await office.left('reply', OWNER)).at(-1)?.mail.text).toContain('g.mp4');
    expect((await bring(office, 'job-1', '{}')).code).toBe(1);
  });

  it('is brought by whoever works for it, once, after a restart and over a kill', async () => {
    const { office, callback, begun, rests } = await studio();
    await office.post({ subject: 'Film', text: 'Please.' });
    const id = await rests();
    const { path, token, post } = callback();
    expect(path).toBe('/v1/results/ada');
    const { waiting_parts } = (await office.cli('status')).json;
    expect(waiting_parts).toEqual({ external: 1, delegation: 0 });
    const metrics = await fetch(`${office.ready().console?.url}/metrics`).then((response) => response.text());
    expect(metrics).toContain('epistle_waiting_parts{kind="external"} 1\n');
    expect(metrics).not.toMatch(/@|ada/);
    await office.launch(dyingAt('run.event.resumed'));
    const ready = await fetch(`${office.ready().console?.url}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([200, { ok: true, checks: { database: { ok: true } } }]);
    expect(await post('{"film":"x"}', 'f'.repeat(64))).toBe(404);
    expect(await post('no JSON')).toBe(400);
    // It is on disk, and the process dies before it can say so.
    await expect(post('{"film":"h.mp4"}')).rejects.toThrow();
    expect(await bytesBelow(join(office.root, 'data'), token)).toEqual([]);
    await office.restart({});
    expect(await post('{"film":"another.mp4"}')).toBe(404);
    await office.arrival('reply', OWNER, 2);
    const mails = await office.left('reply', OWNER);
    expect(mails.at(-1)?.mail.text).toContain('h.mp4');
    expect(new Set(mails.map(({ mail }) => mail.inReplyTo)).size).toBe(1);
    expect(begun()).toBe(1);
    const { run } = (await office.cli('runs', 'show', id)).json;
    const resumed = run.events.filter(({ type }: { type: string }) => type === 'resumed');
    expect(resumed).toMatchObject([{ data: { by: 'callback', state: 'resolved' } }]);
    expect((await office.cli('runs', 'replay', id)).json.replay).toMatchObject({ identical: true });
  });

  it('B-22: has timed out when nobody brings it, which the mail says', async () => {
    const { office, rests } = await studio({ timeout_s: 1 });
    await office.post({ subject: 'Film', text: 'Please.' });
    const id = await rests();
    await office.arrival('reply', OWNER, 2);
    expect((await office.left('reply', OWNER)).at(-1)?.mail.text).toMatch(/gave no result within 1 s/);
    const { suspensions } = (await office.cli('runs', 'show', id)).json.run;
    expect(suspensions).toMatchObject([{ state: 'timed_out' }]);
  });

  it('is over with its run when that is cancelled', async () => {
    const { office, rests, finish } = await studio();
    await office.post({ subject: 'Film', text: '/render {}' });
    const id = await rests();
    expect((await office.cli('runs', 'cancel', id)).code).toBe(0);
    finish('f.mp4');
    expect((await office.cli('runs', 'show', id)).json.run).toMatchObject({
      status: 'cancelled',
      suspensions: [{ state: 'cancelled' }],
    });
  });
});
