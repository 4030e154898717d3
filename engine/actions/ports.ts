import type { Clock } from '../lib/clock.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import type { Ids } from '../lib/ids.ts';
import type { Announce } from '../record/jobs/jobs.ts';
import type { Stores } from '../storage/ports/store.ts';

/** What every action needs beside the persona's own database. */
export interface ActionPorts {
  /** Tells whoever works, here or in another process. */
  readonly announce: Announce;
  readonly ids: Ids;
  readonly pass: PassCrashPoint;
}

/** What an action needs that finds the persona's database by itself. */
export interface StoresAndClock {
  readonly announce: Announce;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly ids: Ids;
}
