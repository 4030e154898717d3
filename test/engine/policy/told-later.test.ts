import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { extensionsSchema } from '../../../engine/config/extension-schemas.ts';
import { loadExtensions } from '../../../engine/extensions/loading/load.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import { specOf } from '../../../engine/policy/surface.ts';

// Each request pays for each argument: those that only a second call needs are named by the first one's result or refusal.

it('a model is shown all arguments of a tool but those that its results ask for, and may pass these as well', async () => {
  const bundledDir = fileURLToPath(new URL('../../../extensions', import.meta.url));
  const listing = extensionsSchema.parse({ tools: readdirSync(`${bundledDir}/tools`) });
  const { tools } = await loadExtensions({
    bundledDir,
    workspaceDir: null,
    listing,
    secretOf: () => undefined,
    log: silentLog,
  });
  const left = tools.all().flatMap((tool) => {
    const shown = Object.keys(Object(specOf(tool).inputSchema.properties));
    const taken = Object.keys(Object(tool.inputSchema.properties));
    return taken.filter((name) => !shown.includes(name)).map((name) => `${tool.name}.${name}`);
  });
  expect(left.toSorted()).toEqual([
    'ask_owner.words',
    'list_threads.limit',
    'propose_playbook.deny',
    'query_table.dates',
    'query_table.numbers',
    'read_attachment.limit',
    'read_file.limit',
    'read_mail.part',
    'schedule_task.missed',
    'schedule_task.overlap',
    'schedule_task.thread',
    'schedule_task.window',
    'search_mail.limit',
  ]);
  const taken = z.looseObject({ limit: z.number() });
  const { input } = tools.get('read_attachment')?.definition ?? {};
  expect(taken.parse((input as z.ZodType | undefined)?.parse({ id: 'a', limit: 50 })).limit).toBe(50);
});
