import type { ToolContext } from '#contract';
import type { RegisteredTool } from '../extensions/types.ts';
import type { Sensor } from '../policy/sensor.ts';
import type { Calls } from './calls.ts';
import type { MadeCall } from './context.ts';
import { executeCall } from './execute.ts';
import { type PrepareContext, prepareCall } from './prepare.ts';

/**
 * The two things that the loop can do with a call: have it prepared, which asks the governor, and have it made, which
 * the sensor watches. The governor is outermost: what it refuses never comes here.
 */
export function sensedCalls(options: {
  prepare: PrepareContext;
  contextFor(tool: RegisteredTool, signal: AbortSignal, made?: MadeCall | null): ToolContext;
  sensor: Sensor;
  defaultTimeoutMs: number;
  signal: AbortSignal;
  now(): number;
}): Pick<Calls, 'prepareCall' | 'executeCall'> {
  return {
    prepareCall: (call, previewing) => prepareCall(call, options.prepare, previewing),
    async executeCall(next) {
      const { result, latency_ms, inside } = await options.sensor.sense(() => executeCall(next, options));
      const { by } = next.permission;
      // Also where policy would have let it run: a step of a plan, a call that waited for the one before it.
      const cause =
        next.approved !== undefined
          ? ({ source: 'owner', decision: 'approved' } as const)
          : ({ source: 'model', decision: 'allowed' } as const);
      return { ...result, sensed: { ...cause, by, latency_ms, inside } };
    },
  };
}
