import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { epistle, type Gateway, startGateway } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

let workspace: TestWorkspace | undefined;
let gateway: Gateway | undefined;
afterEach(async () => {
  await gateway?.end();
  workspace?.remove();
});

it('tells a hook of every run that ended, after the run and outside it', async () => {
  workspace = makeWorkspace({
    'extensions/extensions.json': { hooks: ['diary'] },
    'extensions/hooks/diary/manifest.json': {
      name: 'diary',
      kind: 'hook',
      api: 1,
      summary: 'Writes down which runs ended',
      entry: 'index.mjs',
    },
    'extensions/hooks/diary/index.mjs': `
      import { appendFileSync } from 'node:fs';
      import { defineHook } from 'epistle/contract';
      export default defineHook({
        on: ['run_ended'],
        handle: (event) => appendFileSync(new URL('../../../diary.txt', import.meta.url), JSON.stringify(event) + '\\n'),
      });`,
  });
  gateway = await startGateway(workspace.root);
  const sent = await epistle(workspace.root, ['send', '--to', 'ada@agents.localhost', '--wait=180'], 'hello');
  const diary = join(workspace.root, 'diary.txt');
  await vi.waitFor(() => expect(existsSync(diary)).toBe(true), 90_000);
  expect(JSON.parse(readFileSync(diary, 'utf8'))).toMatchObject({
    name: 'run_ended',
    persona: 'ada',
    runId: sent.json.results[0].run_id,
    data: { status: 'done', outcome: 'final' },
  });
});
