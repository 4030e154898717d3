import { bringByToken } from '../../actions/bring-result.ts';
import type { Answers } from '../../console/answer.ts';
import { metricsText } from '../../console/metrics.ts';
import { readinessOf } from '../../console/readiness.ts';
import { statusOf } from '../../queries/gateway/status.ts';
import type { Worker } from '../worker.ts';

/** Counting asks the database of each persona; whoever scrapes more often than this gets the same figures again. */
const COUNTED_FOR_MS = 15_000;

/** What the console of a gateway at work answers with. */
export function answersOf({ workspace, mailboxes, announce }: Worker): Answers {
  const { dataDir, gateway, live, stores, clock, pass, currentExtensions } = workspace;
  const counted: { text: Promise<string> | null; at: number } = { text: null, at: 0 };
  const count = async () => metricsText(await statusOf(workspace), { memoryBytes: process.memoryUsage.rss() });
  return {
    readiness: () => readinessOf({ dataDir, gateway, mailboxes: mailboxes.states }),
    metrics() {
      const now = clock.now();
      if (counted.text === null || now - counted.at > COUNTED_FOR_MS) {
        const text = count();
        Object.assign(counted, { text, at: now });
        text.catch(() => {
          counted.text = null;
        });
      }
      return counted.text ?? count();
    },
    async bring({ persona, token, json }) {
      if (live.personas().get(persona) === undefined || !stores.exists(persona)) return null;
      const { tools } = currentExtensions();
      return bringByToken({ announce, pass, stores, tools }, { persona, token, json, now: clock.now() });
    },
  };
}
