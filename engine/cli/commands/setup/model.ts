import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EngineError } from '#contract';
import { loadEnvironment } from '../../../config/environment.ts';
import { didYouMean } from '../../../config/problems/problem.ts';
import { findExtensions } from '../../../extensions/loading/find.ts';
import { nearestOf } from '../../../lib/text/nearest.ts';
import { askProvider, type ProviderAnswer } from '../../../queries/gateway/providers.ts';
import type { Workspace } from '../../../workspace.ts';
import type { Saved } from './answers.ts';
import type { ModelChoice } from './ask.ts';
import type { Present } from './present.ts';

type Model = NonNullable<Saved['model']>;

/** As it is set; where nothing is, the first provider whose key is there. */
export const AUTOMATIC: Model = { provider: null, model: null, url: null };

const BUNDLED = fileURLToPath(new URL('../../../../extensions', import.meta.url));

/** The model of the command line; null where none is named. Throws `usage` for a provider that nobody knows. */
export function modelGiven(root: string, flag: (name: string) => string | undefined): Model | null {
  const [named, model = null, url = null] = [flag('provider'), flag('model'), flag('modelUrl')];
  if (named === undefined && model === null && url === null) return null;
  const provider = named ?? (url === null ? null : 'openai');
  if (provider !== null) mustBeKnown(root, provider);
  return { provider, model, url };
}

function mustBeKnown(root: string, provider: string): void {
  const found = [...findExtensions(BUNDLED, 'bundled'), ...findExtensions(join(root, 'extensions'), 'workspace')];
  const names = found.filter(({ kind }) => kind === 'provider').map(({ name }) => name);
  if (names.includes(provider)) return;
  const meant = didYouMean(nearestOf(provider, names)) || `; there are ${[...new Set(names)].sort().join(', ')}`;
  const other = '--model-url alone names an OpenAI-compatible service';
  throw new EngineError('usage', `--provider: no provider is called "${provider}"${meant} (${other})`);
}

const OLLAMA = 'http://127.0.0.1:11434';

/** What there is to choose from, the likeliest first. */
export async function modelChoices(root: string, { isNew, configs }: Present): Promise<readonly ModelChoice[]> {
  const { provider, model } = configs.inference;
  const key = loadEnvironment(root).firstProvider;
  const ollama = await fetch(`${OLLAMA}/api/tags`, { signal: AbortSignal.timeout(500) }).then(
    ({ ok }) => ok,
    () => false,
  );
  const isSet = !isNew && (provider !== null || model !== null);
  const label = [provider ?? key ?? 'the first provider with a key', ...(model ? [model] : [])].join('/');
  return [
    ...(isSet ? [{ label, hint: 'as it is set', model: AUTOMATIC }] : []),
    ...(key && !(isSet && provider === null)
      ? // Beside one that is set only its name makes it another.
        [{ label: key, hint: 'its key is set', model: isSet ? { ...AUTOMATIC, provider: key } : AUTOMATIC }]
      : []),
    ...(ollama ? [{ label: 'Ollama', hint: 'runs on this machine', model: { ...AUTOMATIC, provider: 'ollama' } }] : []),
    {
      label: 'none yet',
      hint: 'mail is answered, and no model reads it',
      model: { ...AUTOMATIC, provider: 'offline' },
    },
    {
      label: 'an OpenAI-compatible service',
      hint: 'by its address; its key is OPENAI_API_KEY',
      model: { ...AUTOMATIC, provider: 'openai', url: 'http://127.0.0.1:8000/v1' },
    },
  ];
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
