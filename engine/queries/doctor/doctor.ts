import { runningGateway } from '../gateway/running.ts';
import type { QueryPorts } from '../ports.ts';
import type { Check } from './check.ts';
import { fileChecks } from './files.ts';
import { harnessChecks } from './harness.ts';
import { insideChecks } from './inside.ts';
import { networkChecks } from './network.ts';

/**
 * What is wrong, with a cure for each. `open`: the workspace, asked for only where there is one that can be opened.
 * `harness`: also which run exercised each part that governs runs last.
 */
export async function examine(options: {
  root: string;
  nodeVersion: string;
  harness: boolean;
  open(): QueryPorts;
}): Promise<readonly Check[]> {
  const checks = fileChecks(options.root, options.nodeVersion);
  if (!checks.some(({ name, ok }) => ok && name === 'workspace') || !isWritable(checks)) return checks;
  const ports = options.open();
  return [
    ...checks,
    ...(await insideChecks(ports)),
    ...(await networkChecks(ports, runningGateway(ports))),
    ...(options.harness ? await harnessChecks(ports) : []),
  ];
}

/** Its being open to others is wrong, but nothing that keeps us from looking. */
const isWritable = (checks: readonly Check[]): boolean =>
  checks.some(({ name, ok, cure }) => name === 'data_dir' && (ok || cure?.startsWith('chmod')));
