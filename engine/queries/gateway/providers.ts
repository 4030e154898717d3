import {
  EngineError,
  type GenerateRequest,
  type GenerateResponse,
  type HarnessProviderAdapter,
  type ListedModel,
} from '#contract';
import { didYouMean } from '../../config/problems/problem.ts';
import type { InferenceConfig } from '../../config/types.ts';
import type { RegisteredProvider } from '../../extensions/types.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { nearestOf } from '../../lib/text/nearest.ts';
import { type Price, priceOf } from '../../models/cost.ts';
import type { QueryPorts } from '../ports.ts';
import { defaultProvider } from './provider-in-use.ts';

interface ProviderShape {
  readonly name: string;
  readonly source: string;
  readonly default_model: string | null;
  readonly models: readonly string[];
  /** Names of environment variables, and whether they are set. */
  readonly secrets: readonly { readonly name: string; readonly set: boolean }[];
  readonly ready: boolean;
  /** By personas that name none. */
  readonly used: boolean;
}

export async function listProviders(ports: QueryPorts): Promise<readonly ProviderShape[]> {
  const { all } = await ports.extensions();
  const used = defaultProvider(ports);
  const { providers } = ports.currentExtensions();
  return providers.all().map((provider) => ({
    name: provider.name,
    source:
      all.find(({ kind, name, state }) => kind === 'provider' && name === provider.name && state === 'loaded')
        ?.source ?? 'bundled',
    default_model: provider.defaultModel,
    models: Object.keys(provider.models),
    secrets: Object.values(provider.manifest.secrets).map((name) => ({
      name,
      set: ports.environment.secretOf(name) !== undefined,
    })),
    ready: provider.missingSecrets().length === 0,
    used: provider.name === used,
  }));
}

type Answered =
  | { readonly ok: true; readonly text: string; readonly usage: GenerateResponse['usage'] }
  | { readonly ok: false; readonly code: string; readonly message: string };

export type ProviderAnswer = Answered & { readonly name: string; readonly model: string; readonly ms: number };

/** A model that a provider's service has. */
interface ModelShape {
  readonly id: string;
  /** Whether the provider's manifest knows it, with its window and its price. */
  readonly in_manifest: boolean;
  readonly default: boolean;
  /** Null where nobody says it. */
  readonly usd_per_million_tokens: Price | null;
}

/** The models that a provider's service lists itself, those that its manifest knows first. `name`: by default the one that is used. */
export async function listModels(
  ports: QueryPorts,
  name: string | undefined,
): Promise<{ readonly provider: string; readonly models: readonly ModelShape[] }> {
  await ports.extensions();
  const provider = providerNamed(ports, name ?? defaultProvider(ports));
  const { prices } = ports.live.current().inference;
  const listed = await modelsListedBy(provider);
  return {
    provider: provider.name,
    models: sortedModels(provider, listed).map((one) => shapeOf(provider, one, prices)),
  };
}

type Prices = InferenceConfig['prices'];

function shapeOf(provider: RegisteredProvider, { id, ...listed }: ListedModel, prices: Prices): ModelShape {
  const known = priceOf({ provider: provider.name, model: id }, provider.modelInfo(id), prices);
  return {
    id,
    in_manifest: Object.hasOwn(provider.models, id),
    default: id === provider.defaultModel,
    usd_per_million_tokens: known ?? listed.usd_per_million_tokens ?? null,
  };
}

const LIST_MS = 20_000;

/** Throws `bad_request` for a service that has no list, and else as the provider does. */
export async function modelsListedBy(provider: RegisteredProvider): Promise<readonly ListedModel[]> {
  const adapter = await adapterOf(provider);
  const { name } = provider;
  if (!adapter.models)
    throw new EngineError('bad_request', `${name} has no list of its models; name the model by its id`);
  return withDeadline(async (signal) => (await adapter.models?.({ signal })) ?? [], {
    ms: LIST_MS,
    code: 'timeout',
    what: `the list of models of ${name}`,
  });
}

/** Pure. Those of the manifest first, in its order, then the others by their names. */
export function sortedModels({ models }: Pick<RegisteredProvider, 'models'>, listed: readonly ListedModel[]) {
  const known = Object.keys(models);
  const rank = ({ id }: ListedModel) => (known.includes(id) ? known.indexOf(id) : known.length);
  return listed.toSorted((one, other) => rank(one) - rank(other) || one.id.localeCompare(other.id, 'en'));
}

/** Asks one model one question; `name`: by default the provider that is used. Throws `not_found`. */
export async function askProvider(
  ports: QueryPorts,
  { name, model: wanted }: { name: string | undefined; model: string | undefined },
): Promise<ProviderAnswer> {
  await ports.extensions();
  const provider = providerNamed(ports, name ?? defaultProvider(ports));
  const { inference } = ports.live.current();
  const configured = provider.name === defaultProvider(ports) ? inference.model : null;
  const model = wanted ?? configured ?? provider.defaultModel ?? 'default';
  return askModel(provider, model);
}

/** Asks this model one question. Never throws: what went wrong is the answer. */
export async function askModel(provider: RegisteredProvider, model: string): Promise<ProviderAnswer> {
  const begun = performance.now();
  const answer = await ask(provider, model).catch(
    (error: unknown): Answered => ({
      ok: false,
      code: error instanceof EngineError ? error.code : 'unavailable',
      message: error instanceof Error ? error.message : String(error),
    }),
  );
  return { name: provider.name, model, ms: Math.round(performance.now() - begun), ...answer };
}

const ANSWER_MS = 30_000;

function providerNamed({ currentExtensions }: QueryPorts, name: string): RegisteredProvider {
  const { providers } = currentExtensions();
  const provider = providers.get(name);
  if (provider) return provider;
  const hint = didYouMean(nearestOf(name, providers.names)) || '; see `epistle providers list`';
  throw new EngineError('not_found', `no provider is named ${name}${hint}`);
}

async function adapterOf(provider: RegisteredProvider): Promise<HarnessProviderAdapter> {
  const missing = provider.missingSecrets();
  if (missing.length > 0) throw new EngineError('auth', `${missing.join(', ')} is not set; put it into .env`);
  return provider.create();
}

async function ask(provider: RegisteredProvider, model: string): Promise<Answered> {
  const adapter = await adapterOf(provider);
  const text = 'Answer with the one word: ready.';
  const request: GenerateRequest = {
    model,
    system: [],
    messages: [{ role: 'user', content: [{ type: 'text', text }] }],
    tools: [],
    toolChoice: 'none',
    // Models that think first need room for it, or they end without a word.
    maxOutputTokens: 1024,
    temperature: null,
    cacheKey: 'providers-test',
    input: { text },
  };
  const reply = await withDeadline((signal) => adapter.generate(request, { signal }), {
    ms: ANSWER_MS,
    code: 'timeout',
    what: 'the model',
  });
  return { ok: true, text: reply.text, usage: reply.usage };
}
