import type { GatewayConfig } from '../../config/types.ts';
import type { Supposed } from '../mime/types.ts';

/** What a parsing thread is given for one mail. */
export interface ParseRequest {
  readonly raw: Uint8Array;
  readonly limits: GatewayConfig['limits'];
  /** Only headers and first text. */
  readonly plain: boolean;
  readonly supposed: Supposed | null;
}
