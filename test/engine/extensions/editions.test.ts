import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { extensionsSchema } from '../../../engine/config/extension-schemas.ts';
import { loadExtensions } from '../../../engine/extensions/loading/load.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import { toolContext } from '../../../engine/tools/execute.ts';
import { FOLDER, listingOfFirstEdition } from '../../extensions/first-edition/set.ts';
import { toolContext as capabilities } from '../../extensions/tools/context.ts';
import { loadFrom, tool } from './load-from.ts';

const SEARCHES = '{ uses: ["search"], resolve: async (_, { search }) => ({ slot: "volatile", text: String(search) }) }';

const observer = (kind: 'resolvers' | 'hooks', code: string, asked: readonly string[] | undefined) => ({
  [`${kind}/one/manifest.json`]: {
    name: 'one',
    kind: kind.slice(0, -1),
    api: 1,
    summary: 'one',
    entry: 'index.mjs',
    ...(asked && { capabilities: asked }),
  },
  [`${kind}/one/index.mjs`]: `export default ${code};\n`,
});

const answering = (more: string): string =>
  `{ description: 'Answers', risk: 'read', scope: 'web:read', input: { type: 'object' }, ${more} }`;

async function resultOf(code: string, asked: readonly string[]) {
  const { loaded } = await loadFrom({
    workspace: tool('one', code, { capabilities: asked }),
    listing: { tools: ['one'] },
  });
  const found = loaded.tools.get('one');
  if (!found) throw new Error(loaded.problems.map(({ message }) => message).join());
  const run = { ...capabilities(), log: silentLog };
  return found.call({}, toolContext(found, run, capabilities(), run.signal));
}

describe('extensions of the first edition', () => {
  it('are loaded as they are, every one', async () => {
    const loaded = await loadExtensions({
      bundledDir: join(FOLDER, 'none'),
      workspaceDir: FOLDER,
      listing: extensionsSchema.parse(listingOfFirstEdition()),
      secretOf: () => undefined,
      log: silentLog,
    });
    expect(loaded.problems).toEqual([]);
    expect(loaded.all.filter(({ state }) => state !== 'loaded')).toEqual([]);
    expect(loaded.all).toHaveLength(Object.values(listingOfFirstEdition()).flat().length);
  });

  it('have every capability by name, and may touch those of the manifest', async () => {
    const names = 'run: (_, context) => Object.keys(context)';
    expect(await resultOf(answering(names), ['web'])).toEqual(expect.arrayContaining(['web', 'mail', 'shell']));
    await expect(resultOf(answering('run: (_, { mail }) => String(mail)'), ['web'])).rejects.toMatchObject({
      code: 'unsupported_runtime_action',
    });
  });
});

describe('a tool that says what it uses', () => {
  it('finds these capabilities and no other key', async () => {
    const code = answering('uses: ["web"], run: (_, context) => Object.keys(context)');
    const keys = await resultOf(code, ['web']);
    expect(keys).toContain('web');
    expect(keys).not.toContain('mail');
  });

  it.each([
    ['["web", "mail"]', ['web'], '"uses" names mail', '["mail","web"]'],
    ['["web"]', ['web', 'files'], 'the manifest asks for files', '["web"]'],
    ['[]', ['web'], 'the manifest asks for web', '[]'],
  ])('%s is refused beside a manifest with %j, and told what to write', async (uses, asked, why, cure) => {
    const { loaded } = await loadFrom({
      workspace: tool('one', answering(`uses: ${uses}, run: () => 1`), { capabilities: asked }),
      listing: { tools: ['one'] },
    });
    expect(loaded.tools.get('one')).toBeUndefined();
    expect(loaded.problems[0]?.message).toContain(why);
    expect(loaded.problems[0]?.message).toContain(`"capabilities": ${cure}`);
  });

  it('is refused with a capability that there is none of', async () => {
    const { loaded } = await loadFrom({
      workspace: tool('one', answering('uses: ["moon"], run: () => 1')),
      listing: { tools: ['one'] },
    });
    expect(loaded.problems[0]?.message).toContain('uses.0');
  });
});

describe('a resolver or a hook that says what it uses', () => {
  it.each([
    ['resolvers', SEARCHES, ['search'], []],
    ['resolvers', SEARCHES, undefined, ['"uses" names search']],
    ['resolvers', '{ resolve: () => null }', ['search'], []],
    ['hooks', '{ on: ["run_ended"], uses: ["search"], handle() {} }', ['search'], []],
    ['hooks', '{ on: ["run_ended"], uses: [], handle() {} }', ['search'], ['the manifest asks for search']],
    ['hooks', '{ on: ["run_ended"], handle() {} }', undefined, []],
  ] as const)('%s: %s beside %j', async (kind, code, asked, problems) => {
    const { loaded } = await loadFrom({ workspace: observer(kind, code, asked), listing: { [kind]: ['one'] } });
    expect(loaded.problems.map(({ message }) => message)).toEqual(
      problems.map((problem) => expect.stringContaining(problem)),
    );
    expect(loaded[kind].names).toEqual(problems.length === 0 ? ['one'] : []);
  });
});
