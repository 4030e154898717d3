import type { PassCrashPoint } from '../lib/crash-points.ts';
import { TAKEN_BACK } from '../storage/types/approvals.ts';
import type { JudgeEdit } from '../tools/judge-edit.ts';
import type { WaitingDesk } from '../tools/waiting.ts';
import { decideApprovals, editApproval } from './approvals.ts';
import type { StoresAndClock } from './ports.ts';

/** What an owner's mail has a run decide of what waits: it takes something back, and lets nothing be done. */
export function createWaitingDesk(
  deps: StoresAndClock & { readonly pass: PassCrashPoint; readonly judgeEdit: JudgeEdit },
): WaitingDesk {
  const { stores, clock } = deps;
  return {
    async change({ persona, approval, wanted, by, foreign }) {
      const edited = await stores.use(persona.id, (store) =>
        editApproval(deps, { persona, store, now: clock.now(), approval, wanted, by, revised: foreign }),
      );
      if (edited.outcome === 'refused') return edited.why;
      return edited.outcome === 'edited' ? edited.replacement : null;
    },
    async withdraw({ personaId, id, by, isOwn }) {
      const how = isOwn
        ? ({ state: 'stale', reason: TAKEN_BACK } as const)
        : ({ state: 'rejected', reason: null } as const);
      const verdicts = [{ id, by, ...how }];
      const [decided] = await stores.use(personaId, (store) =>
        decideApprovals(deps, { personaId, store, verdicts, now: clock.now() }),
      );
      return decided?.outcome === 'decided';
    },
  };
}
