import { EngineError, type GenerateRequest } from '#contract';
import { nearestOf } from '../../config/nearest.ts';
import { didYouMean } from '../../config/problem.ts';
import type { RegisteredProvider } from '../../extensions/types.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { defaultProvider } from '../../queries/gateway/provider-in-use.ts';
import type { Workspace } from '../../workspace.ts';
import type { CommandContext, Outcome, Register } from '../command.ts';
import { table } from '../text/table.ts';

const TEST_MS = 30_000;

export const providersCommand: Register = (program, act) => {
  const providers = program.command('providers').description('Where models are');
  providers
    .command('list')
    .description('Every provider, whether its key is set, and which one is used')
    .action(act(list));
  providers
    .command('test')
    .description('Ask one model one question')
    .argument('[name]', 'default: the provider that is used')
    .option('--model <id>', "the vendor's id (default: the configured or the provider's own)")
    .action(act(test));
};

async function list(context: CommandContext): Promise<Outcome> {
  const workspace = context.open({ tolerant: true });
  const { all } = await workspace.extensions();
  const used = defaultProvider(workspace);
  const { providers } = workspace.currentExtensions();
  const shapes = providers.all().map((provider) => ({
    name: provider.name,
    source:
      all.find(({ kind, name, state }) => kind === 'provider' && name === provider.name && state === 'loaded')
        ?.source ?? 'bundled',
    default_model: provider.defaultModel,
    models: Object.keys(provider.models),
    secrets: Object.values(provider.manifest.secrets).map((name) => ({
      name,
      set: workspace.environment.secretOf(name) !== undefined,
    })),
    ready: provider.missingSecrets().length === 0,
    used: provider.name === used,
  }));
  return {
    data: { providers: shapes, next: null },
    text: table(
      ['', 'NAME', 'MODEL', 'KEY'],
      shapes.map((one) => [
        one.used ? '*' : '',
        one.name,
        one.default_model ?? '',
        one.secrets.length === 0
          ? 'none needed'
          : one.secrets.map(({ name, set }) => `${name} ${set ? 'is set' : 'is not set'}`).join(', '),
      ]),
      'No providers.',
    ),
  };
}

async function test(context: CommandContext, name: string | undefined, options: { model?: string }): Promise<Outcome> {
  const workspace = context.open();
  await workspace.extensions();
  const provider = providerNamed(workspace, name ?? defaultProvider(workspace));
  const { inference } = workspace.live.current();
  const configured = provider.name === defaultProvider(workspace) ? inference.model : null;
  const model = options.model ?? configured ?? provider.defaultModel ?? 'default';
  const begun = performance.now();
  const answer = await ask(provider, model).catch((error: unknown) => ({
    ok: false as const,
    code: error instanceof EngineError ? error.code : 'unavailable',
    message: error instanceof Error ? error.message : String(error),
  }));
  const ms = Math.round(performance.now() - begun);
  const shape = { name: provider.name, model, ms, ...answer };
  return {
    data: { providers: [shape] },
    text: answer.ok
      ? `${provider.name}/${model} answered in ${ms} ms: ${answer.text.trim().slice(0, 200)}`
      : `${provider.name}/${model} did not answer (${answer.code}): ${answer.message}`,
    exitCode: answer.ok ? 0 : 1,
  };
}

function providerNamed({ currentExtensions }: Workspace, name: string): RegisteredProvider {
  const { providers } = currentExtensions();
  const provider = providers.get(name);
  if (provider) return provider;
  const hint = didYouMean(nearestOf(name, providers.names)) || '; see `epistle providers list`';
  throw new EngineError('not_found', `no provider is named ${name}${hint}`);
}

async function ask(provider: RegisteredProvider, model: string) {
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
    ms: TEST_MS,
    code: 'timeout',
    what: 'the model',
  });
  return { ok: true as const, text: reply.text, usage: reply.usage };
}
