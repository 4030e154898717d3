import { EngineError } from '#contract';
import type { OpenFiles } from './files.ts';
import { segmentsOf } from './folder.ts';

/** The files of a persona for a run that was handed some of them: those can be read, and nothing else can be seen. */
export function handedFiles(files: OpenFiles, paths: readonly string[], denial: string): OpenFiles {
  const named = new Set(paths);
  const denied = () => Promise.reject(new EngineError('not_found', denial));
  const within = <Result>(path: string, read: () => Promise<Result>): Promise<Result> =>
    named.has(segmentsOf(path).join('/')) ? read() : denied();
  return {
    list: denied,
    read: (path) => within(path, () => files.read(path)),
    open: (path) => within(path, () => files.open(path)),
    text: (path) => within(path, () => files.text(path)),
    compare: (path, content) => within(path, () => files.compare(path, content)),
    owner: (path) => within(path, () => files.owner(path)),
    write: denied,
    remove: denied,
    restore: denied,
  };
}
