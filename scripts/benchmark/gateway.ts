import { startGateway } from '../../test/flow/gateway.ts';
import { doorOf, type Listener } from './correspondent.ts';
import { cpuMsOf, rssMbOf } from './process-figures.ts';

/** The real program in a process of its own. */
export interface RunningGateway {
  readonly listener: Listener;
  /** From the start of the process to its `ready` line. */
  readonly startMs: number;
  mailboxState(id: string): string | undefined;
  cpuMs(): number;
  rssMb(): number;
  stop(): Promise<void>;
}

export async function launch(
  root: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningGateway> {
  const started = performance.now();
  const gateway = await startGateway(root, environment);
  const startMs = performance.now() - started;
  const { pid, smtp } = gateway.ready;
  return {
    listener: doorOf(root, smtp),
    startMs,
    mailboxState: (id) => gateway.ready.mailboxes.find((mailbox) => mailbox.id === id)?.state,
    cpuMs: () => cpuMsOf(pid),
    rssMb: () => rssMbOf(pid),
    stop: () => gateway.kill(),
  };
}
