import { EngineError } from '#contract';
import { loadEnvironment } from '../../../../config/environment.ts';
import type { RegisteredProvider } from '../../../../extensions/types.ts';
import type { ModelChoice, Prompts } from '../ask.ts';
import type { SetupUnderWay } from '../steps.ts';
import { AUTOMATIC, KNOWN, labelOf, type Model, modelGiven, NONE, OTHER } from './given.ts';
import {
  type Doubted,
  faultOfModel,
  isMovable,
  type ModelFault,
  type OfferedModel,
  offeredModels,
  type PriceKnown,
  priceKnown,
  providersWith,
  urlSetOf,
} from './service.ts';

const OLLAMA = 'http://127.0.0.1:11434';
const OTHER_URL = 'http://127.0.0.1:8000/v1';

/** What was chosen, as far as it was. */
interface Draft {
  readonly provider: string | undefined;
  readonly url: string | null | undefined;
  /** Undefined: not asked for yet; null: that of the environment, or none is needed. */
  readonly key: string | null | undefined;
  readonly model: string | undefined;
}

interface ChosenModel {
  readonly model: Model;
  /** A key that was typed, by the name of its variable. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Whether it has answered a question; null: it was not asked. */
  readonly answers: boolean | null;
  readonly price: PriceKnown | null;
}

/** More failures than these, and setup goes on without an answer. */
const TRIES = 20;

/**
 * The provider, its key and its model, asked for until the model answers one question: a failure leads back to what it calls
 * into question. What is set, and what an earlier setup was told, stands there to be kept.
 */
export async function askModel(asking: SetupUnderWay): Promise<ChosenModel> {
  const { root, prompts, flag, say } = asking;
  const given = modelGiven(root, flag);
  if (prompts === null) return { ...NOTHING, model: given ?? AUTOMATIC, secrets: await keyGiven(asking, given) };
  let draft = given ? draftOf(asking, given) : EMPTY;
  for (let tried = 1; ; tried += 1) {
    const found = await tryDraft(asking, prompts, draft);
    if ('chosen' in found) return found.chosen;
    const { fault } = found;
    if (tried >= TRIES) throw new EngineError('unavailable', fault.words);
    say(fault.words);
    draft = without(found.draft, fault.doubted);
  }
}

/** The key of a named provider, from the environment: there it may be only for this command. */
async function keyGiven(
  { root, present }: SetupUnderWay,
  given: Model | null,
): Promise<Readonly<Record<string, string>>> {
  if (given?.provider == null) return {};
  const registry = await providersWith(root, present, { provider: null, url: null, secrets: {} });
  const environment = loadEnvironment(root);
  const names = Object.values(registry.get(given.provider)?.manifest.secrets ?? {});
  return Object.fromEntries(
    names.flatMap((name): [string, string][] => {
      const key = environment.secretOf(name);
      return key === undefined ? [] : [[name, key]];
    }),
  );
}

const EMPTY: Draft = { provider: undefined, url: undefined, key: undefined, model: undefined };
const draftOf = (asking: SetupUnderWay, { provider, url, model }: Model): Draft => ({
  ...EMPTY,
  provider: provider ?? inUse(asking) ?? NONE,
  url,
  model: model ?? undefined,
});

/** What is not chosen yet is asked for, then the model is asked its question. */
async function tryDraft(
  asking: SetupUnderWay,
  prompts: Prompts,
  draft: Draft,
): Promise<{ readonly chosen: ChosenModel } | { readonly fault: ModelFault; readonly draft: Draft }> {
  const { root, present, say } = asking;
  const { provider, url } = await askProviderOf(asking, prompts, draft);
  if (provider === NONE) return { chosen: { ...NOTHING, model: asSet({ ...AUTOMATIC, provider }, asking, null) } };
  const { key, secrets } = await askKey(asking, prompts, { provider, url, key: draft.key });
  const service = (await providersWith(root, present, { provider, url, secrets })).get(provider);
  if (!service) throw new EngineError('config_invalid', `the provider ${provider} cannot be loaded`);
  const next = { ...draft, provider, url, key };
  const which = draft.model === undefined ? await askWhich(asking, prompts, service, url) : { id: draft.model };
  if ('fault' in which) return { fault: which.fault, draft: next };
  const fault = await faultOfModel(service, which.id, url);
  if (fault) return { fault, draft: { ...next, model: which.id } };
  say(`${labelOf(provider, url)} answers with ${which.id}.`);
  return { chosen: await chosen(asking, prompts, { service, url, found: which, secrets }) };
}

const NOTHING = { secrets: {}, answers: null, price: null } as const;

/** Pure. What was called into question is asked again, and what hangs on it; the rest stays. */
function without(draft: Draft, doubted: Doubted): Draft {
  switch (doubted) {
    case 'provider':
      return EMPTY;
    case 'address':
      return { ...draft, url: undefined };
    case 'key':
      return { ...draft, key: undefined };
    case 'model':
      return { ...draft, model: undefined };
  }
}

/** The provider by which mail is answered so far; null: none, or it is not known. */
const inUse = ({ root, present }: Pick<SetupUnderWay, 'root' | 'present'>): string | null =>
  present.configs.inference.provider ?? loadEnvironment(root).firstProvider;

async function askProviderOf(
  asking: SetupUnderWay,
  prompts: Prompts,
  { provider, url }: Draft,
): Promise<{ readonly provider: string; readonly url: string | null }> {
  const { present, saved, keep } = asking;
  if (provider !== undefined && url !== undefined) return { provider, url };
  // Its address alone is in doubt.
  if (provider !== undefined) return { provider, url: await askAddress(asking, prompts, provider) };
  const before = saved().model;
  const set = present.isNew ? null : inUse(asking);
  const suggested = before?.provider ?? set ?? inUse(asking);
  const choices = await choicesOf(asking);
  const isOther = before ? before.url !== null : suggested === OTHER && urlSetOf(present, OTHER) !== null;
  const initial = choices.findIndex((one) => one.provider === (suggested ?? '') && (one.isOther ?? false) === isOther);
  const ollama = choices.findIndex(({ provider: name, hint }) => name === 'ollama' && hint !== '');
  const last = choices.length - 1;
  const at = await prompts.provider(choices, initial >= 0 ? initial : ollama >= 0 ? ollama : last);
  const { provider: name, isOther: isByAddress = false } = choices[at] ?? { provider: NONE };
  const address = isByAddress ? await askAddress(asking, prompts, name) : await ownAddress(asking, name);
  keep({
    model: { ...AUTOMATIC, provider: name, url: address, ...(before?.provider === name && { model: before.model }) },
  });
  return { provider: name, url: address };
}

/** Of a provider that is set to be elsewhere: where it is, or, of a vendor that was chosen by its name, its own. */
async function ownAddress({ root, present }: SetupUnderWay, provider: string): Promise<string | null> {
  const set = urlSetOf(present, provider);
  if (set === null || provider !== OTHER) return set;
  const registry = await providersWith(root, present, { provider: null, url: null, secrets: {} });
  const own = registry.get(provider)?.manifest.config.base_url;
  return typeof own === 'string' ? own : null;
}

async function askAddress({ present, saved }: SetupUnderWay, prompts: Prompts, provider: string): Promise<string> {
  const own = provider === 'ollama' ? `${OLLAMA}/v1` : OTHER_URL;
  const before = saved().model;
  const kept = before?.provider === provider ? before.url : null;
  return prompts.modelAddress(kept ?? urlSetOf(present, provider) ?? own);
}

/** What there is to choose from; the last one is none. */
async function choicesOf({ root, present }: SetupUnderWay): Promise<readonly ModelChoice[]> {
  const environment = loadEnvironment(root);
  const registry = await providersWith(root, present, { provider: null, url: null, secrets: {} });
  const isRunning = await fetch(`${OLLAMA}/api/tags`, { signal: AbortSignal.timeout(500) }).then(
    ({ ok }) => ok,
    () => false,
  );
  const set = present.isNew ? null : present.configs.inference.provider;
  const isAtAddress = urlSetOf(present, OTHER) !== null;
  const hintOf = (name: string): string => {
    if (name === set && !(name === OTHER && isAtAddress)) return 'as it is set';
    if (name === 'ollama') return isRunning ? 'runs on this machine' : '';
    const keys = Object.values(registry.get(name)?.manifest.secrets ?? {});
    const hasKeys = keys.length > 0 && keys.every((key) => environment.secretOf(key) !== undefined);
    return hasKeys && !(name === OTHER && isAtAddress) ? 'its key is set' : '';
  };
  const known = KNOWN.map(([provider, label]): ModelChoice => ({ provider, label, hint: hintOf(provider) }));
  const bundled = new Set([...KNOWN.map(([name]) => name), NONE]);
  const own = registry.names
    .filter((name) => !bundled.has(name))
    .map((provider): ModelChoice => ({ provider, label: provider, hint: hintOf(provider) }));
  const other = set === OTHER && isAtAddress ? 'as it is set' : 'OpenAI-compatible';
  return [
    ...known,
    ...own,
    { provider: OTHER, label: 'another service, by its address', hint: other, isOther: true },
    { provider: NONE, label: 'none yet', hint: 'mail is answered, and no model reads it' },
  ];
}

/** The key of a provider; kept by Enter where one is there. It goes into `.env` with all else. */
async function askKey(
  { root, present, saved, keep }: SetupUnderWay,
  prompts: Prompts,
  { provider, url, key }: { provider: string; url: string | null; key: string | null | undefined },
): Promise<{ readonly key: string | null; readonly secrets: Readonly<Record<string, string>> }> {
  const registry = await providersWith(root, present, { provider, url, secrets: {} });
  const [name] = Object.values(registry.get(provider)?.manifest.secrets ?? {});
  if (name === undefined) return { key: null, secrets: {} };
  const kept = saved().secrets?.[name];
  const secretsOf = (value: string | null | undefined) => (value == null ? {} : { [name]: value });
  if (key !== undefined) return { key, secrets: secretsOf(key ?? kept) };
  const isThere = kept !== undefined || loadEnvironment(root).secretOf(name) !== undefined;
  const [, label = provider, page = null] = KNOWN.find(([known]) => known === provider && url === null) ?? [];
  const about = `The key of ${url ?? label}${page === null ? '' : ` (${page})`}`;
  const typed = await prompts.secret({ about, isThere, isOptional: url !== null });
  // A server that wants none ignores whatever comes.
  const given = typed ?? (isThere ? null : 'none');
  if (given !== null) keep({ secrets: { ...saved().secrets, [name]: given } });
  return { key: given, secrets: secretsOf(given ?? kept) };
}

interface Which {
  readonly id: string;
  readonly listed?: OfferedModel | undefined;
}

/** Which of its models, by the service's own list; typed where it has none. */
async function askWhich(
  asking: SetupUnderWay,
  prompts: Prompts,
  service: RegisteredProvider,
  url: string | null,
): Promise<Which | { readonly fault: ModelFault }> {
  const { say, keep, saved, present } = asking;
  const offered = await offeredModels(service, url);
  if ('fault' in offered) return offered;
  const before = saved().model;
  const kept = before?.provider === service.name ? before.model : null;
  const isSet = service.name === inUse(asking);
  const suggested = kept ?? (isSet ? present.configs.inference.model : null) ?? service.defaultModel ?? undefined;
  const models = offered.models ?? [];
  if (models.length === 0) say(`${labelOf(service.name, url)} does not list its models.`);
  const id =
    models.length === 0
      ? await prompts.modelName(url === null ? suggested : (kept ?? undefined))
      : await prompts.modelOf(models, suggested);
  keep({ model: { provider: service.name, url, model: id } });
  return { id, listed: models.find((one) => one.id === id) };
}

/** A model that has answered, with its price where nobody knows that yet. */
async function chosen(
  asking: SetupUnderWay,
  prompts: Prompts,
  done: {
    readonly service: RegisteredProvider;
    readonly url: string | null;
    readonly found: Which;
    readonly secrets: Readonly<Record<string, string>>;
  },
): Promise<ChosenModel> {
  const { service, url, found, secrets } = done;
  const known = priceKnown(service, found.id, asking.present);
  const given = modelGiven(asking.root, asking.flag)?.price;
  const said = known.isUnpriced ? (given ?? found.listed?.price ?? (await prompts.price(found.id))) : given;
  const model = {
    provider: service.name,
    model: found.id,
    url,
    ...(said ? { price: { input: said.input, output: said.output } } : {}),
  };
  asking.keep({ model });
  return {
    model: asSet(model, asking, service),
    secrets,
    answers: true,
    price: { ...known, isUnpriced: known.isUnpriced && !said },
  };
}

/** Pure but for a look at `.env`. What is set already is not written once more. */
function asSet(model: Model, asking: SetupUnderWay, service: RegisteredProvider | null): Model {
  const { present } = asking;
  const { inference } = present.configs;
  if (present.isNew) return model;
  const isSame = model.provider === inUse(asking);
  const isDefault = inference.model === null && service !== null && model.model === service.defaultModel;
  const isThere = model.provider !== null && model.url === urlSetOf(present, model.provider);
  return {
    ...model,
    provider: isSame ? null : model.provider,
    model: isSame && isDefault ? null : model.model,
    url: isThere || !isMovable({ name: model.provider ?? '' }, model.url) ? null : model.url,
  };
}
