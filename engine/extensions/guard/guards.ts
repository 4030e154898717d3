import { statSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '#contract';
import { createGuard, type ExtensionCode, type Guard } from './guard.ts';

/** An extension that failed where nobody could catch it. */
export interface Failure {
  /** Identifies this code with these settings. */
  readonly id: string;
  readonly guard: Guard;
  readonly error: unknown;
}

export interface Guards {
  /**
   * The guard of this code with these settings: the same when it is loaded again, so that what failed stays off until
   * somebody changes it.
   */
  of(code: ExtensionCode, entry: string, settings: JsonObject): Guard;
  /** The guard of the extension whose file an error comes from; null where there is none. */
  byStack(error: unknown): Guard | null;
  failures(): readonly Failure[];
  onFailure(listener: (failure: Failure) => void): void;
}

export function createGuards(): Guards {
  const guards = new Map<string, Guard>();
  const failures: Failure[] = [];
  const listeners: ((failure: Failure) => void)[] = [];
  return {
    of(code, entry, settings) {
      const id = JSON.stringify([code.kind, code.name, entry, changedAt(entry), settings]);
      const known = guards.get(id);
      if (known) return known;
      const guard = createGuard(code, (failed, error) => {
        const failure = { id, guard: failed, error };
        failures.push(failure);
        for (const listener of listeners) listener(failure);
      });
      guards.set(id, guard);
      return guard;
    },
    byStack(error) {
      const files = filesOf(error);
      const newestFirst = [...guards.values()].reverse();
      for (const file of files) {
        const found = newestFirst.find(({ code }) => file.startsWith(code.folder + sep));
        if (found) return found;
      }
      return null;
    },
    failures: () => failures,
    onFailure: (listener) => void listeners.push(listener),
  };
}

/** The files of a stack, innermost first. An engine that does not carry the context into a handler still has these. */
function filesOf(error: unknown): string[] {
  const stack = error instanceof Error && typeof error.stack === 'string' ? error.stack.slice(0, 20_000) : '';
  return [...stack.matchAll(/file:\/\/[^\s)?]{1,1000}/g)].flatMap(([place]) => {
    try {
      return [fileURLToPath(place.replace(/(?::\d+){1,2}$/, ''))];
    } catch {
      return [];
    }
  });
}

function changedAt(entry: string): number {
  return statSync(entry, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
