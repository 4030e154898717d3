import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { epistle } from './gateway.ts';
import { type Office, OWNER, openOffice } from './governance-rig.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function office(files: Readonly<Record<string, object>>): Promise<Office> {
  const opened = await openOffice(files);
  closers.push(opened.close);
  return opened;
}
const textOf = ({ json }: Awaited<ReturnType<Office['ask']>>): string => json.results[0].reply.text;

describe('L6: limits.max_files_bytes', () => {
  it('is what the files of a persona take at most', async () => {
    const { ask, root } = await office({
      'configs/gateway.json': { smtp_listener: { port: 0 }, limits: { max_files_bytes: 100_000 } },
    });
    const write = (path: string, bytes: number) =>
      ask(`/write_file ${JSON.stringify({ path, content: 'x'.repeat(bytes) })}`).then(textOf);
    expect(await write('a.txt', 60_000)).toContain('write_file: ok');
    expect(await write('b.txt', 60_000)).toMatch(/write_file: error tool_failed there is no room left in files\//);
    expect(readdirSync(join(root, 'data/personas/ada/files'))).toEqual(['a.txt']);
    writeFileSync(join(root, 'data/personas/ada/files/a.txt'), '');
    expect(await write('b.txt', 60_000)).toContain('write_file: ok');
    expect(readdirSync(join(root, 'data/personas/ada/tmp'))).toEqual([]);
  });
});

describe.runIf(process.geteuid?.() === 0)('L6: a gateway that runs as root', () => {
  it('has no shell, says why, and does not run the command', async () => {
    const { ask, root } = await office({
      'configs/security.json': { owners: [OWNER], tool_policy: { tools: { shell: 'allow' } } },
    });
    const asked = await ask('/shell {"command": "echo x > made.txt"}', OWNER);
    expect(textOf(asked)).not.toContain('shell: ok');
    const { json } = await epistle(root, ['doctor']);
    expect(json.checks).toContainEqual(
      expect.objectContaining({ name: 'tool:shell', ok: false, message: expect.stringContaining('user of its own') }),
    );
    await ask('/list_files', OWNER);
    expect(textOf(await ask('/list_files', OWNER))).not.toContain('made.txt');
  });
});
