import { hideSecrets } from '../../lib/secrets/secrets.ts';
import type { QueryPorts } from '../ports.ts';
import { bad, type Check } from './check.ts';

/** Mail that goes on only when its owner mends something of its model, in the vendor's own words. */
export async function waitingChecks({ live, stores }: QueryPorts): Promise<Check[]> {
  const checks: Check[] = [];
  for (const { id } of live.personas().all()) {
    if (!stores.exists(id)) continue;
    await stores.use(id, async (store) => {
      const waits = (await store.countDeferred()).find(({ code }) => code === 'provider_setup');
      if (!waits) return;
      const found = await store.incident('provider_setup');
      const mails = waits.count === 1 ? '1 mail waits' : `${waits.count} mails wait`;
      const why = hideSecrets(found?.message ?? '') || 'see its model';
      checks.push(bad(`waiting:${id}`, `${mails} for its owner: ${why}`, cureOf(id, found?.cause)));
    });
  }
  return checks;
}

function cureOf(persona: string, cause: string | undefined): string {
  if (cause === 'auth') return 'put a key that works into .env';
  if (cause === 'no_credit') return 'top up the account there';
  return `mend it there, or name another model: \`epistle config set persona/${persona} inference.model <id>\``;
}
