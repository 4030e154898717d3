import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Installed, until } from './installed.ts';
import type { Image } from './replay.ts';

/** An empty volume becomes a workspace whose gateway answers, is healthy while it works, and ends at SIGTERM. */
export async function runContainer(
  { command, healthcheck, cwd, environment }: Image,
  { json }: Installed,
): Promise<void> {
  const shell = (text: string) => spawnSync('sh', ['-c', text], { cwd, env: environment }).status;
  // The first half makes the workspace; here the usual port may be another gateway's.
  assert.equal(shell(command.replace('exec epistle start', 'true')), 0);
  writeFileSync(join(cwd, 'configs/gateway.json'), '{ "smtp_listener": { "host": "127.0.0.1", "port": 0 } }\n');
  const child: ChildProcess = spawn('sh', ['-c', command], { cwd, env: environment, stdio: 'inherit' });
  try {
    await until('the container is ready', () => existsSync(join(cwd, 'data/ready.json')));
    assert.equal(shell(healthcheck), 0);
    const sent = json(['send', '--to', 'ada@agents.localhost', '--wait', '--workspace', cwd], { input: 'Hello' });
    assert.match(JSON.stringify(sent), /"outcome":"completed"|"status":"done"/);
  } finally {
    child.kill('SIGTERM');
  }
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
  assert.notEqual(shell(healthcheck), 0);
}
