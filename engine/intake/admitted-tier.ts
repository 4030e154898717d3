import type { Stores } from '../storage/ports/store.ts';

import type { Admission } from './admission.ts';
import { settle } from './classify-arrival.ts';
import { type Arrived, arrivalQuery, type QueryDeps } from './plan-arrival.ts';

/** Whether its sender may write here, and as whom, with the rows asked where they decide. Writes nothing. */
export async function admittedTier(
  deps: QueryDeps & { readonly stores: Stores },
  arrived: Pick<Arrived, 'persona' | 'mail' | 'identity' | 'admission'>,
): Promise<Exclude<Admission, { verdict: 'known_or' }>> {
  const { admission, persona, mail } = arrived;
  if (admission.verdict !== 'known_or') return admission;
  const isAlone = mail.references.length + mail.inReplyTo.length === 0;
  if (isAlone || !deps.stores.exists(persona.id)) return admission.otherwise;
  return deps.stores.use(persona.id, (store) =>
    store.acceptMail(arrivalQuery(deps, arrived), ({ threads }) => ({ verdict: settle(admission, threads) })),
  );
}
