import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { doorOf, type Listener } from './correspondent.ts';
import { cpuMsOf, rssMbOf } from './process-figures.ts';

const ENTRY = fileURLToPath(new URL('../epistle', import.meta.url));

/** The real program in a process of its own, started as its owner would start it. */
export interface RunningGateway {
  readonly listener: Listener;
  /** From the command to its `ready` line. */
  readonly startMs: number;
  /** Where its console is; empty: it has none. */
  readonly consoleUrl: string;
  mailboxState(id: string): string | undefined;
  cpuMs(): number;
  rssMb(): number;
  stop(): Promise<void>;
}

interface Ready {
  readonly pid: number;
  readonly smtp: { readonly host: string; readonly port: number };
  readonly console?: { readonly url: string } | null;
  readonly mailboxes: readonly { readonly id: string; readonly state: string }[];
}

export async function launch(
  root: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningGateway> {
  const started = performance.now();
  const child = spawn(ENTRY, ['--workspace', root, 'start', '--json'], {
    env: { ...withoutKeys(process.env), ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exited.then(([code]) => Promise.reject(new Error(`the gateway ended with ${code} before it was ready`))),
  ]);
  const startMs = performance.now() - started;
  const ready = JSON.parse(String(line)) as Ready;
  return {
    listener: doorOf(root, ready.smtp),
    startMs,
    consoleUrl: ready.console?.url ?? '',
    mailboxState: (id) => ready.mailboxes.find((mailbox) => mailbox.id === id)?.state,
    cpuMs: () => cpuMsOf(ready.pid),
    rssMb: () => rssMbOf(ready.pid),
    async stop() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/**
 * A key in the environment of whoever runs this must not send mail of a benchmark to a vendor, and their account must not
 * remember its workspace as the one that they started last.
 */
function withoutKeys(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const others = Object.entries(environment).filter(([name]) => !/_API_KEY$|^EPISTLE_/.test(name));
  return { ...Object.fromEntries(others), XDG_STATE_HOME: '/dev/null' };
}
