import { askProvider, listModels, listProviders } from '../../../queries/gateway/providers.ts';
import { defineCommand, type Group } from '../../command/define.ts';

const list = defineCommand({
  name: 'providers list',
  summary: 'Every provider, whether its key is set, and which one is used',
  run: async ({ open }) => ({ providers: await listProviders(open({ tolerant: true })), next: null }),
  rows: (found) => found.providers,
  columns: {
    '': ({ used }) => (used ? '*' : ''),
    NAME: ({ name }) => name,
    MODEL: ({ default_model }) => default_model ?? '',
    KEY: ({ secrets }) =>
      secrets.length === 0
        ? 'none needed'
        : secrets.map(({ name, set }) => `${name} ${set ? 'is set' : 'is not set'}`).join(', '),
  },
  empty: 'No providers.',
});

const models = defineCommand({
  name: 'providers models',
  summary: 'The models that a provider has, by its own list',
  arguments: [['[name]', 'default: the provider that is used']],
  run: ({ open }, { args: [name] }) => listModels(open({ tolerant: true }), name),
  rows: ({ models: found }) => found,
  columns: {
    '': (one) => (one.default ? '*' : ''),
    MODEL: ({ id }) => id,
    'USD PER MILLION TOKENS': ({ usd_per_million_tokens: price }) =>
      price === null ? 'no price' : `${price.input} in, ${price.output} out`,
  },
  empty: 'It lists no models.',
});

const test = defineCommand({
  name: 'providers test',
  summary: 'Ask one model one question',
  arguments: [['[name]', 'default: the provider that is used']],
  options: {
    model: { flags: '--model <id>', about: "the vendor's id (default: the configured or the provider's own)" },
  },
  run: async ({ open }, { args: [name], options: { model } }) => ({
    providers: [await askProvider(open(), { name, model })],
  }),
  text: ({ providers: answers }) =>
    answers
      .map((answer) =>
        answer.ok
          ? `${answer.name}/${answer.model} answered in ${answer.ms} ms: ${answer.text.trim().slice(0, 200)}`
          : `${answer.name}/${answer.model} did not answer (${answer.code}): ${answer.message}`,
      )
      .join('\n'),
  exitCode: ({ providers: answers }) => (answers.every(({ ok }) => ok) ? 0 : 1),
});

export const providers: Group = { name: 'providers', summary: 'Where models are', commands: [list, models, test] };
