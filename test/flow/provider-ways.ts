import type { Script } from '../fakes/model-script.ts';
import { type FakeModel, startFakeModel, type VendorName } from '../fakes/model-server.ts';

/** One way to a model: a persona that uses it, and the wire format that is spoken. */
export interface Way {
  readonly persona: string;
  readonly wire: VendorName;
  readonly provider: string;
  readonly keyName: string | null;
  readonly inference: object;
}

const way = (persona: string, wire: VendorName, keyName: string | null, more: Partial<Way> = {}): Way => ({
  persona,
  wire,
  provider: persona,
  keyName,
  inference: {},
  ...more,
});

/** Every bundled provider, both of OpenAI's protocols, both of Anthropic's, and one that only a workspace has. */
export const WAYS: readonly Way[] = [
  way('openai', 'openai', 'OPENAI_API_KEY'),
  way('openai-responses', 'openai-responses', 'OPENAI_API_KEY', { inference: { model: 'gpt-6.1-sol' } }),
  way('anthropic', 'anthropic', 'ANTHROPIC_API_KEY'),
  way('anthropic-unstreamed', 'anthropic', 'ANTHROPIC_API_KEY', {
    provider: 'anthropic',
    inference: { max_output_tokens: 4096 },
  }),
  way('gemini', 'gemini', 'GEMINI_API_KEY'),
  way('grok', 'openai', 'XAI_API_KEY'),
  way('openrouter', 'openai', 'OPENROUTER_API_KEY'),
  way('ollama', 'openai', null),
  way('acme', 'openai', 'ACME_API_KEY'),
];

export const keyOf = (name: string): string => `test-${name.toLowerCase().replaceAll('_', '-')}-0123456789`;

/** The keys that the gateway is started with. */
export const environment = (): Record<string, string> =>
  Object.fromEntries(WAYS.flatMap(({ keyName }) => (keyName === null ? [] : [[keyName, keyOf(keyName)]])));

/** One model server per provider, all with the same script. */
export async function startModels(scriptFor: (provider: string) => Script) {
  const providers = [...new Map(WAYS.map((each) => [each.provider, each])).values()];
  const models = new Map<string, FakeModel>();
  for (const { provider, wire, keyName } of providers) {
    const options = keyName === null ? {} : { key: keyOf(keyName) };
    models.set(provider, await startFakeModel(wire, scriptFor(provider), options));
  }
  return {
    of: (provider: string): FakeModel => {
      const model = models.get(provider);
      if (!model) throw new Error(`no model server for ${provider}`);
      return model;
    },
    stop: () => Promise.all([...models.values()].map((model) => model.stop())),
  };
}

export type Models = Awaited<ReturnType<typeof startModels>>;

/** Files of a workspace with one persona per way, each named after it. */
export function workspaceFiles(models: Models): Record<string, object | string> {
  const listed = [...new Set(WAYS.map(({ provider }) => provider))].map((name) => ({
    name,
    config: { base_url: models.of(name).baseUrl },
  }));
  const personas = WAYS.flatMap(({ persona, provider, inference }) => [
    [
      `personas/${persona}/persona.json`,
      {
        name: 'Ada',
        address: `${persona}@agents.localhost`,
        access: { allow: ['*@member.example'] },
        inference: { provider, ...inference },
      },
    ],
    [`personas/${persona}/PERSONA.md`, 'You are Ada.\n'],
  ]);
  return {
    'configs/inference.json': {},
    'extensions/extensions.json': { providers: listed, tools: Object.keys(TOOLS) },
    'extensions/providers/acme/manifest.json': {
      name: 'acme',
      kind: 'provider',
      api: 1,
      summary: 'A server of our own',
      adapter: 'openai-compatible',
      secrets: { api_key: 'ACME_API_KEY' },
      config: { base_url: 'http://127.0.0.1:9/v1' },
      default_model: 'acme-1',
    },
    'extensions/providers/openai-responses/manifest.json': {
      name: 'openai-responses',
      kind: 'provider',
      api: 1,
      summary: 'The Responses API',
      adapter: 'openai-compatible',
      secrets: { api_key: 'OPENAI_API_KEY' },
      config: { base_url: 'http://127.0.0.1:9/v1', api: 'responses' },
    },
    ...Object.fromEntries(Object.entries(TOOLS).flatMap(([name, code]) => toolFiles(name, code))),
    ...Object.fromEntries(personas),
  };
}

const text =
  "{ type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false }";

/** Tools whose results depend on their arguments alone. */
const TOOLS: Readonly<Record<string, string>> = {
  echo: `{ description: 'Says it again', risk: 'read', scope: 'web:read', input: ${text}, run: ({ text }) => ({ said: text }) }`,
  jot: `{ description: 'Jots it down', risk: 'create', scope: 'files:create', input: ${text}, run: ({ text }) => ({ jotted: text }) }`,
  broken: `{ description: 'Fails', risk: 'read', scope: 'web:read', input: ${text}, run() { throw new Error('the disk is on fire'); } }`,
  jam: `{ description: 'Fails to write', risk: 'create', scope: 'files:create', input: ${text}, run() { throw new Error('paper jam'); } }`,
};

const toolFiles = (name: string, code: string): [string, object | string][] => [
  [`extensions/tools/${name}/manifest.json`, { name, kind: 'tool', api: 1, summary: name, entry: 'index.js' }],
  [`extensions/tools/${name}/index.js`, `export default ${code};\n`],
];
