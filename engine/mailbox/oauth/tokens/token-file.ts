import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { flushFolder, writeDurably } from '../../../lib/files/durable-file.ts';
import { readJson } from '../../../lib/json.ts';
import { type PendingLogin, pendingSchema } from '../grant/pending.ts';
import { type Tokens, tokensSchema } from './tokens.ts';

/** Below `data/`: one file for each account, for its owner alone, outside of `.env`. */
const OAUTH_FOLDER = 'oauth';

/** The files of one account. All reads take the file anew: another process may have written it. */
export interface TokenFile {
  /** Null: nobody has logged in, or the file is no such file. */
  read(): Tokens | null;
  /** On disk when it returns. */
  write(tokens: Tokens): void;
  readonly lockPath: string;
  /** A login that was begun and not ended. */
  pending(): PendingLogin | null;
  keepPending(pending: PendingLogin | null): void;
}

export function tokenFile(dataDir: string, account: string): TokenFile {
  const folder = join(dataDir, OAUTH_FOLDER);
  const path = join(folder, `${account}.json`);
  const pendingPath = join(folder, `${account}.pending.json`);
  const text = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  const bytes = (value: object) => Buffer.from(`${JSON.stringify(value, null, 1)}\n`);
  return {
    read: () => readJson(tokensSchema, text(path)) ?? null,
    write: (tokens) => writeDurably(folder, path, bytes(tokens)),
    lockPath: join(folder, `${account}.lock`),
    pending: () => readJson(pendingSchema, text(pendingPath)) ?? null,
    keepPending(pending) {
      if (pending) return writeDurably(folder, pendingPath, bytes(pending));
      if (!existsSync(pendingPath)) return;
      rmSync(pendingPath, { force: true });
      flushFolder(folder);
    },
  };
}
