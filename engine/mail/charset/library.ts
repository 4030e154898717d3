import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/** Loaded with the first text that is not plain UTF-8: most gateways start without it. */
const library = (): typeof import('iconv-lite') => load('iconv-lite');

export const decode = (bytes: Buffer, charset: string): string => library().decode(bytes, charset);
export const encodingExists = (charset: string): boolean => library().encodingExists(charset);
