import { afterAll, expect, vi } from 'vitest';

const found = { environment: { ...process.env }, folder: process.cwd(), listeners: listeners() };

/** How many listen to what happens to the whole process. */
function listeners(): Readonly<Record<string, number>> {
  const names = ['exit', 'uncaughtException', 'unhandledRejection', 'SIGTERM', 'SIGINT'];
  return Object.fromEntries(names.map((name) => [name, process.listenerCount(name)]));
}

// Files with this set-up share their process one after the other: what one leaves changed would fail another, so it
// fails itself.
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  expect({ environment: { ...process.env }, folder: process.cwd(), listeners: listeners() }).toEqual(found);
});
