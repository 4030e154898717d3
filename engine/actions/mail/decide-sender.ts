import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Stores } from '../../storage/ports/store.ts';
import { setAccess } from '../set-up/edit-persona.ts';
import { auditSender } from './audit-sender.ts';

/** Writes into the file of a persona whether somebody may write to it, and on record who decided that. Throws as `setAccess` does. */
export async function decideSender(
  {
    root,
    stores,
    clock,
    ids,
  }: { readonly root: string; readonly stores: Stores; readonly clock: Clock; readonly ids: Ids },
  decided: {
    readonly persona: string;
    /** An address, or a pattern. */
    readonly sender: string;
    readonly verdict: 'allow' | 'block';
    /** An address, or `cli`. */
    readonly by: string;
  },
): Promise<void> {
  const { persona, sender, verdict, by } = decided;
  setAccess(root, persona, { pattern: sender, list: verdict === 'allow' ? 'allow' : 'deny' });
  await auditSender(stores, persona, { id: ids.next(), at: clock.now(), by, verdict, detail: { sender } });
}
