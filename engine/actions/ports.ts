import type { PassCrashPoint } from '../lib/crash-points.ts';
import type { Ids } from '../lib/ids.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';

/** What every action needs beside the persona's own database. */
export interface ActionPorts {
  readonly gateway: GatewayStore;
  readonly ids: Ids;
  readonly pass: PassCrashPoint;
  /** Tells the dispatcher of this process; a gateway elsewhere notices the bumped wakeup. */
  wake(personaId: string): void;
}
