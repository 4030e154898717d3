import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from './command-line.ts';
import { epistle } from './gateway.ts';

const TSC = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

describe('somebody who writes extensions in a workspace without any packages', () => {
  let folder: string;
  let root: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'epistle author '));
    root = join(folder, 'mine');
    await run(['init', root], { cwd: folder });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const save = (path: string, content: object | string) =>
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  const types = () => JSON.parse(readFileSync(join(root, 'extensions/tsconfig.json'), 'utf8'));
  const check = () => {
    const { status, stdout } = spawnSync(process.execPath, [TSC, '-p', join(root, 'extensions')], { encoding: 'utf8' });
    return { status, stdout };
  };

  it('has the types of the contract, of zod and of Node in the editor, and a wrong field is found', async () => {
    for (const kind of ['tool', 'provider', 'resolver', 'hook'])
      await epistle(root, ['extensions', 'new', kind, 'mine']);
    expect(check()).toEqual({ status: 0, stdout: '' });
    save(
      'extensions/tools/mine/index.ts',
      `import { readFile } from 'node:fs/promises';
import { defineTool } from 'epistle/contract';
import { asVendorError } from 'epistle/contract/http';
import { z } from 'zod';

export default defineTool({
  description: 'x',
  risk: 'reads',
  scope: 'files:read',
  uses: [],
  input: z.object({ text: z.string() }),
  run: async ({ texts }) => [texts, asVendorError.nothing, readFile.nothing],
});
`,
    );
    const { status, stdout } = check();
    expect(status).not.toBe(0);
    expect(stdout).toContain(`'"reads"'`);
    expect(stdout).toContain(`'texts' does not exist`);
    expect(stdout.split(`'nothing' does not exist`)).toHaveLength(3);
    expect(stdout).not.toContain('Cannot find');
  });

  it('keeps them after an upgrade, when the package lies elsewhere, with what the author has set', async () => {
    const made = await epistle(root, ['extensions', 'new', 'tool', 'mine']);
    expect(made.json.created).toContain('extensions/tsconfig.json');
    const { compilerOptions } = types();
    const paths = { ...compilerOptions.paths, 'epistle/contract': ['/gone/contract/index.ts'], own: ['./own.ts'] };
    save('extensions/tsconfig.json', {
      include: ['tools'],
      compilerOptions: { ...compilerOptions, noEmit: true, paths },
    });
    expect(check().status).not.toBe(0);
    const { stdout } = await run(['--workspace', root, 'extensions', 'check', 'mine'], { cwd: folder });
    expect(stdout).toContain('(extensions/tsconfig.json)');
    expect(check()).toEqual({ status: 0, stdout: '' });
    expect(types()).toMatchObject({ include: ['tools'], compilerOptions: { paths: { own: ['./own.ts'] } } });

    save('extensions/tsconfig.json', '{ // mine\n}\n');
    const next = await epistle(root, ['extensions', 'new', 'hook', 'later']);
    expect(next.json.created).not.toContain('extensions/tsconfig.json');
    expect(readFileSync(join(root, 'extensions/tsconfig.json'), 'utf8')).toBe('{ // mine\n}\n');
  });

  it('gives a resolver the secrets that its manifest names, and is told which are not set', async () => {
    await epistle(root, ['extensions', 'new', 'resolver', 'mine']);
    const manifest = JSON.parse(readFileSync(join(root, 'extensions/resolvers/mine/manifest.json'), 'utf8'));
    save('extensions/resolvers/mine/manifest.json', { ...manifest, secrets: { token: 'CRM_TOKEN' } });
    save(
      'extensions/resolvers/mine/index.ts',
      `import { defineResolver } from 'epistle/contract';
export default defineResolver({
  resolve: ({ secrets }) => ({ slot: 'volatile', text: 'The token has ' + secrets.token?.length + ' letters.' }),
});
`,
    );
    save('configs/context.json', { profiles: { thread: { add: ['mine'] } } });
    expect(check()).toEqual({ status: 0, stdout: '' });
    expect((await epistle(root, ['extensions', 'check', 'mine'])).json.not_ready).toEqual([
      { kind: 'resolver', name: 'mine', reason: 'CRM_TOKEN is not set' },
    ]);
    save('.env', 'CRM_TOKEN=four\n');
    expect((await epistle(root, ['extensions', 'check', 'mine'])).json.not_ready).toEqual([]);
    await epistle(root, ['send', '--to', 'ada@agents.localhost', '--wait=180'], 'Hello');
    const { stdout } = await run(['--workspace', root, 'runs', 'show', 'last', '--prompt'], { cwd: folder });
    expect(stdout).toContain('The token has 4 letters.');
  });
});
