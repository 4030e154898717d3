import type { Stores } from '../../storage/ports/store.ts';
import type { SenderVerdict } from '../../storage/types/gateway.ts';
import { rowOf } from '../on-record.ts';

/** Puts on record who decided whether somebody may write to a persona, in its own log; once for each id. */
export const auditSender = (
  stores: Stores,
  persona: string,
  decided: {
    readonly id: string;
    readonly at: number;
    /** An owner's address, or `cli`. */
    readonly by: string;
    /** `remove`: what was decided before is taken back. */
    readonly verdict: SenderVerdict | 'remove';
    /** With the sender, or the pattern. */
    /** It was on record already, and could not be written after all. */
    readonly failed?: boolean;
    readonly detail: { readonly sender: string } & Readonly<Record<string, unknown>>;
  },
): Promise<void> =>
  stores.use(persona, (store) =>
    store.auditOnce(
      rowOf({
        id: decided.id,
        at: decided.at,
        actor: decided.by,
        event: decided.failed ? 'sender_not_decided' : 'sender_decided',
        decision: decided.verdict,
        detail: decided.detail,
      }),
    ),
  );
