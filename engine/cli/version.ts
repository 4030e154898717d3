import { readFileSync } from 'node:fs';

/** From package.json, which lies two folders up in a checkout and in the build. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}
