import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/**
 * The environment of a thread that works on what strangers send: no keys, and where compiled code is kept, as far as
 * this process keeps any. Without that a thread compiles all it needs anew at each start.
 */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir();
  // Node names the folder of its own version; what it is told is the one around it.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
