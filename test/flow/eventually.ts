import { setTimeout as sleep } from 'node:timers/promises';

/** Asks until the answer is there, each time `everyMs` after the last; fails with the last answer when `ms` are over. */
export async function eventually<Answer>(
  ask: () => Promise<Answer> | Answer,
  isThere: (answer: Answer) => boolean,
  ms = 90_000,
  everyMs = 50,
): Promise<Answer> {
  const until = performance.now() + ms;
  for (;;) {
    const answer = await ask();
    if (isThere(answer)) return answer;
    if (performance.now() > until) throw new Error(`not within ${ms} ms: ${JSON.stringify(answer)}`);
    await sleep(everyMs);
  }
}
