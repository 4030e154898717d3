import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, ENDED_FILE, MARK, processesOf } from './processes.ts';

const GUARD = fileURLToPath(new URL('guard.ts', import.meta.url));
/** What ends with its parent needs a moment for it, and on a busy machine more than one. */
const PATIENCE_MS = 15_000;

/**
 * A folder for everything that tests, and the programs that they start, keep for a while, and a guard beside the run: it
 * ends what is left of it, and removes the folder, also where this very process is killed. Like the system's own it is for
 * every account.
 */
export function beginRun(environment: NodeJS.ProcessEnv) {
  // A short name: those below it are paths of sockets, of which a system takes a hundred characters.
  const folder = mkdtempSync(join(tmpdir(), 'run-'));
  chmodSync(folder, 0o1777);
  const { [MARK]: _, ...others } = environment;
  const guard = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', GUARD], {
    // A session of its own, so that what ends the run by its group passes it over.
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
    env: { ...others, GUARDED_FOLDER: folder, GUARDED_RUN: String(process.pid) },
  });
  // It is no reason for this process to go on.
  guard.unref();
  return {
    /** What everything of the run has to inherit. */
    environment: { ...environment, [MARK]: folder, TMPDIR: folder },
    /** Ends the run. What nobody else had ended: nothing, if its tests are in order. */
    async end(patienceMs = PATIENCE_MS): Promise<readonly string[]> {
      const late = performance.now() + patienceMs;
      while (processesOf(folder).length > 0 && performance.now() < late) await pause(50);
      const left = [...linesOf(join(folder, ENDED_FILE)), ...processesOf(folder).map(describe)];
      const gone = once(guard, 'exit');
      guard.ref();
      guard.stdin?.end();
      await gone;
      return existsSync(folder) ? [...left, `the folder ${folder}`] : left;
    },
  };
}

const linesOf = (file: string): readonly string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
