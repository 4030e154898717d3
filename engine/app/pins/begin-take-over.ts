import { z } from 'zod';
import { readJson } from '../../lib/json.ts';
import type { Workspace } from '../../workspace.ts';

/** `due` where a step of the databases has found the work of an earlier build; empty: nothing is to be pinned by itself. */
export const KEY = 'tools_to_pin';
/** A server that restarts with the gateway is there a little later. */
const WITHIN_MS = 24 * 3_600_000;

export const takingOver = z.object({ servers: z.array(z.string()), until: z.number() });
export type TakingOver = z.infer<typeof takingOver>;

/**
 * Before anything is worked in a workspace of a build that pinned nothing: its servers are those of this first start, and
 * what each shows first is pinned. A server that is added later waits for an owner.
 */
export async function beginTakeOver({ gateway, live, toolPins, clock }: Workspace): Promise<void> {
  const kept = await gateway.setting(KEY, () => '');
  if (kept === '') return;
  const begun = readJson(takingOver, kept) ?? {
    servers: live
      .current()
      .extensions.mcp.filter(({ name, enabled }) => enabled && toolPins.now().of(name) === null)
      .map(({ name }) => name),
    until: clock.now() + WITHIN_MS,
  };
  if (begun.servers.length === 0) return gateway.changeSetting(KEY, '');
  await gateway.changeSetting(KEY, JSON.stringify(begun));
  toolPins.takeOver(begun.servers, begun.until);
}
