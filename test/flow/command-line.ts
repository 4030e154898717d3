import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const ENTRY = fileURLToPath(new URL('../../bin/epistle.js', import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

/**
 * The environment without what would change what a gateway does. No account remembers what is started with it: that would
 * be the account of whoever runs this.
 */
export const withoutKeys = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(environment).filter(([name]) => !/_API_KEY$|^EPISTLE_/.test(name))),
  XDG_STATE_HOME: '/dev/null',
});

/** The command line exactly as given, in a folder of one's choice: for what people see, and for what stdout must not have. */
export async function run(
  args: readonly string[],
  options: { cwd?: string; stdin?: string; environment?: Readonly<Record<string, string>>; entry?: string } = {},
): Promise<Ran> {
  const begun = performance.now();
  const child = spawn(process.execPath, [options.entry ?? ENTRY, ...args], {
    cwd: options.cwd,
    env: { ...withoutKeys(process.env), ...options.environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(options.stdin ?? '');
  const heard = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      heard[stream] += text;
    });
  }
  const [code]: (number | null)[] = await once(child, 'close');
  return { code: code ?? null, ...heard, ms: performance.now() - begun };
}
