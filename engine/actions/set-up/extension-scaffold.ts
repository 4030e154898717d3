import { EngineError } from '#contract';
import { manifestSchema } from '../../config/extension-schemas.ts';
import type { ExtensionKind } from '../../config/types.ts';

/** The files of a new extension: small, and working as they stand. */
export function scaffold(kind: ExtensionKind, name: string): Readonly<Record<string, string>> {
  return {
    'manifest.json': `${JSON.stringify(MANIFESTS[kind](name), null, 2)}\n`,
    // Without it Node has to guess how the file is to be read, and warns.
    'package.json': '{ "private": true, "type": "module" }\n',
    'index.ts': SOURCES[kind](name),
  };
}

/** A server that speaks OpenAI's protocol. */
export interface ModelServer {
  readonly url: string;
  /** Null: whoever uses it names one. */
  readonly model: string | null;
  /** The variable with its key; null: it wants none. */
  readonly keyEnv: string | null;
}

/** The files of a provider that needs no code. Throws `usage` for what a manifest cannot hold. */
export function providerOf(name: string, { url, model, keyEnv }: ModelServer): Readonly<Record<string, string>> {
  const manifest = {
    ...{ name, kind: 'provider', api: 1, summary: `Models of ${url}` },
    ...{ adapter: 'openai-compatible', config: { base_url: url } },
    // A prompt that is longer than the model takes is refused by the server; a longer window has to be said.
    ...(model === null
      ? {}
      : { default_model: model, models: { [model]: { context_tokens: 32_768, max_output_tokens: 8192 } } }),
    ...(keyEnv === null ? {} : { secrets: { api_key: keyEnv } }),
  };
  const checked = manifestSchema.safeParse(manifest);
  const problem = checked.success ? (URL.canParse(url) ? null : `${url} is no URL`) : checked.error.issues[0]?.message;
  if (problem) throw new EngineError('usage', problem);
  return { 'manifest.json': `${JSON.stringify(manifest, null, 2)}\n` };
}

const base = (name: string, kind: ExtensionKind, summary: string) => ({
  name,
  kind,
  api: 1,
  summary,
  entry: 'index.ts',
});

const MANIFESTS: Readonly<Record<ExtensionKind, (name: string) => object>> = {
  tool: (name) => ({ ...base(name, 'tool', 'Repeats a text'), capabilities: [] }),
  provider: (name) => ({
    ...base(name, 'provider', 'Answers with the last words it was given'),
    secrets: {},
    config: {},
    default_model: 'echo-1',
    models: { 'echo-1': { context_tokens: 32_000, max_output_tokens: 1000, tools: false } },
  }),
  resolver: (name) => base(name, 'resolver', 'Adds a line to the prompt'),
  hook: (name) => base(name, 'hook', 'Writes a line when a run has ended'),
};

const SOURCES: Readonly<Record<ExtensionKind, (name: string) => string>> = {
  tool: () => `import { defineTool } from 'epistle/contract';
import { z } from 'zod';

export default defineTool({
  // The model decides by this line whether to call the tool.
  description: 'Repeat a text. Use it when somebody asks for an echo.',
  // read, create, write or destructive: policy starts from this.
  risk: 'read',
  // <mail|files|web|memory|schedule|shell>:<read|create|write|delete>: personas are granted scopes.
  scope: 'files:read',
  // What it may touch, such as 'files' or 'web': the same names as in manifest.json under "capabilities".
  uses: [],
  input: z.object({ text: z.string().max(1000) }),
  // The second argument has what it uses, and the config, the secrets, a log and a signal that ends the call.
  run: ({ text }) => ({ text }),
});
`,
  provider: () => `import { defineProvider } from 'epistle/contract';
import { z } from 'zod';

export default defineProvider({
  config: z.strictObject({}),
  // Keys arrive in \`secrets\` under the names of the manifest. The engine retries; throw EngineError with a provider code.
  create: ({ name }) => ({
    generate: async (request) => ({
      text: \`You wrote: \${request.input.text}\`,
      toolCalls: [],
      finish: 'stop',
      usage: { input: 0, output: 0, cached: 0, cacheWrite: 0 },
      providerParts: { provider: name, model: request.model, data: null },
      reportedCostUsd: null,
    }),
  }),
});
`,
  resolver: (name) => `import { defineResolver } from 'epistle/contract';

// It runs where configs/context.json adds it: {"profiles": {"thread": {"add": ["${name}"]}}}
export default defineResolver({
  // stable: the same for every mail of a thread, so that prompt caches hit. volatile: may change with each mail.
  resolve: ({ persona }) => ({ slot: 'stable', text: \`\${persona.name} answers in at most ten sentences.\` }),
});
`,
  hook: (name) => `import { defineHook } from 'epistle/contract';

// It runs after the run has ended and can change nothing of it.
export default defineHook({
  on: ['run_ended'],
  handle: (event, { log }) => log.info({ run: event.runId, ...event.data }, '${name}'),
});
`,
};
