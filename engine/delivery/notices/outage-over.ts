import type { Persona } from '../../config/types.ts';
import { byLanguage } from '../../languages/owner-language.ts';
import { say } from '../../languages/say.ts';
import { DAY_MS } from '../../lib/time.ts';
import { outageOver } from '../../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import type { ModelCode } from './outage-now.ts';
import { type OwnerMailDeps, readersOf, writeInEach } from './owner-mail.ts';

/** How often it is looked whether an outage is over of which owners were told. */
const LOOK_MS = 60_000;
/** Nobody waits for the end of what was told so long ago. */
const MOST_MS = 7 * DAY_MS;

/**
 * What follows a mail to owners about an outage, in the transaction that keeps that mail. One at a time: what turns out to be
 * another trouble before it is over ends with the same word.
 */
export const lookForEnd = (
  told: {
    readonly code: ModelCode;
    readonly window: string;
    readonly provider: string;
    readonly to: readonly string[];
  },
  now: number,
): NewJob =>
  outageOver.job({ id: 'outage_over', due_at: now + LOOK_MS, payload: { ...told, to: [...told.to], since: now } });

/** Tells whoever was told of an outage that it is over, once a model of the persona has answered since. */
export function createOutageOverWriter(
  deps: OwnerMailDeps & {
    /** Whether a model of the persona has answered, and none has failed it since. */
    works(persona: Persona): boolean;
  },
): JobHandler {
  return handleJobs(outageOver, async (persona, job, store) => {
    const { code, window, provider, to, since } = job.payload;
    const now = deps.clock.now();
    // After a start nobody knows before the next mail has asked.
    if (!deps.works(persona))
      return now - since > MOST_MS ? store.endJob(job.id) : store.delayJob(job.id, now + LOOK_MS);
    const owners = readersOf(deps, persona);
    const readers = await byLanguage(
      store,
      persona,
      to.filter((address) => owners.includes(address)),
    );
    if (readers.length === 0) return store.endJob(job.id);
    const mail = await writeInEach(deps, persona, readers, ({ name, language }) => ({
      kind: 'notice',
      purpose: `outage_over:${code}:${window}`,
      subject: say(language, 'waitingNotices.works.subject', { name }),
      text: [{ kind: 'text', text: say(language, 'waitingNotices.works.text', { provider }) }],
      namesItself: true,
      replyTo: null,
      headers: {},
    }));
    await store.queueNotice(job.id, mail);
  });
}
