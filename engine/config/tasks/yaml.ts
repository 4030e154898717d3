import { createRequire } from 'node:module';
import { atFirstUse } from '../../lib/kept-value.ts';

const require = createRequire(import.meta.url);

/** Loaded with the first task file: most personas have none. */
export const yaml = atFirstUse((): typeof import('yaml') => require('yaml'));
