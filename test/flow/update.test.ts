import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HttpServer, startHttpServer } from '../fakes/http-server.ts';
import { run } from './command-line.ts';

describe('somebody who asks for a newer version', () => {
  const home = mkdtempSync(join(tmpdir(), 'epistle-update-'));
  const registry: { server?: HttpServer; newest: string; bin: string; asked: number } = {
    newest: '',
    bin: '',
    asked: 0,
  };
  beforeEach(async () => {
    Object.assign(registry, { newest: '99.0.0', bin: 'bin/epistle.js', asked: 0 });
    registry.server = await startHttpServer(() => {
      registry.asked += 1;
      const { newest, bin } = registry;
      const versions = {
        [newest]: { name: 'epistle', version: newest, bin: { epistle: bin }, dist: { tarball: 'x' } },
      };
      const body = JSON.stringify({ name: 'epistle', 'dist-tags': { latest: newest }, versions });
      return { status: newest === '' ? 404 : 200, headers: { 'content-type': 'application/json' }, body };
    });
  });
  afterEach(async () => {
    await registry.server?.stop();
    rmSync(home, { recursive: true, force: true });
  });
  const ask = async (...args: string[]) => {
    const environment = {
      HOME: home,
      npm_config_cache: join(home, 'cache'),
      npm_config_userconfig: join(home, 'npmrc'),
      npm_config_registry: registry.server?.baseUrl ?? '',
      npm_config_update_notifier: 'false',
    };
    const { code, stdout, stderr } = await run(['update', ...args], { cwd: tmpdir(), environment });
    return { code, stdout, stderr, json: args.includes('--json') ? JSON.parse(stdout) : null };
  };

  it('is told of it by the registry of npm, with what to type', async () => {
    expect((await ask('--check', '--json')).json).toMatchObject({
      ok: true,
      newest: '99.0.0',
      newer: true,
      commands: [expect.stringMatching(/^(?:git -C .* pull|npm install --global epistle@99\.0\.0)$/)],
    });
    expect((await ask('--check')).stdout).toContain('99.0.0 is there; this is ');
    expect(registry.asked).toBeGreaterThan(0);
  });

  it('is told that there is none', async () => {
    registry.newest = '0.0.1';
    expect(await ask('--check', '--json')).toMatchObject({ code: 0, json: { newer: false, commands: [] } });
  });

  it('is told when the registry has another program, or none, of the name', async () => {
    registry.bin = 'other.js';
    expect(await ask('--check', '--json')).toMatchObject({ code: 1, json: { error: { code: 'not_found' } } });
    registry.newest = '';
    expect(await ask('--check', '--json')).toMatchObject({ code: 1, json: { error: { code: 'not_found' } } });
  });

  it('is told when there is no network, and asks nobody without --check', async () => {
    expect((await ask()).code).toBe(2);
    expect(registry.asked).toBe(0);
    await registry.server?.stop();
    const { code, json } = await ask('--check', '--json');
    expect([code, json.error]).toMatchObject([
      1,
      { code: 'network', message: expect.stringContaining('ECONNREFUSED') },
    ]);
  });
});
