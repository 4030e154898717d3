import { z } from 'zod';
import { beginningEvents } from './events/beginning.ts';
import { callEvents } from './events/calls.ts';
import { elsewhereEvents } from './events/elsewhere.ts';
import { endEvents } from './events/end.ts';
import { modelEvents } from './events/model.ts';
import { ownerEvents } from './events/owners.ts';
import { playbookEvents } from './events/playbook.ts';
import type { Folding } from './state.ts';

/** Everything that can be on record of a run. An event is one entry, in the file of its subject. */
const EVENTS = {
  ...beginningEvents,
  ...playbookEvents,
  ...modelEvents,
  ...callEvents,
  ...ownerEvents,
  ...elsewhereEvents,
  ...endEvents,
};

export type EventType = keyof typeof EVENTS;
type Payloads = { readonly [Type in EventType]: z.infer<(typeof EVENTS)[Type]['data']> };
export type PayloadOf<Type extends EventType> = Payloads[Type];

/** Version of every payload that is written. Rows of other versions will stand beside these. */
export const VERSION = 1;

export type Recorded = {
  [Type in EventType]: { readonly type: Type; readonly v: typeof VERSION; readonly data: PayloadOf<Type> };
}[EventType];

/** What follows from an event, by its type. */
interface Follows<Type extends EventType> {
  readonly fold?: (state: Folding, data: PayloadOf<Type>) => void;
  readonly lines?: (data: PayloadOf<Type>) => readonly string[];
  readonly besideLoop?: true;
}
const FOLLOWS: { readonly [Type in EventType]: Follows<Type> } = EVENTS;

const isEventType = (name: string): name is EventType => Object.hasOwn(EVENTS, name);
export const RUN_EVENT_TYPES: readonly EventType[] = Object.keys(EVENTS).filter(isEventType);

/** By type and version. Rows are read and written by `codec/run-events.ts` alone. */
const SCHEMAS: ReadonlyMap<string, z.ZodType> = new Map(
  Object.entries(EVENTS).map(([type, { data }]) => [
    type,
    z.object({ type: z.literal(type), v: z.literal(VERSION), data }),
  ]),
);

interface Found {
  readonly type: string;
  readonly v: number;
  readonly data: unknown;
}

/** Checks and does not copy: fields of other versions stay, and all of them in their order. */
export const isRecorded = (found: Found): found is Found & Recorded =>
  SCHEMAS.get(found.type)?.safeParse(found).success === true;

/** Why a row is no event, and at which field. */
export function whatIsWrong(found: Found): string {
  const schema = SCHEMAS.get(found.type);
  if (!schema) return 'type: Invalid input';
  const [issue] = schema.safeParse(found).error?.issues ?? [];
  return `${issue?.path.join('.')}: ${issue?.message}`;
}

/** Whether it changes the state of a run's loop. */
export const isFolded = (type: string): boolean => isEventType(type) && FOLLOWS[type].fold !== undefined;

/** The state after one more event. */
export function apply<Type extends EventType>(state: Folding, type: Type, data: PayloadOf<Type>): void {
  FOLLOWS[type].fold?.(state, data);
}

export const hasLines = (type: string): boolean => isEventType(type) && FOLLOWS[type].lines !== undefined;

/** What an owner reads of it in `runs explain`. */
export const linesOf = <Type extends EventType>(type: Type, data: PayloadOf<Type>): readonly string[] =>
  FOLLOWS[type].lines?.(data) ?? [];

/** A replay of the loop does not make these. */
export const BESIDE_LOOP: ReadonlySet<EventType> = new Set(
  RUN_EVENT_TYPES.filter((type) => FOLLOWS[type].besideLoop === true),
);

/** Events that tell of one call. */
export type CallEventType = {
  [Type in EventType]: PayloadOf<Type> extends { readonly call_id: string } ? Type : never;
}[EventType];

/** One thing on record of a run, its payload read. */
export type RunEvent = Recorded & {
  readonly seq: number;
  readonly at: number;
  /** The claim of the run that wrote it; null for what others wrote about it. */
  readonly fence: number | null;
};
export interface EventOf<Type extends EventType> extends Pick<RunEvent, 'v' | 'seq' | 'at' | 'fence'> {
  readonly type: Type;
  readonly data: PayloadOf<Type>;
}
