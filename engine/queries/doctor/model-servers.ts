import { certificateFault, fetchTrusting, innermostCode } from '#contract/http';
import { defaultProvider, targetOf } from '../gateway/provider-in-use.ts';
import type { QueryPorts } from '../ports.ts';
import { bad, type Check, fine, warn } from './check.ts';

const MS = 5000;

/** Every provider that some persona would use, and the default one, with the personas. */
export function usedProviders(ports: QueryPorts): ReadonlyMap<string, readonly string[]> {
  const used = new Map<string, string[]>([[defaultProvider(ports), []]]);
  for (const entry of ports.live.personas().all()) {
    if (entry.state !== 'ready') continue;
    const { provider } = targetOf(ports, entry.persona);
    used.set(provider, [...(used.get(provider) ?? []), entry.id]);
  }
  return used;
}

/** Whether the certificates of model servers of one's own are believed. Nothing is asked of a model, and no key is sent. */
export async function modelServerChecks(ports: QueryPorts): Promise<Check[]> {
  const { providers } = ports.currentExtensions();
  const found = await Promise.all(
    [...usedProviders(ports).keys()].map(async (name) => {
      const server = providers.get(name)?.server() ?? null;
      return server === null || !server.url.startsWith('https:') ? [] : [await certificateCheck(name, server)];
    }),
  );
  return found.flat();
}

async function certificateCheck(
  name: string,
  { url, caFile }: { readonly url: string; readonly caFile: string | null },
): Promise<Check> {
  const check = `certificate:${name}`;
  const failure: unknown = await fetchTrusting(caFile ?? undefined)(url, {
    method: 'HEAD',
    signal: AbortSignal.timeout(MS),
  }).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure === undefined) return fine(check, `the certificate of ${new URL(url).host} is believed`);
  const fault = certificateFault(innermostCode(failure));
  if (fault === undefined)
    return warn(check, `${new URL(url).host} could not be reached, so nothing is known of its certificate`);
  return bad(check, `${name} could not be reached: ${fault.cause}`, fault.cure);
}
