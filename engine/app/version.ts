import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseJson } from '../lib/json.ts';

/** From package.json, which lies two folders up in a checkout and in the build. */
export const packageVersion = (): string =>
  parseJson(z.object({ version: z.string() }), readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    .version;
