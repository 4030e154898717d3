import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);
const loaded: { library?: typeof import('iconv-lite') } = {};

/** Loaded with the first text that is not plain UTF-8: most gateways start without it. */
function library(): typeof import('iconv-lite') {
  loaded.library ??= load('iconv-lite') as typeof import('iconv-lite');
  return loaded.library;
}

export const decode = (bytes: Buffer, charset: string): string => library().decode(bytes, charset);
export const encodingExists = (charset: string): boolean => library().encodingExists(charset);
