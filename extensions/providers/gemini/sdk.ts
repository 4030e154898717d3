import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import { fieldOf } from '#contract/http';

type Sdk = typeof import('@google/generative-ai');

const isSdk = (found: unknown): found is Sdk => typeof fieldOf(found, 'GoogleGenerativeAI') === 'function';

/**
 * The vendor's SDK with a `fetch` of ours, read at its first use. It takes none, and the global one follows a redirect to any
 * server with all headers, `x-goog-api-key` among them. So the SDK's one file is run with a name `fetch` of its own.
 */
export function sdkWithFetch(): (ownFetch: typeof fetch) => Promise<Sdk> {
  let compiled: ReturnType<typeof compileFunction> | undefined;
  return async (ownFetch) => {
    const file = createRequire(import.meta.url).resolve('@google/generative-ai');
    compiled ??= compileFunction(await readFile(file, 'utf8'), ['exports', 'fetch'], { filename: file });
    const exports = {};
    compiled(exports, ownFetch);
    if (!isSdk(exports)) throw new TypeError('@google/generative-ai exports no GoogleGenerativeAI');
    return exports;
  };
}
