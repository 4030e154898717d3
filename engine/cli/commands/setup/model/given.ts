import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EngineError } from '#contract';
import { didYouMean } from '../../../../config/problems/problem.ts';
import { findExtensions } from '../../../../extensions/loading/find.ts';
import { nearestOf } from '../../../../lib/text/nearest.ts';
import type { Saved } from '../answers.ts';

export type Model = NonNullable<Saved['model']>;
type Price = NonNullable<Model['price']>;

/** As it is set; where nothing is, the first provider whose key is there. */
export const AUTOMATIC: Model = { provider: null, model: null, url: null };

const BUNDLED = fileURLToPath(new URL('../../../../../extensions', import.meta.url));

/** The model of the command line; null where none is named. Throws `usage` for a provider that nobody knows, and a price that is none. */
export function modelGiven(root: string, flag: (name: string) => string | undefined): Model | null {
  const [named, model = null, url = null] = [flag('provider'), flag('model'), flag('modelUrl')];
  const written = flag('modelPrice');
  const price = written === undefined ? undefined : priceIn(written);
  if (price === null || (price !== undefined && model === null))
    throw new EngineError('usage', '--model-price goes with --model, and takes two numbers, such as 1.25,10');
  if (named === undefined && model === null && url === null) return null;
  const provider = named ?? (url === null ? null : OTHER);
  if (provider !== null) mustBeKnown(root, provider);
  return { provider, model, url, ...(price === undefined ? {} : { price }) };
}

/** Pure. The budget of the command line, in USD for a day; undefined where none is named. Throws `usage`. */
export function budgetGiven(flag: (name: string) => string | undefined): number | null | undefined {
  const written = flag('budget');
  if (written === undefined) return undefined;
  const usd = budgetIn(written);
  if (usd === undefined) throw new EngineError('usage', '--budget takes USD for a day, such as 5, or none');
  return usd;
}

/** Pure. What somebody writes for a day's budget; undefined: that is none. */
export function budgetIn(written: string): number | null | undefined {
  if (written.trim().toLowerCase() === 'none') return null;
  const usd = Number(written.trim() || Number.NaN);
  return Number.isFinite(usd) && usd > 0 ? usd : undefined;
}

/** Pure. USD per million tokens in and out, as somebody writes them; null: that is no price. */
export function priceIn(written: string): Price | null {
  const numbers = written
    .trim()
    .split(/[\s,;/]{1,5}/)
    .map(Number);
  const [input, output] = numbers;
  const isPrice = numbers.length === 2 && numbers.every((usd) => Number.isFinite(usd) && usd >= 0);
  return isPrice && input !== undefined && output !== undefined ? { input, output } : null;
}

function mustBeKnown(root: string, provider: string): void {
  const found = [...findExtensions(BUNDLED, 'bundled'), ...findExtensions(join(root, 'extensions'), 'workspace')];
  const names = found.filter(({ kind }) => kind === 'provider').map(({ name }) => name);
  if (names.includes(provider)) return;
  const meant = didYouMean(nearestOf(provider, names)) || `; there are ${[...new Set(names)].sort().join(', ')}`;
  const other = '--model-url alone names an OpenAI-compatible service';
  throw new EngineError('usage', `--provider: no provider is called "${provider}"${meant} (${other})`);
}

/** The provider that any OpenAI-compatible service is reached by. */
export const OTHER = 'openai';
/** It asks no model. */
export const NONE = 'offline';

/** Those that many have, as people call them, and where each gives its keys. */
export const KNOWN: readonly (readonly [name: string, label: string, page: string | null])[] = [
  ['anthropic', 'Anthropic', 'https://platform.claude.com/settings/keys'],
  ['openai', 'OpenAI', 'https://platform.openai.com/api-keys'],
  ['gemini', 'Google Gemini', 'https://aistudio.google.com/apikey'],
  ['grok', 'xAI', 'https://console.x.ai'],
  ['openrouter', 'OpenRouter', 'https://openrouter.ai/settings/keys'],
  ['ollama', 'Ollama', null],
];

/** `url`: of a service that is reached by the protocol of another, whose name is not its own. */
export function labelOf(provider: string, url: string | null): string {
  if (url !== null && URL.canParse(url)) return new URL(url).host;
  return KNOWN.find(([name]) => name === provider)?.[1] ?? provider;
}
