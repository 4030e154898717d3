import type { Configs } from '../config/types.ts';

/** A lease outlives the run's own time limit, so that it seldom has to be extended. */
export const leaseMsOf = ({
  leaseMs,
  configs,
}: {
  readonly leaseMs?: number;
  configs(): Pick<Configs, 'inference'>;
}): number => leaseMs ?? configs().inference.run_timeout_s * 1000 + 300_000;
