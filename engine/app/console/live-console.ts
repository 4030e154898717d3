import { isDeepStrictEqual } from 'node:util';
import type { SystemConfig } from '../../config/types.ts';
import type { DoorPlace } from '../../console/door/allowed.ts';
import type { People } from '../../console/people.ts';
import type { Worker } from '../worker.ts';
import type { LogInMails } from './mail-log-ins.ts';

export interface LiveConsole {
  /** Null while it is switched off. */
  url(): string | null;
  /** Follows `console` in `system.json`; resolves with true when another one is in its place, or none. */
  refresh(): Promise<boolean>;
  close(): Promise<void>;
}

type Bound = { readonly url: string; close(): Promise<void> };

/** The part that people look at; nothing of it is loaded before somebody does. */
const peopleOf =
  (worker: Worker, wakeLogIns: () => void) =>
  async (place: DoorPlace): Promise<People> => {
    const { workspace } = worker;
    const [{ createPeople }, { SCREENS }, { actingOf }, { gatewayDesk }] = await Promise.all([
      import('../../console/people.ts'),
      import('../../console/screens/screens.ts'),
      import('./acting.ts'),
      import('./gateway-desk.ts'),
    ]);
    const { log, hint, changes } = workspace;
    const command = (words: string): string => hint(`\`epistle ${words}\``).slice(1, -1);
    return createPeople(place, {
      ports: workspace,
      acting: actingOf(worker),
      desk: gatewayDesk(worker),
      changes,
      log,
      command,
      screens: SCREENS,
      wakeLogIns,
    });
  };

/** The console as it is configured now. Throws `port_in_use` when the first one cannot be bound. */
export async function keepConsole(worker: Worker): Promise<LiveConsole> {
  const { live, log } = worker.workspace;
  const bind = async (config: SystemConfig['console']): Promise<Bound | null> => {
    if (!config.enabled) return null;
    // Loaded at its first use: most workspaces have none.
    const { startConsoleServer } = await import('../../console/server.ts');
    const { answersOf } = await import('./answers.ts');
    let logIns: LogInMails | null = null;
    const people = config.screens ? peopleOf(worker, () => logIns?.wake()) : null;
    const server = await startConsoleServer({ config, answers: answersOf(worker), people, log });
    if (config.screens && config.log_in_by_mail) {
      const { keepLogInMails } = await import('./mail-log-ins.ts');
      const port = Number(new URL(server.url).port || 80);
      logIns = keepLogInMails(worker, { host: config.host, port, publicUrl: config.public_url });
    }
    return {
      url: server.url,
      close: async () => void (await Promise.all([server.close(), logIns?.close()])),
    };
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
