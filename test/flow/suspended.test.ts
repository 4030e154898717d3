import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { epistle } from './gateway.ts';
import { type Office, OWNER, openOffice } from './governance-rig.ts';

const open: { office?: Office } = {};
afterEach(() => open.office?.close());

const soon = { timeout: 30_000, interval: 50 };
const dyingAt = (label: string) => ({ NODE_ENV: 'test', EPISTLE_CRASH_AT: label });

/** A tool of the workspace that notes each beginning in a file, and whose result stands in another. */
async function studio() {
  const office = await openOffice({
    'configs/inference.json': { provider: 'director', model: 'm1' },
    'extensions/extensions.json': { tools: ['render'], providers: ['director'] },
    'extensions/providers/director/manifest.json': {
      ...{ name: 'director', kind: 'provider', api: 1, summary: 'd', entry: 'index.mjs' },
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
    'extensions/tools/render/manifest.json': { name: 'render', kind: 'tool', api: 1, summary: 'r', entry: 'index.mjs' },
    'extensions/tools/render/index.mjs': `
      import { appendFileSync, existsSync, readFileSync } from 'node:fs';
      const here = (name) => new URL(name, import.meta.url);
      const pending = (id) => ({ pending: { id, check_after_s: 0, timeout_s: 600 } });
      export default {
        description: 'Renders a film', risk: 'read', scope: 'files:read', input: { type: 'object' },
        run() { appendFileSync(here('begun'), 'x'); return pending('job-1'); },
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
    finish: (film: string) => writeFileSync(inside('film'), film),
    rests: () =>
      vi.waitFor(async () => {
        const [run] = (await office.cli('runs', 'list')).json.runs;
        expect(run.status).toBe('waiting_approval');
        return run.id as string;
      }, soon),
  };
}

const bring = (office: Office, job: string, json: string) => epistle(office.root, ['runs', 'resolve', job], json);

const died = async (
  office: Office,
  environment: Readonly<Record<string, string>>,
  meanwhile: () => Promise<unknown> = async () => {},
) => {
  const { process } = await office.restart(environment);
  await meanwhile();
  if (process.signalCode === null) await once(process, 'exit');
  expect(process.signalCode).toBe('SIGKILL');
};

describe('a call whose result comes later', () => {
  it('is made once and gives one result, whenever the process is killed', async () => {
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
