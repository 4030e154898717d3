import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '#contract';
import { manifestSchema } from '../../config/extension-schemas.ts';
import type { ExtensionKind } from '../../config/types.ts';
import { planChange, settingsIn } from '../../config/writing/change.ts';
import { settingAt } from '../../config/writing/settings.ts';
import { KINDS, type KindFolder } from '../../extensions/loading/find.ts';
import { showTypes, TYPES_FILE } from './extension-types.ts';

interface NewExtension {
  readonly kind: ExtensionKind;
  readonly name: string;
  /** Its folder, from the root of the workspace. */
  readonly path: string;
  /** Files that were written, from there too. */
  readonly created: readonly string[];
}

/**
 * Makes the folder of an extension that works as it stands, and lists it. Throws `usage` for a kind or name that there
 * cannot be, `not_empty` for a folder that is there.
 */
export function createExtension(
  root: string,
  { kind: kindName, name, server }: { kind: string; name: string; server: ModelServer | null },
): NewExtension {
  const { folder, kind } = kindNamed(kindName);
  if (server !== null && kind !== 'provider')
    throw new EngineError('usage', `--url is for a provider, not for a ${kind}`);
  const pattern = kind === 'tool' ? /^[a-z0-9_]{1,64}$/ : /^[a-z0-9_-]{1,64}$/;
  if (!pattern.test(name)) {
    throw new EngineError(
      'usage',
      `${JSON.stringify(name)} is no name for a ${kind}; take lower-case letters, digits and _`,
    );
  }
  const path = `extensions/${folder}/${name}`;
  if (existsSync(join(root, path))) throw new EngineError('not_empty', `${path} exists already; choose another name`);
  const files = server === null ? scaffold(kind, name) : providerOf(name, server);
  writeFolder(root, folder, name, files);
  listExtension(root, folder, name);
  const types = showTypes(root) ? [TYPES_FILE] : [];
  const created = [...Object.keys(files).map((file) => `${path}/${file}`), 'extensions/extensions.json', ...types];
  return { kind, name, path, created };
}

function kindNamed(given: string): { folder: KindFolder; kind: ExtensionKind } {
  const found = KINDS.find(({ folder, kind }) => given === folder || given === kind);
  if (!found) throw new EngineError('usage', `${given} is no kind; expected tool, provider, resolver or hook`);
  return found;
}

/** Renamed when it is whole: a running gateway looks at this folder. Names that begin with a dot are passed over. */
function writeFolder(root: string, folder: KindFolder, name: string, files: Readonly<Record<string, string>>): void {
  const parent = join(root, 'extensions', folder);
  mkdirSync(parent, { recursive: true });
  const staging = mkdtempSync(join(parent, '.new-'));
  try {
    for (const [file, text] of Object.entries(files)) writeFileSync(join(staging, file), text);
    renameSync(staging, join(parent, name));
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    throw error;
  }
}

const FILE = 'extensions/extensions.json';

/** Adds a name to extensions.json where it is not listed yet, and leaves the rest as it is. Throws as `planChange` does. */
function listExtension(root: string, folder: KindFolder, name: string): void {
  const path = [folder, name];
  if (settingAt(settingsIn(root, FILE), path) !== undefined) return;
  planChange(root, { settings: [{ file: FILE, path, to: name }] }).write();
}

/** The files of a new extension: small, and working as they stand. */
function scaffold(kind: ExtensionKind, name: string): Readonly<Record<string, string>> {
  return {
    'manifest.json': `${JSON.stringify(MANIFESTS[kind](name), null, 2)}\n`,
    // Without it Node has to guess how the file is to be read, and warns.
    'package.json': '{ "private": true, "type": "module" }\n',
    'index.ts': SOURCES[kind](name),
  };
}

/** A server that speaks OpenAI's protocol. */
interface ModelServer {
  readonly url: string;
  /** Null: whoever uses it names one. */
  readonly model: string | null;
  /** The variable with its key; null: it wants none. */
  readonly keyEnv: string | null;
}

/** The files of a provider that needs no code. Throws `usage` for what a manifest cannot hold. */
function providerOf(name: string, { url, model, keyEnv }: ModelServer): Readonly<Record<string, string>> {
  const manifest = {
    name,
    kind: 'provider',
    api: 1,
    summary: `Models of ${url}`,
    adapter: 'openai-compatible',
    config: { base_url: url },
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
