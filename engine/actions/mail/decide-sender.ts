import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Stores } from '../../storage/ports/store.ts';
import type { SenderVerdict } from '../../storage/types/gateway.ts';
import { recordFirst } from '../on-record.ts';
import { planAccess, planWithoutAccess } from '../set-up/edit-persona.ts';
import { auditSender } from './audit-sender.ts';

interface DecidePorts {
  readonly root: string;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly ids: Ids;
}

interface Decided {
  readonly persona: string;
  /** An address, or a pattern. */
  readonly sender: string;
  /** `remove`: what was decided before is taken back. */
  readonly verdict: SenderVerdict | 'remove';
  /** An address, or `cli`. */
  readonly by: string;
}

/** Writes into the file of a persona whether somebody may write to it, and on record who decided that. Throws as `setAccess` does. */
export async function decideSender({ root, stores, clock, ids }: DecidePorts, decided: Decided): Promise<void> {
  const { persona, sender, verdict, by } = decided;
  const change =
    verdict === 'remove'
      ? planWithoutAccess(root, persona, sender)
      : planAccess(root, persona, { pattern: sender, list: verdict === 'allow' ? 'allow' : 'deny' });
  const row = { by, verdict, detail: { sender } };
  await recordFirst(
    (became) =>
      auditSender(stores, persona, { ...row, id: ids.next(), at: clock.now(), failed: became === 'not_done' }),
    change.write,
  );
}
