import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { parseJson } from '../lib/json.ts';

/** From package.json, which lies two folders up in a checkout and in the build. */
export const packageVersion = (): string =>
  parseJson(z.object({ version: z.string() }), readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    .version;

/** The program that a person calls: `bin/epistle.js`, two folders up in a checkout and three in the build. */
export const programFile = (): string =>
  ['../../bin/epistle.js', '../../../bin/epistle.js']
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path)) ??
  process.argv[1] ??
  'epistle';
