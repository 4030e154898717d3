import type { Language } from '../../languages/language.ts';
import type { UnpricedModel } from '../../queries/gateway/provider-in-use.ts';
import { inEach, notice } from '../../record/jobs/notice-job.ts';
import { messenger, type Telling, type UpgradePart } from './tell-owners.ts';

/**
 * One mail to the owners of each persona of a workspace of an earlier build whose budget will be held from a day on, and
 * whose model has no price: the day, and what to do until then. Its id keeps it one, over restarts, too.
 */
export async function tellUnpriced({ workspace, announce }: Telling): Promise<void> {
  const { stores, clock } = workspace;
  for (const theirs of await untold(workspace)) {
    const [{ persona, until } = NOBODY] = theirs;
    if (persona === null) continue;
    const now = clock.now();
    const payload = inEach(persona.language, await saidOf(theirs));
    const job = notice.job({ id: `notice:unpriced:${until}`, due_at: now, payload });
    await announce(persona.id, now, () => stores.use(persona.id, (store) => store.addJobs([job])));
  }
}

/** The same for those who are told of the upgrade; null: there is nothing of it to tell them. */
export async function missingPrices({ workspace }: Telling): Promise<UpgradePart | null> {
  const teller = messenger(workspace, () => false);
  const { readersOf } = await import('../../delivery/notices/owner-mail.ts');
  const readers = teller === null ? '' : readersOf({ configs: workspace.live.current }, teller).join(' ');
  const theirs = (await untold(workspace)).find(([one]) => one?.readers === readers);
  const [{ until } = NOBODY] = theirs ?? [];
  if (theirs === undefined) return null;
  const { unpricedIsTold } = await import('../../models/unpriced.ts');
  return {
    id: `notice:unpriced:${until}`,
    words: await saidOf(theirs),
    told: () =>
      unpricedIsTold(
        workspace.gateway,
        theirs.map(({ persona }) => persona.id),
      ),
  };
}

const NOBODY = { persona: null, until: null } as const;

type Untold = UnpricedModel & { readonly readers: string };

/** What nobody has heard yet in another mail, by who is to read it: who owns several personas hears of all of them at once. */
async function untold(workspace: Telling['workspace']): Promise<readonly (readonly Untold[])[]> {
  const { unpricedModels } = await import('../../queries/gateway/provider-in-use.ts');
  const found = (await unpricedModels(workspace)).filter(({ until }) => until !== null);
  if (found.length === 0) return [];
  const { readersOf } = await import('../../delivery/notices/owner-mail.ts');
  const { toldOfUnpriced } = await import('../../models/unpriced.ts');
  const told = await toldOfUnpriced(workspace.gateway);
  const configs = workspace.live.current;
  const all = found
    .filter(({ persona }) => !told.includes(persona.id))
    .map((one) => ({ ...one, readers: readersOf({ configs }, one.persona).join(' ') }));
  return [...Map.groupBy(all, ({ readers }) => readers).values()];
}

async function saidOf(theirs: readonly Untold[]) {
  const { say } = await import('../../languages/say.ts');
  const { dayAndTime } = await import('../../languages/times.ts');
  const models = [...new Set(theirs.map(({ model }) => model))].join(', ');
  const names = [...new Set(theirs.map(({ persona }) => persona.name))].join(', ');
  const [first] = theirs;
  const [until, zone] = [first?.until ?? 0, first?.persona.timezone ?? 'UTC'];
  return (language: Language) => {
    const day = dayAndTime(until, { language, zone }, true);
    return {
      subject: say(language, 'unpriced.subject', { day }),
      text: say(language, 'unpriced.text', { names, models, day }),
    };
  };
}
