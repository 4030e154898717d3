import { isAbsolute, relative } from 'node:path';

/** What the service reads and writes, as absolute paths. */
export interface ServicePaths {
  /** The Node that runs it. */
  readonly node: string;
  /** Folder of that Node with its libraries. */
  readonly nodeRoot: string;
  /** `bin/epistle.js`. */
  readonly program: string;
  /** Folder of the package or the checkout. */
  readonly programRoot: string;
  readonly workspace: string;
  /** `data_dir`, which may lie outside the workspace. */
  readonly dataDir: string;
  /** What somebody types to call the program, for the commands in its mails; null: `epistle`, which needs no word. */
  readonly typed: string | null;
}

/** Whether `path` is `folder` or lies below it. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (!way.startsWith('..') && !isAbsolute(way));
}

/** Paths that are needed, without those that lie within another one of the list. */
export const outermost = (paths: readonly string[]): readonly string[] =>
  [...new Set(paths)].filter((path) => !paths.some((other) => other !== path && isWithin(other, path)));
