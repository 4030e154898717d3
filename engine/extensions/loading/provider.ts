import { EngineError, type HarnessProviderAdapter, type JsonObject, type Log, type ModelInfo } from '#contract';
import type { ManifestOf } from '../../config/types.ts';
import type { Guard } from '../guard/guard.ts';
import { asProvider, guardedAdapter } from '../guard/guard.ts';
import type { RegisteredProvider } from '../types.ts';
import { isLocalAddress } from './local-address.ts';
import { configOf, secretsOf } from './settings.ts';

const UNLISTED: ModelInfo = Object.freeze({
  context_tokens: 128_000,
  max_output_tokens: 4096,
  tools: true,
  images: false,
  usd_per_million_tokens: null,
});

/** A provider whose code is imported when it is first used: the SDKs are the slowest thing to load. */
export function lazyProvider(options: {
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
