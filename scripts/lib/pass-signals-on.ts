import type { ChildProcess } from 'node:child_process';

/** The signals by which somebody ends this process. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Whoever ends this process by a signal ends the child as well, by SIGKILL where it has not ended after `graceMs`; this one
 * still waits for it and cleans up behind it, where it would have died at once.
 */
export function passSignalsOn(child: ChildProcess, graceMs = 5000): ChildProcess {
  const pass = (signal: NodeJS.Signals): void => {
    child.kill(signal);
    const late = setTimeout(() => child.kill('SIGKILL'), graceMs);
    child.once('close', () => clearTimeout(late));
  };
  for (const signal of SIGNALS) process.on(signal, pass);
  child.once('close', () => {
    for (const signal of SIGNALS) process.off(signal, pass);
  });
  return child;
}
