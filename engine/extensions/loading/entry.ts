import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { EngineError } from '#contract';
import { withDeadline } from '../../lib/deadline.ts';

/**
 * The default export of an extension's entry. A workspace's entry is imported under the time of its last change, so
 * that an edit is taken up when the extensions are loaded again; Node keeps every module it has imported. Gives up
 * after `ms`: an entry that waits for ever at its top level must not keep the gateway from starting.
 */
export async function importDefault(path: string, source: 'bundled' | 'workspace', ms: number): Promise<unknown> {
  const url = pathToFileURL(path);
  if (source === 'workspace') url.searchParams.set('changed', String(statSync(path, { bigint: true }).mtimeNs));
  const module: unknown = await withDeadline(() => import(url.href).catch(withLine), {
    ms,
    code: 'extension_invalid',
    what: `importing ${path}`,
  });
  const exported: unknown = typeof module === 'object' && module !== null ? Reflect.get(module, 'default') : undefined;
  if (exported === undefined) throw new EngineError('extension_invalid', 'has no default export');
  return exported;
}

/** Node names the line of a mistake in TypeScript in the stack alone, before the message. */
function withLine(error: unknown): never {
  const stack = error instanceof SyntaxError ? (error.stack ?? '') : '';
  const line = /^[^\n]{1,1000}:(\d{1,9})\n/.exec(stack)?.[1];
  if (line === undefined || !(error instanceof SyntaxError)) throw error;
  throw new EngineError('extension_invalid', `line ${line}: ${error.message}`, { cause: error });
}
