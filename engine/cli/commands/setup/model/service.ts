import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EngineError, type TokenPrice } from '#contract';
import { loadEnvironment } from '../../../../config/environment.ts';
import type { ExtensionsConfig } from '../../../../config/types.ts';
import { loadProviders } from '../../../../extensions/loading/load.ts';
import type { RegisteredProvider, Registry } from '../../../../extensions/types.ts';
import { silentLog } from '../../../../lib/log/log.ts';
import { priceOf } from '../../../../models/cost.ts';
import { isUnpriced } from '../../../../models/unpriced.ts';
import {
  askModel as askOneQuestion,
  askProvider,
  modelsListedBy,
  type ProviderAnswer,
  sortedModels,
} from '../../../../queries/gateway/providers.ts';
import type { Workspace } from '../../../../workspace.ts';
import type { Present } from '../present.ts';

const BUNDLED = fileURLToPath(new URL('../../../../../extensions', import.meta.url));

/** The providers of a workspace that may not be there yet, with an address and keys that are not written yet. */
export function providersWith(
  root: string,
  { configs }: Pick<Present, 'configs'>,
  {
    provider,
    url,
    secrets,
  }: {
    readonly provider: string | null;
    readonly url: string | null;
    readonly secrets: Readonly<Record<string, string>>;
  },
): Promise<Registry<RegisteredProvider>> {
  const environment = loadEnvironment(root);
  return loadProviders({
    bundledDir: BUNDLED,
    workspaceDir: join(root, 'extensions'),
    listing: provider === null ? configs.extensions : listingWith(configs.extensions, provider, url),
    secretOf: (name) => (Object.hasOwn(secrets, name) ? secrets[name] : environment.secretOf(name)),
    log: silentLog,
  });
}

/** Pure. With the provider on, and at this address where one is given. */
function listingWith(listing: ExtensionsConfig, name: string, url: string | null): ExtensionsConfig {
  const before = listing.providers.find((one) => (typeof one === 'string' ? one : one.name) === name);
  if (before === undefined && url === null) return listing;
  const config = typeof before === 'object' ? before.config : {};
  const after = { name, enabled: true, config: url === null ? config : { ...config, base_url: url } };
  return { ...listing, providers: [...listing.providers.filter((one) => one !== before), after] };
}

/** Pure. The address at which a provider is set to be; null: its own. */
export function urlSetOf({ configs }: Pick<Present, 'configs'>, name: string): string | null {
  const listed = configs.extensions.providers.find((one) => typeof one === 'object' && one.name === name);
  const url = typeof listed === 'object' ? listed.config.base_url : undefined;
  return typeof url === 'string' ? url : null;
}

/** What a failure calls into question. */
export type Doubted = 'provider' | 'address' | 'key' | 'model';

export interface ModelFault {
  readonly doubted: Doubted;
  /** What is wrong, and the cure. */
  readonly words: string;
}

const CURES: Readonly<Record<Doubted, string>> = {
  provider: 'see whether this machine reaches it, or choose another one',
  address: 'give its address once more',
  key: 'give the key once more',
  model: 'name another model',
};

/** Pure. `hasAddress`: its address was typed, or could be another one. */
function faultOf(code: string, message: string, hasAddress: boolean): ModelFault {
  const doubted = doubtedBy(code, hasAddress);
  const cure = code === 'no_credit' ? 'top up the account, or give another key' : CURES[doubted];
  return { doubted, words: `${message}; ${cure}` };
}

function doubtedBy(code: string, hasAddress: boolean): Doubted {
  if (code === 'auth' || code === 'no_credit') return 'key';
  if (['model_gone', 'bad_request', 'content_refused', 'context_overflow', 'unparsable'].includes(code)) return 'model';
  return hasAddress ? 'address' : 'provider';
}

export interface OfferedModel {
  readonly id: string;
  /** Where the service says it. */
  readonly price: TokenPrice | null;
}

/** Whose address may be another one: servers that people run, not the vendors. */
export const isMovable = ({ name }: Pick<RegisteredProvider, 'name'>, url: string | null): boolean =>
  url !== null || name === 'ollama';

/** The models that a service has, those of the manifest first. Null: it cannot list them. */
export async function offeredModels(
  provider: RegisteredProvider,
  url: string | null,
): Promise<{ readonly models: readonly OfferedModel[] | null } | { readonly fault: ModelFault }> {
  try {
    const listed = sortedModels(provider, await modelsListedBy(provider));
    return { models: listed.map(({ id, usd_per_million_tokens: price = null }) => ({ id, price })) };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const fault = faultOf(error.code, error.message, isMovable(provider, url));
    // A service without a list may answer all the same.
    return fault.doubted === 'model' ? { models: null } : { fault };
  }
}

export async function faultOfModel(
  provider: RegisteredProvider,
  model: string,
  url: string | null,
): Promise<ModelFault | null> {
  const answer = await askOneQuestion(provider, model);
  return answer.ok ? null : faultOf(answer.code, answer.message, isMovable(provider, url));
}

export interface PriceKnown {
  /** Nobody has said it, and its service does not. */
  readonly isUnpriced: boolean;
  /** Nobody bills it. */
  readonly isFree: boolean;
}

/** Pure. What is known of a model's price by the settings and the manifest. */
export function priceKnown(
  provider: RegisteredProvider,
  model: string,
  { configs }: Pick<Present, 'configs'>,
): PriceKnown {
  const target = { provider: provider.name, model };
  const info = provider.modelInfo(model);
  const { prices } = configs.inference;
  const price = priceOf(target, info, prices);
  return {
    isUnpriced: isUnpriced(target, info, prices),
    isFree: price !== null && price.input === 0 && price.output === 0,
  };
}

/** Asks the model that is to read the mail one question, so that nobody waits for the answer to a first mail in vain. */
export async function tryModel(workspace: Workspace): Promise<{ answer: ProviderAnswer; words: string }> {
  const answer = await askProvider(workspace, { name: undefined, model: undefined });
  const name = `${answer.name}/${answer.model}`;
  const words = answer.ok
    ? `${name} answers.`
    : `${name} does not answer (${answer.code}): ${answer.message}. Mail waits until it does; \`epistle providers test\` asks it again.`;
  return { answer, words };
}
