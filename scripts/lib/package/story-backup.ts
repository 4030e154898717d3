import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { answeredIn, type Installed, until } from './installed.ts';

const createdSchema = z.looseObject({ ok: z.literal(true), path: z.string() });

const names = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_unused, at) => `mail-${from + at}`).sort();

/** A workspace without a model and with a free port. */
export function makeWorkspace(installed: Installed, root: string): void {
  installed.json(['init', root]);
  writeFileSync(join(root, 'configs/gateway.json'), '{ "smtp_listener": { "host": "127.0.0.1", "port": 0 } }\n');
  writeFileSync(join(root, 'configs/inference.json'), '{ "provider": "offline" }\n');
}

/** A backup made while mail comes in is whole, and answers on another path what it had not answered yet, once. */
export async function backUpUnderLoad(installed: Installed, place: string): Promise<void> {
  const [root, elsewhere] = [join(place, 'busy'), join(place, 'elsewhere')];
  makeWorkspace(installed, root);
  const gateway = await installed.start(root);
  const send = (to: typeof gateway, ids: readonly string[]) =>
    Promise.all(ids.map((id) => to.submit({ id, text: `/write_file {"path": "${id}.md", "content": "${id}"}` })));
  await send(gateway, names(1, 20));
  const sending = send(gateway, names(21, 40));
  const { path } = createdSchema.parse(installed.json(['backup', 'create', '--workspace', root]));
  await sending;
  await until('all 40 are answered', () => answeredIn(root).length === 40);
  assert.equal(await gateway.stop(), 0);
  installed.json(['backup', 'verify', path]);
  installed.json(['backup', 'restore', path, '--to', elsewhere]);
  const restored = await installed.start(elsewhere);
  await send(restored, names(1, 40));
  await until('all 40 are answered elsewhere', () => answeredIn(elsewhere).length >= 40);
  assert.equal(await restored.stop(), 0);
  assert.deepEqual(answeredIn(elsewhere), names(1, 40));
}
