import type { PassCrashPoint } from '../lib/crash-points.ts';
import type { Ids } from '../lib/ids.ts';
import type { Announce } from '../record/jobs/jobs.ts';

/** What every action needs beside the persona's own database. */
export interface ActionPorts {
  /** Tells whoever works, here or in another process. */
  readonly announce: Announce;
  readonly ids: Ids;
  readonly pass: PassCrashPoint;
}
