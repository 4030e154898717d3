import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EngineError } from '#contract';
import type { Saved, SetupAnswers } from '../../../../engine/cli/commands/setup/answers.ts';
import type { Prompts } from '../../../../engine/cli/commands/setup/ask.ts';
import { wantedOf } from '../../../../engine/cli/commands/setup/folder.ts';
import { askModel } from '../../../../engine/cli/commands/setup/model/ask-model.ts';
import { presentIn } from '../../../../engine/cli/commands/setup/present.ts';
import { askBudget, type SetupUnderWay } from '../../../../engine/cli/commands/setup/steps.ts';
import { planChange } from '../../../../engine/config/writing/change.ts';
import { passThrough } from '../../../../engine/lib/crash-points.ts';
import { type FakeModel, startFakeModel } from '../../../fakes/model-server.ts';
import { makeWorkspace, type TestWorkspace } from '../../../flow/workspace.ts';

const MODELS = ['zeta', 'alpha', 'gpt-6-sol'];
const ADA: SetupAnswers['persona'] = {
  id: 'ada',
  name: 'Ada',
  address: 'ada@agents.localhost',
  timezone: 'UTC',
  mailbox: null,
};
/** A service that somebody bills, and whose price nobody has said. */
const PAID = `export default {
  create: ({ name }) => ({
    generate: async ({ model }) => ({
      text: 'ready', toolCalls: [], finish: 'stop',
      usage: { input: 10, output: 1, cached: 0, cacheWrite: 0 },
      providerParts: { provider: name, model, data: null }, reportedCostUsd: null,
    }),
  }),
};
`;

let workspace: TestWorkspace;
let model: FakeModel;
beforeEach(async () => {
  model = await startFakeModel(
    'openai',
    ({ view }) => (view.model === 'zeta' ? { status: 404, message: 'no such model' } : { text: 'ready' }),
    { key: 'right', models: MODELS },
  );
  workspace = makeWorkspace({ 'configs/inference.json': '{}\n' });
});
afterEach(async () => {
  await model.stop();
  workspace.remove();
});

interface Walk {
  /** By prompt, what is typed at it, one after the other; `undefined`: Enter. */
  readonly typed: Readonly<Record<string, readonly (string | null | undefined)[]>>;
  readonly saved?: Saved;
  readonly flags?: Readonly<Record<string, string>>;
}

/** The questions about the model and the budget, and what is written then. */
function walk({ typed, saved = {}, flags = {} }: Walk) {
  const left = new Map(Object.entries(typed).map(([name, keys]) => [name, [...keys]]));
  const asked: string[] = [];
  const shown: Record<string, unknown> = {};
  const said: string[] = [];
  const kept = { now: saved };
  const next = (name: string, suggested: unknown): string | null | undefined => {
    asked.push(name);
    shown[name] = suggested;
    const keys = left.get(name);
    if (!keys || keys.length === 0) throw new EngineError('cancelled', `Ctrl-C at ${name}`);
    return keys.shift();
  };
  const line = (name: string, suggested: string | undefined): string => next(name, suggested) ?? suggested ?? '';
  const prompts: Partial<Prompts> = {
    async provider(choices, initial) {
      const chosen = next('provider', choices[initial]?.label);
      shown.choices = choices.map(({ label }) => label);
      shown.hint = choices[initial]?.hint;
      return chosen == null ? initial : choices.findIndex(({ label }) => label === chosen);
    },
    modelAddress: async (suggested) => line('address', suggested),
    secret: async (about) => next('key', about) ?? null,
    async modelOf(models, suggested) {
      shown.models = models.map(({ id }) => id);
      return line('model', suggested);
    },
    modelName: async (suggested) => line('name', suggested),
    async price(name) {
      const given = next('price', name);
      return given == null ? null : { input: Number(given), output: Number(given) * 4 };
    },
    async budget(_persona, suggested) {
      const given = next('budget', suggested);
      return given === undefined ? suggested : Number(given);
    },
  };
  const { root } = workspace;
  const present = presentIn(root);
  const asking: SetupUnderWay = {
    context: {} as never,
    root,
    present,
    prompts: prompts as Prompts,
    flag: (name) => flags[name],
    saved: () => kept.now,
    keep: (more) => {
      kept.now = { ...kept.now, ...more };
    },
    say: (text) => said.push(text),
  };
  const done = (async () => {
    const found = await askModel(asking);
    return { ...found, budget: await askBudget(asking, ADA, found.price) };
  })();
  /** All of it, or nothing, by the one writer of settings. */
  const write = async (): Promise<readonly string[]> => {
    const { model: chosen, secrets, budget } = await done;
    const server = { host: 'h.test', port: 993, tls: 'implicit' as const };
    const answers: SetupAnswers = {
      id: 'main',
      mailbox: ADA.address,
      user: ADA.address,
      imap: server,
      smtp: server,
      caFile: null,
      oauth: null,
      filesSent: false,
      present: null,
      owner: 'owner@example.com',
      persona: ADA,
      model: chosen,
      budget,
    };
    const border = { authservId: null, trustedReceived: [] };
    const change = planChange(root, wantedOf(answers, { border, present, secrets }), passThrough);
    change.write();
    return change.files;
  };
  return { done, write, asked, shown, said, kept: () => kept.now };
}

const read = (file: string) => JSON.parse(readFileSync(join(workspace.root, file), 'utf8'));
const environment = () => {
  const path = join(workspace.root, '.env');
  return existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {};
};
const OTHER = 'another service, by its address';

describe('the model in the wizard', () => {
  it('is asked for until it answers: each refusal leads back to what it calls into question', async () => {
    const dead = 'http://127.0.0.1:1/v1';
    const { done, write, asked, said, shown } = walk({
      typed: {
        provider: [OTHER],
        address: [dead, model.baseUrl],
        key: ['wrong', 'right'],
        model: ['zeta', 'alpha'],
      },
    });
    expect((await done).model).toEqual({ provider: 'openai', model: 'alpha', url: model.baseUrl });
    // No connection: the address. A wrong key: the key. No such model: the model. What was right stays.
    expect(asked).toEqual(['provider', 'address', 'key', 'address', 'key', 'model', 'model']);
    expect(said.map((text) => text.split('; ').at(-1))).toEqual([
      'give its address once more',
      'give the key once more',
      'name another model',
      `${new URL(model.baseUrl).host} answers with alpha.`,
    ]);
    expect(said.join()).not.toMatch(/wrong|right/);
    // What the manifest knows stands first.
    expect(shown.models).toEqual(['gpt-6-sol', 'alpha', 'zeta']);
    // On this machine nobody bills it.
    expect(await write()).toEqual(
      expect.arrayContaining(['configs/inference.json', 'extensions/extensions.json', '.env']),
    );
    expect(environment()).toEqual({ OPENAI_API_KEY: 'right' });
    expect(read('configs/inference.json')).toEqual({ provider: 'openai', model: 'alpha' });
    expect(read('extensions/extensions.json').providers).toEqual([
      { name: 'openai', config: { base_url: model.baseUrl } },
    ]);
    expect(read('personas/ada/persona.json').budget).toBeUndefined();
    expect(JSON.stringify(read('configs/inference.json'))).not.toContain('right');
  });

  it('shows what is set when it is walked once more, and Enter keeps all of it', async () => {
    workspace.write('configs/inference.json', { provider: 'openai', model: 'alpha' });
    workspace.write('extensions/extensions.json', {
      providers: [{ name: 'openai', config: { base_url: model.baseUrl } }],
    });
    workspace.write('.env', 'OPENAI_API_KEY=right\n');
    const { write, shown, asked } = walk({
      typed: { provider: [undefined], address: [undefined], key: [undefined], model: [undefined] },
    });
    const files = await write();
    expect(files.filter((file) => /inference|extensions|\.env/.test(file))).toEqual([]);
    expect(shown).toMatchObject({ provider: OTHER, hint: 'as it is set', address: model.baseUrl, model: 'alpha' });
    expect(shown.key).toMatchObject({ isThere: true });
    expect(asked).toEqual(['provider', 'address', 'key', 'model']);
  });

  it('offers the vendors, and none yet by Enter where nothing is known', async () => {
    const { done, shown } = walk({ typed: { provider: [undefined] } });
    expect((await done).model).toMatchObject({ provider: 'offline' });
    expect(shown.choices).toEqual([
      ...['Anthropic', 'OpenAI', 'Google Gemini', 'xAI', 'OpenRouter', 'Ollama', OTHER, 'none yet'],
    ]);
  });

  it('takes a typed name where the service has no list, and asks what it costs and what may be spent', async () => {
    await paid();
    const { write, asked, shown, said } = walk({
      typed: { provider: ['paid'], name: ['dear-1'], price: ['2.5'], budget: [undefined] },
    });
    await write();
    expect(asked).toEqual(['provider', 'name', 'price', 'budget']);
    expect(said[0]).toBe('paid does not list its models.');
    expect(shown.budget).toBe(5);
    expect(read('configs/inference.json')).toEqual({
      provider: 'paid',
      model: 'dear-1',
      prices: { 'paid/dear-1': { input: 2.5, output: 10 } },
    });
    expect(read('personas/ada/persona.json').budget).toEqual({ usd_per_day: 5 });

    const again = walk({ typed: { provider: [undefined], name: [undefined], budget: [undefined] } });
    expect((await again.write()).filter((file) => !file.includes('gateway'))).toEqual([]);
    expect(again.shown).toMatchObject({ provider: 'paid', name: 'dear-1', budget: 5 });
  });

  it('proposes no budget to hold where nobody knows the price, and says why', async () => {
    await paid();
    const { done, shown, said } = walk({
      typed: { provider: ['paid'], name: ['dear-1'], price: [null], budget: [undefined] },
    });
    const { budget, model: chosen } = await done;
    expect([budget, chosen.model, chosen.price]).toEqual([null, 'dear-1', undefined]);
    expect(shown.budget).toBeNull();
    expect(said.at(-1)).toContain('Without a price no budget can hold');
  });

  it('keeps what was answered before a Ctrl-C, and has it there the next time', async () => {
    const typed = { provider: [OTHER], address: [model.baseUrl], key: ['right'] };
    const broken = walk({ typed });
    await expect(broken.done).rejects.toMatchObject({ code: 'cancelled' });
    expect(broken.kept()).toMatchObject({
      model: { provider: 'openai', url: model.baseUrl },
      secrets: { OPENAI_API_KEY: 'right' },
    });
    expect(environment()).toEqual({});
    const again = walk({
      typed: { provider: [undefined], address: [undefined], key: [undefined], model: ['alpha'] },
      saved: broken.kept(),
    });
    expect(await again.done).toMatchObject({ model: { model: 'alpha' }, secrets: { OPENAI_API_KEY: 'right' } });
  });

  it('takes flags in the place of its questions, and asks again for what one of them got wrong', async () => {
    const flags = { modelUrl: model.baseUrl, model: 'zeta' };
    const { done, asked } = walk({ typed: { key: ['right'], model: ['alpha'] }, flags });
    expect((await done).model).toMatchObject({ provider: 'openai', model: 'alpha', url: model.baseUrl });
    expect(asked).toEqual(['key', 'model']);
  });

  it.each([
    [{ modelPrice: '1.25', model: 'm' }, '--model-price'],
    [{ modelPrice: '1,2' }, '--model-price'],
    [{ modelPrice: '-1,2', model: 'm' }, '--model-price'],
    [{ budget: '0', provider: 'offline' }, '--budget'],
    [{ budget: 'much', provider: 'offline' }, '--budget'],
  ])('says what is wrong with %j', async (flags, words) => {
    const { done } = walk({ typed: {}, flags: flags as Readonly<Record<string, string>> });
    await expect(done).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(words) });
  });
});

async function paid(): Promise<void> {
  const folder = join(workspace.root, 'extensions/providers/paid');
  const manifest = { name: 'paid', kind: 'provider', api: 1, summary: 'Of our own', entry: 'index.mjs' };
  mkdirSync(dirname(folder), { recursive: true });
  workspace.write('extensions/providers/paid/manifest.json', manifest);
  writeFileSync(join(folder, 'index.mjs'), PAID);
  workspace.write('extensions/extensions.json', { providers: ['paid'] });
}
