import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

export interface LoopReport {
  /** The longest that the event loop stood still since the report before, in ms. */
  readonly standstillMs: number;
  /** The most memory that the process has held so far. */
  readonly peakMb: number;
}

// Loaded into a gateway (`node --import`): at SIGUSR2 it writes what the loop did since the last time.
const file = process.env.LOOP_REPORT;
if (isMainThread && file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  process.on('SIGUSR2', () => {
    const report: LoopReport = { standstillMs: delay.max / 1e6, peakMb: process.resourceUsage().maxRSS / 1024 };
    delay.reset();
    writeFileSync(file, JSON.stringify(report));
  });
}
