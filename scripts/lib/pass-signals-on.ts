import type { ChildProcess } from 'node:child_process';

/**
 * Whoever ends this process by a signal ends the child as well; this one still waits for it and cleans up behind it, where
 * it would have died at once.
 */
export function passSignalsOn(child: ChildProcess): ChildProcess {
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, pass);
  child.once('close', () => {
    for (const signal of SIGNALS) process.off(signal, pass);
  });
  return child;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
