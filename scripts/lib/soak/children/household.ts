import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { launchGateway, type Program, submit } from '../../../../test/flow/gateway.ts';
import { makeWorkspace } from '../../../../test/flow/workspace.ts';
import { LOOP_GUARD_OFF } from '../loop-guard-off.ts';

const ADA = 'ada@agents.localhost';
/** What one answer of the model costs. */
export const CALL_USD = 0.01;
/** Twice what a tree costs whose process is not killed: 13 runs of two answers each. */
export const LIMIT_USD = 0.6;

/** Names of the nine leaves of a tree, as its answer has them. */
export const leavesOf = (tree: string): string[] => [1, 2, 3].flatMap((n) => [1, 2, 3].map((m) => `${tree}-${n}-${m}`));

/** Hands its work to three, who hand it to three, each of whom stamps its name once; the names are told upwards. */
const MODEL = `
  const names = (text) => text.match(/t\\d+(?:-\\d)*!/g) ?? [];
  const usage = { input: 0, output: 10, cached: 0, cacheWrite: 0 };
  export default { create: () => ({ async generate({ messages, model }) {
    const parts = { usage, reportedCostUsd: null, providerParts: { provider: 'head', model, data: null } };
    const words = messages.flatMap((one) => (one.role === 'user' ? one.content : [])).map(({ text }) => text ?? '').join();
    const results = messages.flatMap((one) => (one.role === 'tool' ? one.results : []));
    const name = /Task:\\s+(t[\\d-]+)/.exec(words)?.[1] ?? /\\bt\\d+\\b/.exec(words)[0];
    const isLeaf = name.split('-').length === 3;
    if (results.length > 0) {
      const text = isLeaf ? name + '!' : results.flatMap(({ content }) => names(content)).join(' ');
      return { ...parts, text, toolCalls: [], finish: 'stop' };
    }
    const toolCalls = isLeaf
      ? [{ id: 's', name: 'stamp', arguments: { name } }]
      : [1, 2, 3].map((n) => ({ id: 'c' + n, name: 'delegate', arguments: { task: name + '-' + n, tools: ['delegate', 'stamp'] } }));
    return { ...parts, text: '', toolCalls, finish: 'tool_calls' };
  } }) };`;

/** Nobody can look whether it was made, so it is never made again. */
const STAMP = `
  import { appendFileSync } from 'node:fs';
  export default {
    description: 'Stamps a name', risk: 'create', scope: 'web:create', effect: 'unknown', uses: [],
    input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    run({ name }) {
      appendFileSync(new URL('stamps', import.meta.url), name + '\\n');
      return 'stamped';
    },
  };`;

export type Household = Awaited<ReturnType<typeof openHousehold>>;

/** A gateway whose persona hands work on, and which is killed and begins again. */
export async function openHousehold() {
  const manifest = (kind: string, name: string, more: object) => ({
    name,
    kind,
    api: 1,
    summary: name,
    entry: 'index.mjs',
    ...more,
  });
  const { root, remove } = makeWorkspace({
    'configs/security.json': { owners: ['owner@example.com'], loop_guard: LOOP_GUARD_OFF },
    'configs/inference.json': { provider: 'head', model: 'm1' },
    'extensions/extensions.json': { providers: ['head'], tools: ['stamp'] },
    'extensions/providers/head/manifest.json': manifest('provider', 'head', {
      models: {
        m1: {
          context_tokens: 100_000,
          max_output_tokens: 50,
          tools: true,
          usd_per_million_tokens: { input: 0, output: 1000 },
        },
      },
    }),
    'extensions/providers/head/index.mjs': MODEL,
    'extensions/tools/stamp/manifest.json': manifest('tool', 'stamp', {}),
    'extensions/tools/stamp/index.mjs': STAMP,
    'personas/ada/persona.json': {
      name: 'Ada',
      address: ADA,
      reply: { receipt: 'never' },
      budget: { usd_per_run: LIMIT_USD },
      delegation: { enabled: true, max_children: 3, max_depth: 2 },
    },
  });
  const state: { gateway: Program | null } = { gateway: null };
  const stamps = join(root, 'extensions/tools/stamp/stamps');
  return {
    root,
    /** Ends the life before it. `crashAt`: where the new one dies. */
    async live(crashAt: string | null): Promise<void> {
      await state.gateway?.kill();
      const environment = crashAt === null ? {} : { NODE_ENV: 'test', EPISTLE_CRASH_AT: crashAt };
      state.gateway = await launchGateway(root, environment).ready;
    },
    isDead: () => state.gateway?.process.signalCode === 'SIGKILL',
    /** Rejects where the gateway dies before it has taken it. */
    async post(tree: string): Promise<void> {
      if (state.gateway === null) throw new Error('no gateway runs');
      // The same bytes each time: a mail with another date is another mail.
      const head = ['From: owner@example.com', `To: ${ADA}`, `Message-ID: <${tree}@example.com>`, 'Subject: A tree'];
      const raw = [...head, 'Date: Mon, 23 Nov 2026 10:00:00 +0000', '', `Please do ${tree} now.`, ''].join('\r\n');
      await submit(root, state.gateway.ready, { from: 'owner@example.com', to: ADA, raw });
    },
    stamps: (): string[] => (existsSync(stamps) ? readFileSync(stamps, 'utf8').trimEnd().split('\n') : []),
    async close(keeps: boolean): Promise<void> {
      await state.gateway?.kill();
      if (!keeps) remove();
    },
  };
}
