import { notice } from '../../record/jobs/notice-job.ts';
import type { Telling } from './tell-owners.ts';

/**
 * One mail to the owners of each persona of a workspace of an earlier build whose budget will be held from a day on, and
 * whose model has no price: the day, and what to do until then. Its id keeps it one, over restarts, too.
 */
export async function tellUnpriced({ workspace, announce }: Telling): Promise<void> {
  const { stores, clock, live } = workspace;
  const { unpricedModels } = await import('../../queries/gateway/provider-in-use.ts');
  const affected = (await unpricedModels(workspace)).filter(({ until }) => until !== null);
  if (affected.length === 0) return;
  const { readersOf } = await import('../../delivery/notices/owner-mail.ts');
  const { say } = await import('../../languages/say.ts');
  const { dayAndTime } = await import('../../languages/times.ts');
  const told = new Set<string>();
  for (const { persona, until } of affected) {
    const readers = readersOf({ configs: live.current }, persona).join(' ');
    if (until === null || told.has(readers)) continue;
    told.add(readers);
    // Who owns several personas hears of all of them at once.
    const theirs = affected.filter((one) => readersOf({ configs: live.current }, one.persona).join(' ') === readers);
    const models = [...new Set(theirs.map(({ model }) => model))].join(', ');
    const names = [...new Set(theirs.map((one) => one.persona.name))].join(', ');
    const { language, timezone: zone } = persona;
    const day = dayAndTime(until, { language, zone }, true);
    const [subject, text] = [
      say(language, 'unpriced.subject', { day }),
      say(language, 'unpriced.text', { names, models, day }),
    ];
    const now = clock.now();
    const job = notice.job({ id: `notice:unpriced:${until}`, due_at: now, payload: { subject, text } });
    await announce(persona.id, now, () => stores.use(persona.id, (store) => store.addJobs([job])));
  }
}
