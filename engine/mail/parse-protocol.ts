import type { GatewayConfig } from '../config/types.ts';
import type { ParseOutcome } from './types.ts';

/** What crosses the border to a parsing thread. */
export interface ParseRequest {
  readonly id: number;
  readonly raw: Uint8Array;
  readonly limits: GatewayConfig['limits'];
  /** Only headers and first text. */
  readonly plain: boolean;
}

export type ParseAnswer =
  /** Sent once, when the thread has loaded: from then on time counts. */
  { readonly ready: true } | { readonly ready: false; readonly id: number; readonly outcome: ParseOutcome };
