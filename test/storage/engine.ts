import type { GatewayStore } from '../../engine/storage/ports/gateway.ts';
import type { Store } from '../../engine/storage/ports/store.ts';

/** What the suite needs of an engine. Whoever opens a store closes it. */
export interface StorageEngine {
  /** An empty store of one persona; under a name the one that was opened under it before, as after a restart. */
  openStore(name?: string): Promise<Store>;
  openGateway(name?: string): Promise<GatewayStore>;
}
