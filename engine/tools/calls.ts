import type { ToolCall } from '#contract';
import type { Executable, Prepared, Previewing } from '../policy/call.ts';
import type { QuotaSpent } from '../policy/permission.ts';
import type { Executed } from './observe/executed.ts';

/** What the loop can do with a call. */
export interface Calls {
  /** Finds, validates, asks the governor; nothing is done yet. */
  prepareCall(call: ToolCall, previewing?: Previewing): Promise<Prepared>;
  /** Runs a call that may run, under its deadline and under the eyes of the sensor. */
  executeCall(next: Executable): Promise<Executed>;
  /** Counts a call against the limits, or only asks about it; null: there is room. */
  useTool(call: ToolCall, reserves: boolean): Promise<QuotaSpent | null>;
}
