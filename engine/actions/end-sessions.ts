import type { GatewayStore } from '../storage/ports/gateway.ts';

/** Puts out of the console everybody, or one address, and takes back links and mails that nobody has opened; how many were in. */
export const endSessions = (
  { gateway }: { readonly gateway: Pick<GatewayStore, 'endConsoleSessions'> },
  /** `by`: `cli`, or the address of whoever does it. */
  { address, by, now }: { readonly address: string | null; readonly by: string; readonly now: number },
): Promise<number> => gateway.endConsoleSessions(address === null ? {} : { address }, { by, now });
