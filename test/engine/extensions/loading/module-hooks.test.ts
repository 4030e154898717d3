import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { sharedTarget } from '../../../../engine/extensions/loading/module-hooks.ts';
import { temporaryWorkspace } from '../../config/temporary-workspace.ts';

const run = promisify(execFile);
const repository = join(import.meta.dirname, '../../../..');

const weather = (extension: string) => ({
  [`tools/weather_${extension}/manifest.json`]: {
    name: `weather_${extension}`,
    kind: 'tool',
    api: 1,
    summary: 'Weather',
    entry: `index.${extension}`,
  },
  [`tools/weather_${extension}/index.${extension}`]: `
    import { defineTool, EngineError } from 'epistle/contract';
    import { isShallow } from 'epistle/contract/http';
    import { z } from 'zod';
    export default defineTool({
      description: 'The weather',
      risk: 'read',
      scope: 'web:read',
      input: z.object({ city: z.string() }),
      run() { if (isShallow({})) throw new EngineError('tool_failed', 'no weather today'); },
    });
  `,
});

describe('a workspace extension in a folder that knows nothing of the package', () => {
  it('imports the contract that the engine runs on, and zod, from .ts, .js and .mjs', async () => {
    const { path, write } = temporaryWorkspace({ ...weather('ts'), ...weather('js'), ...weather('mjs') });
    // A process of its own: what is tested is Node's own module loading.
    write({
      'load.mjs': `
        import { loadExtensions } from ${JSON.stringify(join(repository, 'engine/extensions/loading/load.ts'))};
        import { EngineError } from ${JSON.stringify(join(repository, 'engine/contract/index.ts'))};
        import { silentLog } from ${JSON.stringify(join(repository, 'engine/lib/log/log.ts'))};
        const tools = ['weather_ts', 'weather_js', 'weather_mjs'];
        const loaded = await loadExtensions({
          bundledDir: ${JSON.stringify(join(path, 'nothing'))},
          workspaceDir: ${JSON.stringify(path)},
          listing: { providers: [], tools, resolvers: [], hooks: [], mcp: [] },
          secretOf: () => undefined,
          log: silentLog,
        });
        const thrown = await Promise.all(loaded.tools.all().map(async (tool) => {
          try { await tool.call({}, {}); } catch (error) { return error instanceof EngineError && error.code; }
        }));
        console.log(JSON.stringify({ problems: loaded.problems, thrown, bad: loaded.tools.get('weather_ts').validate({}) }));
      `,
    });
    const { stdout } = await run(process.execPath, [join(path, 'load.mjs')], { cwd: path });
    expect(JSON.parse(stdout)).toEqual({
      problems: [],
      thrown: ['tool_failed', 'tool_failed', 'tool_failed'],
      bad: { ok: false, message: expect.stringContaining('city') },
    });
  });
});

describe('an import', () => {
  const inside = new URL('../../../extensions/tools/x/index.ts', import.meta.url).href;

  it.each([
    ['epistle/contract', 'file:///w/extensions/tools/x/index.ts', '#contract'],
    ['epistle/contract', inside, '#contract'],
    ['epistle/contract/http', 'file:///w/extensions/providers/x/index.ts', '#contract/http'],
    ['zod', 'file:///w/extensions/tools/x/index.ts?changed=1', 'zod'],
    ['zod/mini', 'file:///w/extensions/tools/x/index.ts', 'zod/mini'],
    ['zod', inside, null],
    ['zod', 'file:///w/node_modules/other/index.js', null],
    ['zod', undefined, null],
    ['zod-to-json', 'file:///w/extensions/tools/x/index.ts', null],
    ['epistle', 'file:///w/extensions/tools/x/index.ts', null],
    ['#contract', 'file:///w/extensions/tools/x/index.ts', null],
    ['node:fs', 'file:///w/extensions/tools/x/index.ts', null],
  ])('of %s by %s means %s', (specifier, parent, target) => {
    expect(sharedTarget(specifier, parent)).toBe(target);
  });
});
