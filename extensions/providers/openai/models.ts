import type { ListedModel } from '#contract';
import { fieldOf, listedModels, modelById } from '#contract/http';

/** The list of the server itself, in which OpenRouter says prices. */
export const modelsOf = (name: string, get: (path: string) => Promise<unknown>): Promise<readonly ListedModel[]> =>
  listedModels({ name, page: () => get('/models'), under: 'data', modelOf: pricedModel });

/** Those that an Ollama has pulled. */
export const pulledModels = (name: string, get: (path: string) => Promise<unknown>): Promise<readonly ListedModel[]> =>
  listedModels({
    name,
    page: () => get('/api/tags'),
    under: 'models',
    modelOf: (item) => modelById({ id: fieldOf(item, 'model') ?? fieldOf(item, 'name') }),
  });

/** What a token costs is a text in USD; `-1` where that depends on the model behind it. */
function pricedModel(item: unknown): ListedModel | null {
  const model = modelById(item);
  const pricing = fieldOf(item, 'pricing');
  const [input, output] = ['prompt', 'completion'].map((name) => perMillion(fieldOf(pricing, name)));
  if (model === null || input === undefined || output === undefined) return model;
  return { ...model, usd_per_million_tokens: { input, output } };
}

function perMillion(text: unknown): number | undefined {
  const usd = typeof text === 'string' && text.trim() !== '' ? Number(text) : Number.NaN;
  // What a float makes of a price is not to stand in somebody's settings.
  return usd >= 0 && usd < 1 ? Number((usd * 1_000_000).toFixed(6)) : undefined;
}
