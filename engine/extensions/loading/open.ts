import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EngineError, type JsonObject, type Log, type ToolDefinition } from '#contract';
import { withAuthority } from '../../config/certificate-files.ts';
import { problem } from '../../config/problems/problem.ts';
import type { Manifest, ManifestOf, Problem } from '../../config/types.ts';
import { withDeadline } from '../../lib/deadline.ts';
import {
  asHook,
  asResolver,
  asTool,
  type ExtensionCode,
  type Guards,
  guardedHook,
  guardedResolver,
  guardedTool,
} from '../guard/guard.ts';
import { BUNDLED, FOLDERS } from '../tool-sources.ts';
import type { RegisteredHook, RegisteredProvider, RegisteredResolver, RegisteredTool } from '../types.ts';
import { agreeOnCapabilities } from '../uses.ts';
import type { FoundExtension } from './find.ts';
import { lazyProvider } from './provider.ts';
import { asJson, configOf, secretsOf } from './settings.ts';
import { validatorOf } from './validator.ts';

export type Opened =
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
export async function openExtension(found: FoundExtension, listed: JsonObject, context: OpenContext): Promise<Opened> {
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
): Opened {
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
): Promise<Opened> {
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
): Extract<Opened, { kind: 'error' }> {
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
