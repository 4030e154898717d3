import { z } from 'zod';
import type { Folding } from '../state.ts';

/** All that is said of one kind of event: what is on record of it, and what follows from that. */
export interface EventEntry<Shape extends z.core.$ZodLooseShape> {
  /** A field that is optional is absent in runs of older versions, or where it does not apply. */
  readonly data: z.ZodObject<z.core.util.Writeable<Shape>>;
  /** How it changes the state of the loop; absent: not at all. `applyFinding` (fold.ts) alone changes it besides. */
  readonly fold?: (state: Folding, data: z.infer<z.ZodObject<z.core.util.Writeable<Shape>>>) => void;
  /** What an owner reads of it in `runs explain`; absent: nothing, or what is said of it together with other events. */
  readonly lines?: (data: z.infer<z.ZodObject<z.core.util.Writeable<Shape>>>) => readonly string[];
  /** Written by what goes before and after the loop, under the same claim: a replay of the loop does not make it. */
  readonly besideLoop?: true;
}

export const event = <Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  more: Omit<EventEntry<Shape>, 'data'> = {},
): EventEntry<Shape> => ({ data: z.object(shape), ...more });
