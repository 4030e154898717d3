// Does the steps of the Dockerfile in empty folders, and uses what they install as a stranger would: the container's
// own command, the demo, setup on real mail servers, the service, a backup under load, an upgrade and the way back.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runContainer } from './container.ts';
import { endGateways, type Installed, installedIn } from './installed.ts';
import { type Image, replay } from './replay.ts';
import { backUpUnderLoad } from './story-backup.ts';
import { setUp, showService } from './story-setup.ts';
import { goThereAndBack } from './story-upgrade.ts';

const checkout = fileURLToPath(new URL('../../..', import.meta.url));
const place = mkdtempSync(join(tmpdir(), 'epistle package-'));

/** Says how long each part took. */
async function part<Result>(name: string, work: () => Result | Promise<Result>): Promise<Result> {
  const begun = Date.now();
  const result = await work();
  process.stdout.write(`${name}: ${((Date.now() - begun) / 1000).toFixed(1)} s\n`);
  return result;
}

/** What extensions import. */
function useContract({ root }: Image): void {
  const text = "import { defineTool } from 'epistle/contract'; if (typeof defineTool !== 'function') process.exit(1);";
  const file = join(root, 'usr/local/lib/use.mjs');
  writeFileSync(file, text);
  assert.equal(spawnSync(process.execPath, [file], { stdio: 'inherit' }).status, 0);
}

/** What their author's editor knows, with nothing of the package's development beside it. */
function seeTypes(installed: Installed): void {
  const root = join(place, 'author');
  installed.json(['init', root]);
  for (const kind of ['tool', 'provider', 'resolver', 'hook']) {
    installed.json(['--workspace', root, 'extensions', 'new', kind, 'mine']);
  }
  const tsc = join(checkout, 'node_modules/typescript/bin/tsc');
  const check = () => spawnSync(process.execPath, [tsc, '-p', join(root, 'extensions')], { encoding: 'utf8' });
  assert.equal(check().stdout, '');
  const hook = "import { defineHook } from 'epistle/contract';\nexport default defineHook({ on: ['no_event'] });\n";
  writeFileSync(join(root, 'extensions/hooks/mine/index.ts'), hook);
  assert.match(check().stdout, /no_event/);
}

try {
  const image = await part('the steps of the Dockerfile', () => replay(checkout, place));
  const installed = installedIn(image);
  await part('the command of the container', () => runContainer(image, installed));
  await part('the demo and the contract', () => {
    installed.json(['demo']);
    useContract(image);
  });
  await part('the types of extensions', () => seeTypes(installed));
  await part('setup without a terminal', () => setUp(installed, place));
  await part('the service', () => showService(installed, image, place));
  await part('a backup under load', () => backUpUnderLoad(installed, place));
  await part('upgrade and way back', () => goThereAndBack(installed, { checkout, place }));
} catch (error) {
  process.exitCode = 1;
  console.error(error);
} finally {
  await endGateways();
  rmSync(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
