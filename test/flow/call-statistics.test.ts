import { afterAll, expect, it } from 'vitest';
import type { HeardRequest, Turn } from '../fakes/model-script.ts';
import { startFakeModel } from '../fakes/model-server.ts';
import { MEMBER, openOffice } from './governance-rig.ts';
import { STEADY } from './workspace.ts';

const open: { closing: (() => Promise<unknown>)[] } = { closing: [] };
afterAll(async () => {
  for (const close of open.closing.splice(0).toReversed()) await close();
});

/** Reads a file that is not there, and lists those that are. */
const script = ({ view }: HeardRequest): Turn =>
  view.results.length > 0
    ? { text: 'There is none.' }
    : {
        calls: [
          { name: 'read_file', arguments: { path: 'offer.md' } },
          { name: 'list_files', arguments: {} },
        ],
      };

it('how calls of each tool and model went is told by usage for a time, and by /metrics since the start', async () => {
  const failures = { left: 1 };
  const model = await startFakeModel('openai', (request) => {
    failures.left -= 1;
    return failures.left === 0 ? { status: 503, message: 'overloaded' } : script(request);
  });
  open.closing.push(() => model.stop());
  const office = await openOffice({
    'configs/inference.json': { provider: 'steady', model: 'm', retry: { first_retry_s: 0.1 } },
    'configs/system.json': { console: { enabled: true, port: 0 }, log: { level: 'warn', format: 'json' } },
    'extensions/extensions.json': { providers: [{ name: 'steady', config: { base_url: model.baseUrl } }] },
    ...STEADY,
  });
  open.closing.push(() => office.close());
  // By the gateway itself, whose process answers /metrics.
  await office.post({ from: MEMBER, subject: 'Offer', text: 'What does our offer say?' });
  await office.arrival('reply', MEMBER);
  await office.post({ from: MEMBER, subject: 'Again', text: 'And now?' });
  await office.arrival('reply', MEMBER, 2);

  const { by_tool: tools, by_model: models } = (await office.cli('usage')).json;
  expect(tools).toMatchObject([
    { tool: 'list_files', calls: 2, failures: 0 },
    { tool: 'read_file', calls: 2, failures: 2 },
  ]);
  expect(models).toMatchObject([{ model: 'steady/m', calls: 5, failures: 1 }]);
  for (const { mean_ms: mean, slowest_ms: slowest } of [...tools, ...models]) {
    expect(slowest).toBeGreaterThanOrEqual(mean);
    expect(mean).toBeGreaterThanOrEqual(0);
  }
  expect((await office.cli('usage', '--from', '2020-01-01', '--to', '2020-01-02')).json).toMatchObject({
    by_tool: [],
    by_model: [],
  });

  const text = await fetch(`${office.ready().console?.url}/metrics`).then((response) => response.text());
  expect(text).toContain('epistle_tool_calls_total{tool="read_file"} 2\n');
  expect(text).toContain('epistle_tool_call_failures_total{tool="read_file"} 2\n');
  expect(text).toContain('epistle_model_calls_total{model="steady/m"} 5\n');
  expect(text).toContain('epistle_model_call_failures_total{model="steady/m"} 1\n');
  expect(text).toMatch(/epistle_model_call_seconds_total\{model="steady\/m"\} \d+(?:\.\d+)?\n/);
});
