import { z } from 'zod';
import type { JsonObject } from '#contract';
import { jsonObject } from '../lib/json.ts';

/** One call of a plan. */
export interface PlanStep {
  readonly tool: string;
  readonly arguments: JsonObject;
}

const planned = z.object({ steps: z.array(z.object({ tool: z.string(), arguments: jsonObject })) });

/** The steps in the arguments of a plan, in order; none where they are no plan's. */
export const stepsIn = (args: unknown): readonly PlanStep[] => planned.safeParse(args).data?.steps ?? [];
