import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { z } from 'zod';
import {
  EngineError,
  type HarnessProviderAdapter,
  type Json,
  type JsonObject,
  type Log,
  type ModelInfo,
  type ToolDefinition,
} from '#contract';
import { withAuthority } from '../../config/certificate-files.ts';
import { check } from '../../config/problems/issues.ts';
import { problem } from '../../config/problems/problem.ts';
import type { Manifest, ManifestOf, Problem } from '../../config/types.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { anyJson, parseJson } from '../../lib/json.ts';
import {
  asHook,
  asProvider,
  asResolver,
  asTool,
  type ExtensionCode,
  type Guard,
  type Guards,
  guardedAdapter,
  guardedHook,
  guardedResolver,
  guardedTool,
} from '../guard/guard.ts';
import { BUNDLED, FOLDERS } from '../tool-sources.ts';
import type { RegisteredHook, RegisteredProvider, RegisteredResolver, RegisteredTool } from '../types.ts';
import { agreeOnCapabilities } from '../uses.ts';
import type { FoundExtension } from './find.ts';
import { isLocalAddress } from './local-address.ts';
import { validatorOf } from './validator.ts';

export type OpenedExtension =
  | { readonly kind: 'provider'; readonly entry: RegisteredProvider }
  | { readonly kind: 'tool'; readonly entry: RegisteredTool }
  | { readonly kind: 'resolver'; readonly entry: RegisteredResolver }
  | { readonly kind: 'hook'; readonly entry: RegisteredHook }
  | { readonly kind: 'error'; readonly problems: readonly [Problem, ...Problem[]] };

export interface OpenContext {
  readonly secretOf: (name: string) => string | undefined;
  readonly log: Log;
  /** How long the import of one entry may take. */
  readonly importMs: number;
  /** The bundled provider that `<name>-compatible` stands for; undefined when there is none with code. */
  readonly adapterEntry: (name: string) => string | undefined;
  readonly guards: Guards;
}

/** One extension made ready for use, or what is wrong with it. Never rejects: one must not spoil the others. */
export async function openExtension(
  found: FoundExtension,
  listed: JsonObject,
  context: OpenContext,
): Promise<OpenedExtension> {
  const { manifest, entry } = found;
  if (!manifest) return failed(found.problems, found, 'manifest.json', 'its manifest is wrong');
  try {
    if (manifest.kind === 'provider') return openProvider(found, manifest, listed, context);
    return await openCode(found, manifest, entry ?? '', listed, context);
  } catch (error) {
    // Whatever an extension throws while it is loaded, also what is no Error.
    const message = error instanceof Error ? error.message : String(error);
    return failed([], found, manifest.entry ?? 'manifest.json', message);
  }
}

function openProvider(
  found: FoundExtension,
  manifest: ManifestOf<'provider'>,
  listed: JsonObject,
  { secretOf, log, adapterEntry, importMs, guards }: OpenContext,
): OpenedExtension {
  const adapter = manifest.adapter?.replace(/-compatible$/, '');
  // Code of a bundled provider is imported as bundled, so that it stays one module however many use it.
  const path = adapter === undefined ? found.entry : adapterEntry(adapter);
  const source = adapter === undefined ? found.source : 'bundled';
  if (!path) return failed([], found, 'manifest.json', `no bundled provider is called "${adapter}"`, 'adapter');
  const manifestFile = `${found.shownPath}/manifest.json`;
  const guard = guards.of(codeOf(found, source), path, { manifest: asJson(manifest), listed });
  const importEntry = () => guard.within(() => importDefault(path, source, importMs));
  // Its path is relative to the workspace, which the folder lies in.
  const ownManifest = { ...manifest, config: withAuthority(manifest.config, resolve(found.path, '../../..')) };
  const options = {
    manifest: ownManifest,
    manifestFile,
    listed,
    isBundled: found.source === 'bundled',
    secretOf,
    log,
    guard,
    importEntry,
  };
  return { kind: 'provider', entry: lazyProvider(options) };
}

async function openCode(
  found: FoundExtension,
  manifest: Exclude<Manifest, { kind: 'provider' }>,
  entry: string,
  listed: JsonObject,
  { secretOf, log, importMs, guards }: OpenContext,
): Promise<OpenedExtension> {
  const guard = guards.of(codeOf(found, found.source), entry, { manifest: asJson(manifest), listed });
  const exported = await guard.within(() => importDefault(entry, found.source, importMs));
  const { name } = manifest;
  const manifestFile = `${found.shownPath}/manifest.json`;
  const secrets = () => secretsOf(manifest, secretOf);
  const settle = (schema: Parameters<typeof configOf>[0]['schema']) =>
    configOf({ manifest, listed, schema, manifestFile });
  if (manifest.kind === 'resolver') {
    const definition = guardedResolver(asResolver(exported), guard);
    agreeOnCapabilities(definition.uses, manifest.capabilities ?? []);
    const config = settle(definition.config);
    if (!config.ok) return failed(config.problems, found, 'manifest.json', 'its config is wrong');
    const { failure } = guard;
    return { kind: 'resolver', entry: { name, manifest, definition, config: asJson(config.value), secrets, failure } };
  }
  if (manifest.kind === 'hook') {
    const definition = guardedHook(asHook(exported), guard);
    agreeOnCapabilities(definition.uses, manifest.capabilities ?? []);
    const config = settle(definition.config);
    if (!config.ok) return failed(config.problems, found, 'manifest.json', 'its config is wrong');
    const ownLog = log.child({ hook: name });
    const settled = { config: asJson(config.value), secrets, log: ownLog, failure: guard.failure };
    const { silenced, silence } = guard;
    return { kind: 'hook', entry: { name, manifest, definition, ...settled, silenced, silence } };
  }
  const definition = guardedTool(asTool(exported), guard);
  agreeOnCapabilities(definition.uses, manifest.capabilities);
  const config = settle(definition.config);
  if (!config.ok) return failed(config.problems, found, 'manifest.json', 'its config is wrong');
  const tool = await registeredTool(manifest, definition, config.value, secrets);
  const source = found.source === 'bundled' ? BUNDLED : FOLDERS;
  return { kind: 'tool', entry: { ...tool, source, failure: guard.failure } };
}

async function registeredTool(
  manifest: ManifestOf<'tool'>,
  definition: ToolDefinition,
  settled: unknown,
  secrets: RegisteredTool['secrets'],
): Promise<RegisteredTool> {
  const input = await validatorOf(definition.input, 'input');
  const output = definition.output === undefined ? null : await validatorOf(definition.output, 'output');
  const config = asJson(settled);
  return {
    name: manifest.name,
    source: FOLDERS,
    manifest,
    definition,
    call: async (args, context) => definition.run(args as never, context),
    config,
    secrets,
    inputSchema: input.jsonSchema,
    validate: input.validate,
    validateOutput: output?.validate ?? ((value) => ({ ok: true, value })),
    ready() {
      try {
        return definition.ready?.({ config, secrets: secrets() }) ?? null;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
  };
}

const codeOf = ({ kind, name, path, shownPath, manifest }: FoundExtension, source: ExtensionCode['source']) => ({
  kind,
  name,
  source,
  // Stacks name files as they really are.
  folder: realpathSync(path),
  file: `${shownPath}/${manifest?.entry ?? 'manifest.json'}`,
});

function failed(
  problems: readonly Problem[],
  found: FoundExtension,
  file: string,
  message: string,
  key = '',
): Extract<OpenedExtension, { kind: 'error' }> {
  const [first, ...others] = problems;
  if (first) return { kind: 'error', problems: [first, ...others] };
  const place = `${found.shownPath}/${file.replace(/^\.\//, '')}`;
  return { kind: 'error', problems: [problem({ file: place, key, code: 'invalid_value', message })] };
}

/**
 * The default export of an extension's entry. A workspace's entry is imported under the time of its last change, so
 * that an edit is taken up when the extensions are loaded again; Node keeps every module it has imported. Gives up
 * after `ms`: an entry that waits for ever at its top level must not keep the gateway from starting.
 */
async function importDefault(path: string, source: 'bundled' | 'workspace', ms: number): Promise<unknown> {
  const url = pathToFileURL(path);
  if (source === 'workspace') url.searchParams.set('changed', String(statSync(path, { bigint: true }).mtimeNs));
  const module: unknown = await withDeadline(() => import(url.href).catch(withLine), {
    ms,
    code: 'extension_invalid',
    what: `importing ${path}`,
  });
  const exported: unknown = typeof module === 'object' && module !== null ? Reflect.get(module, 'default') : undefined;
  if (exported === undefined) throw new EngineError('extension_invalid', 'has no default export');
  return exported;
}

/** Node names the line of a mistake in TypeScript in the stack alone, before the message. */
function withLine(error: unknown): never {
  const stack = error instanceof SyntaxError ? (error.stack ?? '') : '';
  const line = /^[^\n]{1,1000}:(\d{1,9})\n/.exec(stack)?.[1];
  if (line === undefined || !(error instanceof SyntaxError)) throw error;
  throw new EngineError('extension_invalid', `line ${line}: ${error.message}`, { cause: error });
}

const UNLISTED: ModelInfo = Object.freeze({
  context_tokens: 128_000,
  max_output_tokens: 4096,
  tools: true,
  images: false,
  usd_per_million_tokens: null,
});

/** A provider whose code is imported when it is first used: the SDKs are the slowest thing to load. */
function lazyProvider(options: {
  manifest: ManifestOf<'provider'>;
  manifestFile: string;
  listed: JsonObject;
  /** Its folder is one of the package. */
  isBundled: boolean;
  secretOf: (name: string) => string | undefined;
  log: Log;
  guard: Guard;
  importEntry: () => Promise<unknown>;
}): RegisteredProvider {
  const { manifest, secretOf } = options;
  const isFree = manifest.name === 'ollama' || isLocalAddress(baseUrlOf(manifest, options.listed));
  const made: { adapter: Promise<HarnessProviderAdapter> | null; secrets: string } = { adapter: null, secrets: '' };
  return {
    name: manifest.name,
    manifest,
    models: manifest.models,
    defaultModel: manifest.default_model ?? null,
    modelInfo(modelId) {
      const listed = Object.hasOwn(manifest.models, modelId) ? manifest.models[modelId] : undefined;
      const info = withPrice(listed ?? UNLISTED, { isFree, models: manifest.models });
      return manifest.reports_cost ? { ...info, reports_cost: true } : info;
    },
    missingSecrets: () => Object.values(manifest.secrets).filter((name) => secretOf(name) === undefined),
    failure: options.guard.failure,
    server: () => serverOf(options),
    create() {
      // A key that was put right in `.env` has to count without a restart.
      const secrets = JSON.stringify(secretsOf(manifest, secretOf));
      if (secrets !== made.secrets) made.adapter = null;
      made.secrets = secrets;
      made.adapter ??= options.guard
        .call(() => createAdapter(options))
        .catch((error: unknown) => {
          // A failure is not kept: the cause may be outside of us, and the caller has its own cooldown.
          made.adapter = null;
          throw error;
        });
      return made.adapter;
    },
  };
}

/** Null where it is the vendor's own, by the bundled manifest. */
function serverOf({
  manifest,
  listed,
  isBundled,
}: Parameters<typeof lazyProvider>[0]): ReturnType<RegisteredProvider['server']> {
  const url = baseUrlOf(manifest, listed);
  const caFile = listed.ca_file ?? manifest.config.ca_file;
  const isOwn = !isBundled || listed.base_url !== undefined || caFile !== undefined;
  if (!isOwn || typeof url !== 'string') return null;
  return { url, caFile: typeof caFile === 'string' ? caFile : null };
}

const baseUrlOf = (manifest: ManifestOf<'provider'>, listed: JsonObject): unknown =>
  listed.base_url ?? manifest.config.base_url;

const FREE = { input: 0, output: 0 };
/** Of a vendor none of whose prices is known: about what the larger models of most cost. */
const USUAL = { input: 5, output: 25 };

/** Nobody bills what runs nearby; elsewhere a model without a price costs as much as the dearest of its vendor's. */
function withPrice(
  info: ModelInfo,
  { isFree, models }: { readonly isFree: boolean; readonly models: Readonly<Record<string, ModelInfo>> },
): ModelInfo {
  if (info.usd_per_million_tokens !== null) return info;
  if (isFree) return { ...info, usd_per_million_tokens: FREE };
  const known = Object.values(models).flatMap(({ usd_per_million_tokens: price }) => price ?? []);
  const dearest = known.reduce(
    (most, { input, output }) => ({ input: Math.max(most.input, input), output: Math.max(most.output, output) }),
    FREE,
  );
  return { ...info, estimated_usd_per_million_tokens: known.length === 0 ? USUAL : dearest };
}

async function createAdapter(options: Parameters<typeof lazyProvider>[0]): Promise<HarnessProviderAdapter> {
  const { manifest, manifestFile, listed } = options;
  try {
    const definition = asProvider(await options.importEntry());
    const config = configOf({ manifest, listed, schema: definition.config, manifestFile });
    if (!config.ok) throw invalid(config.problems.map(({ key, message }) => `${key}: ${message}`).join('; '));
    const adapter: unknown = await definition.create({
      name: manifest.name,
      config: config.value,
      secrets: secretsOf(manifest, options.secretOf),
      models: manifest.models,
      log: options.log.child({ provider: manifest.name }),
    });
    if (!isAdapter(adapter)) throw invalid('create returned nothing that has a function generate');
    return guardedAdapter(adapter, options.guard);
  } catch (error) {
    if (error instanceof EngineError && error.code !== 'extension_invalid') throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new EngineError('extension_invalid', `provider ${manifest.name}: ${message}`, { cause: error });
  }
}

const isAdapter = (value: unknown): value is HarnessProviderAdapter =>
  typeof value === 'object' && value !== null && 'generate' in value && typeof value.generate === 'function';

const invalid = (message: string): EngineError => new EngineError('extension_invalid', message);

type ConfigOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * The manifest's config under the one of extensions.json, validated by the extension's own schema where it has one.
 * A problem names the file in which the wrong key stands.
 */
function configOf(options: {
  manifest: Manifest;
  listed: JsonObject;
  schema: z.ZodType | undefined;
  manifestFile: string;
}): ConfigOutcome {
  const { manifest, listed, schema, manifestFile } = options;
  const merged = mergeConfig(manifest.config, listed);
  if (!schema) return { ok: true, value: merged };
  const checked = check(schema, merged, manifestFile);
  if (checked.ok) return checked;
  const problems = checked.problems.map((each) => {
    const fromListing = Object.hasOwn(listed, each.key.split('.', 1)[0] ?? '');
    const file = fromListing ? 'extensions/extensions.json' : manifestFile;
    return { ...each, file, key: each.key ? `config.${each.key}` : 'config' };
  });
  return { ok: false, problems };
}

/** A config as plain JSON: it crosses the contract, where nothing else passes. */
function asJson(value: unknown): Json {
  return parseJson(anyJson, JSON.stringify(value) ?? 'null');
}

/** The manifest's secrets by its own keys; one whose environment variable is unset or empty is absent. */
function secretsOf(
  manifest: Manifest,
  secretOf: (name: string) => string | undefined,
): Readonly<Record<string, string>> {
  const found = Object.entries(manifest.secrets).flatMap(([key, name]) => {
    const secret = secretOf(name);
    return secret === undefined ? [] : [[key, secret] as const];
  });
  return Object.freeze(Object.fromEntries(found));
}

/** Objects are merged at any depth; arrays and scalars of `over` replace. Neither argument is changed. */
export function mergeConfig(under: JsonObject, over: JsonObject): JsonObject {
  const merged = new Map<string, Json>(Object.entries(under));
  for (const [key, value] of Object.entries(over)) {
    const below = merged.get(key);
    merged.set(key, isObject(below) && isObject(value) ? mergeConfig(below, value) : value);
  }
  // fromEntries defines own keys, so that a key called __proto__ stays a key.
  return Object.fromEntries(merged);
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
