import type { Worker } from '../worker.ts';

/** Less than a day, so that a day's look which comes a little early is one. */
const BETWEEN_MS = 23 * 3_600_000;

/** So long after its time is over an answer is still told what became of the question. */
const REMEMBERED_MS = 90 * 24 * 3_600_000;

/** Up to when owners were told. */
const TOLD_UNTIL = 'refused_told_until';

/**
 * Once a day, one mail to each owner about those whose mail was refused since, for the first time: no sender is told of
 * again while rows tell of them, and a day without a new one brings no mail. Off where refused mail is not kept, since
 * nothing could be taken in then.
 */
export async function tellOfRefusedSenders({
  workspace,
  announce,
}: {
  readonly workspace: Pick<Worker['workspace'], 'gateway' | 'live' | 'stores' | 'clock' | 'pass'>;
  readonly announce: Worker['announce'];
}): Promise<void> {
  const { gateway, live, clock } = workspace;
  const now = clock.now();
  const since = Number(await gateway.setting(TOLD_UNTIL, () => String(now)));
  // The clock may have been set back.
  if (now < since) return gateway.changeSetting(TOLD_UNTIL, String(now));
  if (now - since < BETWEEN_MS) return;
  if (live.current().security.quarantine_days > 0) {
    // Loaded where it is needed: most gateways have refused nobody new.
    const rows = await gateway.newlyRefused(since);
    if (rows.length > 0) await (await import('./write-digest.ts')).writeDigests({ workspace, announce }, rows, since);
  }
  await gateway.pruneSenderQuestions(now - REMEMBERED_MS);
  await gateway.changeSetting(TOLD_UNTIL, String(now));
}
