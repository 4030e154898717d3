import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { writeDurably } from '../../lib/files/durable-file.ts';
import { readJson } from '../../lib/json.ts';
import { isWorkspace } from './which-workspace.ts';

const schema = z.object({ workspace: z.string().max(4096).refine(isAbsolute) });

/** Where an account remembers which workspace it started last. `stateHome`: XDG_STATE_HOME; null where it is not set. */
export const lastStartedFile = ({ stateHome, home }: { stateHome: string | null; home: string }): string =>
  join(stateHome ?? join(home, '.local/state'), 'epistle', 'last-started.json');

/** The workspace that was started last; null where none was, and where it is none any more. */
export function lastStarted(file: string): string | null {
  const named = remembered(file);
  return named !== undefined && isWorkspace(named) ? named : null;
}

/** Does nothing where that is known already, and where nothing can be written: a gateway starts all the same. */
export function rememberStarted(file: string, workspace: string): void {
  if (remembered(file) === workspace) return;
  try {
    writeDurably(dirname(file), file, Buffer.from(`${JSON.stringify({ workspace })}\n`));
  } catch {
    // A service sees no home, and a container's may be read-only.
  }
}

function remembered(file: string): string | undefined {
  try {
    return readJson(schema, readFileSync(file, 'utf8'))?.workspace;
  } catch {
    return undefined;
  }
}
