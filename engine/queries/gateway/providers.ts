import { EngineError, type GenerateRequest, type GenerateResponse } from '#contract';
import { nearestOf } from '../../lib/text/nearest.ts';
import { didYouMean } from '../../config/problems/problem.ts';
import type { RegisteredProvider } from '../../extensions/types.ts';
import { withDeadline } from '../../lib/deadline.ts';
import type { QueryPorts } from '../ports.ts';
import { defaultProvider } from './provider-in-use.ts';

export interface ProviderShape {
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

export type Answered =
  | { readonly ok: true; readonly text: string; readonly usage: GenerateResponse['usage'] }
  | { readonly ok: false; readonly code: string; readonly message: string };

export type ProviderAnswer = Answered & { readonly name: string; readonly model: string; readonly ms: number };

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

async function ask(provider: RegisteredProvider, model: string): Promise<Answered> {
  const missing = provider.missingSecrets();
  if (missing.length > 0) throw new EngineError('auth', `${missing.join(', ')} is not set; put it into .env`);
  const adapter = await provider.create();
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
