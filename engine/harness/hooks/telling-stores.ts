import type { Store, Stores } from '../../storage/ports/store.ts';
import type { Hooks } from './hook-jobs.ts';
import { tellingStore } from './telling-store.ts';

/**
 * The stores of all personas as `tellingStore` has them. `isSilent`: no hook can listen, so every store is handed on as it
 * is. `load` is asked before a change that hooks may hear of, never for a read.
 */
export function tellingStores(stores: Stores, hooks: { isSilent(): boolean; load(): Promise<Hooks> }): Stores {
  const telling = new WeakMap<Store, Store>();
  const tellingOf = (store: Store, persona: string): Store => {
    const made = telling.get(store) ?? tellingStore(store, persona, hooks.load);
    telling.set(store, made);
    return made;
  };
  return {
    ...stores,
    use: (persona, work) => stores.use(persona, (store) => work(hooks.isSilent() ? store : tellingOf(store, persona))),
  };
}
