import { bringByToken } from '../../actions/bring-result.ts';
import type { ConsoleAnswers } from '../../console/answer.ts';
import { metricsText } from '../../console/metrics.ts';
import { readinessOf } from '../../console/readiness.ts';
import { sharedLook } from '../../console/shared-look.ts';
import { countedOf } from '../../queries/gateway/status.ts';
import type { Worker } from '../worker.ts';

/** Counting reads what has changed; whoever scrapes more often than this gets the same figures again. */
const COUNTED_FOR_MS = 15_000;
/** Asked without a login, by as many as like to. */
const LOOKED_FOR_MS = 1000;

/** What the console of a gateway at work answers with. */
export function answersOf({ workspace, mailboxes, announce, tally }: Worker): ConsoleAnswers {
  const { dataDir, gateway, live, stores, clock, pass, currentExtensions } = workspace;
  const count = async () =>
    metricsText(await countedOf(workspace), { memoryBytes: process.memoryUsage.rss(), calls: tally });
  return {
    readiness: sharedLook(() => readinessOf({ dataDir, gateway, mailboxes: mailboxes.states }), {
      forMs: LOOKED_FOR_MS,
      now: clock.now,
    }),
    metrics: sharedLook(count, { forMs: COUNTED_FOR_MS, now: clock.now }),
    async bring({ persona, token, json }) {
      if (live.personas().get(persona) === undefined || !stores.exists(persona)) return null;
      const { tools } = currentExtensions();
      return bringByToken({ announce, pass, stores, tools }, { persona, token, json, now: clock.now() });
    },
  };
}
