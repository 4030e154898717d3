import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Office, OWNER, openOffice } from './governance-rig.ts';

const open: { office?: Office } = {};
afterEach(() => open.office?.close());

const soon = { timeout: 30_000, interval: 50 };
const dyingAt = (label: string) => ({ NODE_ENV: 'test', EPISTLE_CRASH_AT: label });

/** A tool of the workspace that notes each beginning in a file, and whose result stands in another. */
async function studio() {
  const office = await openOffice({
    'extensions/extensions.json': { tools: ['render'] },
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
    await died(office, dyingAt('run.event.suspended'), () => office.post({ subject: 'Film', text: '/render {}' }));
    await office.restart({});
    const id = await rests();
    expect(begun()).toBe(1);
    const listed = (await office.cli('runs', 'show', id)).json.run.suspensions;
    expect(listed).toMatchObject([{ tool: 'render', kind: 'external', state: 'open' }]);
    await office.stop();
    finish('f.mp4');
    await died(office, dyingAt('run.event.resumed'));
    finish('another.mp4');
    await office.restart({});
    const { mail } = await office.arrival('reply', OWNER);
    expect(mail.text).toContain('f.mp4');
    expect(begun()).toBe(1);
    const { run } = (await office.cli('runs', 'show', id)).json;
    expect(run.suspensions).toMatchObject([{ state: 'resolved' }]);
    expect(run.events.filter(({ type }: { type: string }) => type === 'resumed')).toHaveLength(1);
    const { explained } = (await office.cli('runs', 'explain', id)).json;
    expect(explained).toMatchObject({ missing: [], steps: [{ calls: [{ suspension: { state: 'resolved' } }] }, {}] });
    expect((await office.cli('runs', 'replay', id)).json.replay).toMatchObject({ identical: true });
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
