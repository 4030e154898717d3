import { AsyncLocalStorage } from 'node:async_hooks';
import type { Capabilities } from '#contract';

/** What one call did inside, by capability and what was asked of it: `web.fetch`, `files.read`, `mail.search`. */
export type InsideMail = Readonly<Record<string, { readonly calls: number; readonly ms: number }>>;

/** One trace of a call that ran. A call that was refused, held or skipped has none. */
export interface Sensed {
  /** What set it going: the model, an owner who approved it, or the playbook of the run. */
  readonly source: 'model' | 'owner' | 'playbook';
  readonly decision: 'allowed' | 'approved';
  /** The layer of the policy that let it run. */
  readonly by: string;
  readonly latency_ms: number;
  readonly inside: InsideMail;
}

export interface Sensor {
  /** Runs `work` as one call: whatever it does through watched capabilities is counted for it, also side by side. */
  sense<Result>(
    work: () => Promise<Result>,
  ): Promise<{ readonly result: Result; latency_ms: number; inside: InsideMail }>;
  watch<Watched extends Partial<Capabilities>>(capabilities: Watched): Watched;
}

type Counted = Record<string, { calls: number; ms: number }>;

/**
 * Stands inside the governor. To which call a fetch belongs is told by the asynchronous context it was made in, so
 * neither tools nor capabilities know of it, and calls that run side by side do not count for each other.
 */
export function createSensor(now: () => number): Sensor {
  const current = new AsyncLocalStorage<Counted>();

  function counting<Part extends object>(name: string, part: Part): Part {
    return new Proxy(part, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        const counted = current.getStore();
        if (typeof value !== 'function' || counted === undefined) return value;
        return (...args: unknown[]) => {
          const asked = `${name}.${String(key)}`;
          const one = counted[asked] ?? { calls: 0, ms: 0 };
          counted[asked] = one;
          one.calls += 1;
          const started = now();
          const ended = () => {
            one.ms += now() - started;
          };
          const result: unknown = Reflect.apply(value, target, args);
          if (result instanceof Promise) return result.finally(ended);
          ended();
          return result;
        };
      },
    });
  }

  return {
    async sense(work) {
      const inside: Counted = {};
      const started = now();
      const result = await current.run(inside, work);
      return { result, latency_ms: now() - started, inside };
    },
    watch: (capabilities) => {
      const watched = { ...capabilities };
      for (const [name, part] of Object.entries(capabilities)) Reflect.set(watched, name, counting(name, part));
      return watched;
    },
  };
}
