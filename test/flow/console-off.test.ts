import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { browserAt } from './console-rig.ts';
import { launchGateway } from './gateway.ts';
import { makeWorkspace } from './workspace.ts';

const HOOK = fileURLToPath(new URL('./names-loaded.mjs', import.meta.url));
const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** What of the console a gateway has loaded that is configured so, and was asked for its first page. */
async function loadedWith(console: object): Promise<readonly string[]> {
  const { root, remove } = makeWorkspace({ 'configs/system.json': { console } });
  const list = join(root, 'loaded.txt');
  writeFileSync(list, '');
  const gateway = await launchGateway(root, { NODE_OPTIONS: `--import ${HOOK}`, LOADED_MODULES: list }).ready;
  open.push(async () => {
    await gateway.end();
    remove();
  });
  const url = gateway.ready.console?.url;
  if (url !== undefined) await browserAt(url).get('/');
  const all = readFileSync(list, 'utf8').split('\n');
  expect(all.some((one) => one.endsWith('/engine/app.ts'))).toBe(true);
  return all.filter((one) =>
    /\/engine\/console\/|\/node_modules\/(@?hono|htmx|@simplewebauthn|@peculiar\/x509|openid-client)/.test(one),
  );
}

describe('a console that is switched off', () => {
  it('has no file of it loaded, and for machines alone none of its screens', async () => {
    expect(await loadedWith({ enabled: false, screens: true })).toEqual([]);
    const forMachines = await loadedWith({ enabled: true, port: 0 });
    expect(forMachines.map((one) => one.slice(one.lastIndexOf('/') + 1)).sort()).toEqual([
      'answer.ts',
      'metrics.ts',
      'readiness.ts',
      'reply.ts',
      'server.ts',
      'shared-look.ts',
    ]);
    const forPeople = await loadedWith({ enabled: true, screens: true, port: 0 });
    expect(forPeople.some((one) => one.includes('/hono/'))).toBe(true);
    expect(forPeople.some((one) => one.endsWith('/screens/today.ts'))).toBe(true);
    // Ways in that nobody has set, or that nobody has taken yet.
    const waysIn = /\/door\/(passkeys|oidc|questions)\.ts$|@simplewebauthn|@peculiar|openid-client/;
    expect(forPeople.filter((one) => waysIn.test(one))).toEqual([]);
    const oidc = { issuer: 'https://accounts.example.com', client_id: 'x' };
    const offered = { enabled: true, screens: true, port: 0, public_url: 'https://epistle.example.com', oidc };
    expect((await loadedWith(offered)).filter((one) => waysIn.test(one))).toEqual([]);
  });
});
