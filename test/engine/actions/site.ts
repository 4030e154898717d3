import { silentLog } from '../../../engine/lib/log/log.ts';
import type { Store, Stores } from '../../../engine/storage/ports/store.ts';
import { openWorkspace, type Workspace } from '../../../engine/workspace.ts';
import { makeWorkspace } from '../../flow/workspace.ts';

/** A workspace on disk with its databases, as commands open it. */
export function openSite(files?: Parameters<typeof makeWorkspace>[0]) {
  const folder = makeWorkspace(files);
  const workspace = openWorkspace({
    root: folder.root,
    settings: { testNow: null, crashAt: null } as Parameters<typeof openWorkspace>[0]['settings'],
    makeLog: () => silentLog,
  });
  const close = async (): Promise<void> => {
    await workspace.close();
    folder.remove();
  };
  return { folder, workspace, close };
}

/** What stands in the log of the persona, oldest first. */
export const auditOf = async ({ stores }: Pick<Workspace, 'stores'>, persona: string) =>
  (await stores.use(persona, (store) => store.listAudit({ limit: 100 }))).reverse();

const KILLED = 'the process is gone';

/**
 * The stores of a process that is killed after its first transaction that is one of `writes`: whatever it asks of a database
 * afterwards does not happen.
 */
export function killedAfter(stores: Stores, ...writes: readonly (keyof Store)[]): Stores {
  let isGone = false;
  const mortal = (store: Store): Store =>
    new Proxy(store, {
      get(target, name: keyof Store) {
        const operation = target[name];
        if (typeof operation !== 'function') return operation;
        return async (...given: never[]) => {
          if (isGone) throw new Error(KILLED);
          const result = await (operation as (...given: never[]) => unknown).apply(target, given);
          if (writes.includes(name)) isGone = true;
          return result;
        };
      },
    });
  return { ...stores, use: (persona, work) => stores.use(persona, (store) => work(mortal(store))) };
}
