import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeModel, startFakeModel } from '../fakes/model-server.ts';
import { run } from './command-line.ts';
import { epistle } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

let model: FakeModel;
let workspace: TestWorkspace;
beforeEach(async () => {
  model = await startFakeModel('openai', [], { key: 'right', models: ['zeta', 'gpt-6-luna', 'alpha', 'gpt-6-sol'] });
  workspace = makeWorkspace({
    'configs/inference.json': { provider: 'openai', prices: { 'openai/zeta': { input: 1, output: 4 } } },
    'extensions/extensions.json': { providers: [{ name: 'openai', config: { base_url: model.baseUrl } }] },
    '.env': 'OPENAI_API_KEY=right\n',
  });
});
afterEach(async () => {
  await model.stop();
  workspace.remove();
});
const ask = (...args: string[]) => epistle(workspace.root, args);

describe('the models of a provider', () => {
  it('are asked of the service: those of the manifest first, with what is known of their prices', async () => {
    const { code, json } = await ask('providers', 'models');
    expect([code, json.ok, json.provider]).toEqual([0, true, 'openai']);
    const ids = json.models.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(['gpt-6-sol', 'gpt-6-luna', 'alpha', 'zeta']);
    expect(json.models).toMatchObject([
      { in_manifest: true, default: true, usd_per_million_tokens: { input: 2, output: 10 } },
      { in_manifest: true, default: false, usd_per_million_tokens: { input: 0.1, output: 0.5 } },
      // On this machine, so nobody bills it.
      { in_manifest: false, default: false, usd_per_million_tokens: { input: 0, output: 0 } },
      { in_manifest: false, default: false, usd_per_million_tokens: { input: 1, output: 4 } },
    ]);
    const { stdout } = await run(['--workspace', workspace.root, 'providers', 'models', 'openai']);
    expect(stdout).toMatch(/\* +gpt-6-sol +2 in, 10 out/);
  });

  it('are not made up: a wrong key, a service without a list and a wrong name are said', async () => {
    workspace.write('.env', 'OPENAI_API_KEY=wrong\n');
    expect(await ask('providers', 'models')).toMatchObject({ code: 5, json: { ok: false, error: { code: 'auth' } } });
    expect((await ask('providers', 'models', 'offline')).json.error.message).toContain('has no list of its models');
    expect((await ask('providers', 'models', 'opnai')).json.error.message).toContain('did you mean "openai"?');
    expect((await ask('providers', 'models', 'gemini')).json.error.message).toContain('GEMINI_API_KEY is not set');
  });
});
