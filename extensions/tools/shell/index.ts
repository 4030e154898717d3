import { z } from 'zod';
import { defineTool } from '#contract';
import { whyUnavailable } from './available.ts';

export default defineTool({
  description:
    'Run a shell command in a sandbox on your files (/files): no network, the usual programs of the system, nothing ' +
    'else can be written. Everything it starts ends with it. What it writes to stdout and stderr comes back, cut.',
  risk: 'destructive',
  scope: 'shell:write',
  uses: ['shell'],
  input: z.strictObject({
    command: z.string().min(1).max(10_000).describe('For /bin/sh, in the folder of your files'),
    timeout_s: z.int().min(1).max(300).default(30),
  }),
  output: z.object({
    exit_code: z.number().nullable(),
    ended: z.string().nullable(),
    stdout: z.string(),
    stderr: z.string(),
    stdout_bytes: z.number(),
    stderr_bytes: z.number(),
    truncated: z.boolean(),
  }),
  next: ({ truncated }) => ({ more: truncated }),
  effects: async () => ({ targets: ['files/'] }),
  receipt: ({ command }) => ({ act: 'other', targets: [], title: command }),
  ready: () => whyUnavailable(),
  run: async ({ command, timeout_s }, { shell, signal }) => ({
    ...(await shell.run({ command, timeoutMs: timeout_s * 1000, signal })),
  }),
});
