import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Installed, until } from './installed.ts';
import type { Image } from './replay.ts';

/** An empty volume becomes a workspace whose gateway answers, is healthy while it works, and ends at its signal. */
export async function runContainer(
  { command, healthcheck, cwd, environment, signal }: Image,
  { json }: Installed,
): Promise<void> {
  const shell = (text: string) => spawnSync('sh', ['-c', text], { cwd, env: environment }).status;
  // The first half makes the workspace; here the usual port may be another gateway's.
  assert.equal(shell(command.replace('exec epistle start', 'true')), 0);
  writeFileSync(join(cwd, 'configs/gateway.json'), '{ "smtp_listener": { "host": "127.0.0.1", "port": 0 } }\n');
  writeFileSync(join(cwd, 'configs/system.json'), '{ "console": { "enabled": true, "port": 0 } }\n');
  const child: ChildProcess = spawn('sh', ['-c', command], { cwd, env: environment, stdio: 'inherit' });
  try {
    await until('the container is ready', () => existsSync(join(cwd, 'data/ready.json')));
    assert.equal(shell(healthcheck), 0);
    // The process is there, and nobody answers for it.
    const ready = join(cwd, 'data/ready.json');
    const told = readFileSync(ready, 'utf8');
    writeFileSync(ready, JSON.stringify({ ...JSON.parse(told), console: { url: 'http://127.0.0.1:9' } }));
    assert.notEqual(shell(healthcheck), 0);
    writeFileSync(ready, told);
    const sent = json(['send', '--to', 'ada@agents.localhost', '--wait', '--workspace', cwd], { input: 'Hello' });
    assert.match(JSON.stringify(sent), /"outcome":"completed"|"status":"done"/);
  } finally {
    child.kill(signal);
  }
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
  assert.notEqual(shell(healthcheck), 0);
}
