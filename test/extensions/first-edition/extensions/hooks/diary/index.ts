import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { defineHook } from '#contract';

const config = z.strictObject({ file: z.string() });

export default defineHook({
  on: ['run_ended'],
  config,
  handle(event, context) {
    const { file } = config.parse(context.config);
    appendFileSync(join(import.meta.dirname, '../../..', file), `${JSON.stringify(event)}\n`);
  },
});
