import { isDeepStrictEqual } from 'node:util';
import type { SystemConfig } from '../../config/types.ts';
import type { ConsoleServer } from '../../console/server.ts';
import type { Worker } from '../worker.ts';

export interface LiveConsole {
  /** Null while it is switched off. */
  url(): string | null;
  /** Follows `console` in `system.json`; resolves with true when another one is in its place, or none. */
  refresh(): Promise<boolean>;
  close(): Promise<void>;
}

/** The console as it is configured now. Throws `port_in_use` when the first one cannot be bound. */
export async function keepConsole(worker: Worker): Promise<LiveConsole> {
  const { live, log } = worker.workspace;
  const bind = async (config: SystemConfig['console']): Promise<ConsoleServer | null> => {
    if (!config.enabled) return null;
    // Loaded at its first use: most workspaces have none.
    const { startConsoleServer } = await import('../../console/server.ts');
    const { answersOf } = await import('./answers.ts');
    return startConsoleServer({ config, answers: answersOf(worker), log });
  };
  let tried = live.current().system.console;
  let server = await bind(tried);
  let following: Promise<boolean> = Promise.resolve(false);

  const follow = async (): Promise<boolean> => {
    const wanted = live.current().system.console;
    if (isDeepStrictEqual(wanted, tried)) return false;
    tried = wanted;
    await server?.close();
    server = null;
    try {
      server = await bind(wanted);
    } catch (error) {
      log.error({ error: String(error) }, 'the console could not follow configs/system.json, and is off');
    }
    return true;
  };

  return {
    url: () => server?.url ?? null,
    refresh() {
      following = following.then(follow);
      return following;
    },
    async close() {
      await following;
      await server?.close();
    },
  };
}
