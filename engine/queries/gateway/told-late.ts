import { DAY_MS } from '../../lib/time.ts';
import { TOLD_LATE } from '../../storage/types/gateway.ts';
import type { QueryPorts } from '../ports.ts';
import type { Repair } from './health.ts';

/** So long an owner is told of it: nobody is away for longer without a look. */
const TOLD_FOR_MS = 30 * DAY_MS;
const MOST = 20;

/**
 * Changes of settings that lead mail, about which the mail to owners had not left before: whoever made one could have led that mail
 * elsewhere, so it is said where owners look.
 */
export async function toldLate({ gateway }: Pick<QueryPorts, 'gateway'>, now: number): Promise<readonly Repair[]> {
  const rows = await gateway.listGatewayAudit({ limit: MOST, event: TOLD_LATE });
  return rows
    .filter(({ at }) => at > now - TOLD_FOR_MS)
    .map(({ actor, detail: { settings } }) => ({
      cause: `${actor} changed how mail leaves, and the mail about it to all owners had not left before: ${[settings].flat().join(', ')}`,
      cure: 'audit',
    }));
}
