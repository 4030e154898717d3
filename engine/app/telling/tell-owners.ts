import { mailboxToSendBy } from '../../config/mailboxes/sending-mailbox.ts';
import { addressesOfOwners } from '../../config/owners.ts';
import type { MailboxConfig, Persona } from '../../config/types.ts';
import type { Language } from '../../languages/language.ts';
import { systemZone } from '../../lib/schedule/zone.ts';
import type { UnpricedModel } from '../../queries/gateway/provider-in-use.ts';
import type { Announce } from '../../record/jobs/jobs.ts';
import { inEach, notice } from '../../record/jobs/notice-job.ts';
import type { Again } from '../../storage/types/approvals.ts';
import type { Workspace } from '../../workspace.ts';

/** Of the worker, which is made with some of this. */
export interface Telling {
  readonly workspace: Workspace;
  readonly announce: Announce;
}

/** Something that owners are told after an upgrade, by itself or in one mail with others. */
export interface UpgradePart {
  readonly id: string;
  words(language: Language): Words;
  /** What an owner may switch on by an answer to the mail that it stands in. */
  readonly offers?: Again;
  /** It is on its way. */
  told(): Promise<void>;
}

type Words = { readonly subject: string; readonly text: string };
interface Told {
  readonly id: string;
  readonly words: (language: Language) => Words;
  /** What an owner may have done once more by an answer. */
  readonly again?: Again;
}

/** What a notice is worded with, and times as the clock of this machine has them. Loaded where there is one to tell. */
export async function wording() {
  const [{ say }, { dayAndTime }] = await Promise.all([
    import('../../languages/say.ts'),
    import('../../languages/times.ts'),
  ]);
  const zone = systemZone();
  return { say, when: (at: number, language: Language) => `${dayAndTime(at, { language, zone }, true)} (${zone})` };
}

/**
 * A mail to the owners, in the language of each. The id is its purpose: they get one, over restarts,
 * too. False where no persona could tell it.
 */
export async function noticeTo(
  { workspace, announce }: Telling,
  isBroken: (mailbox: MailboxConfig) => boolean,
  told: Told,
): Promise<boolean> {
  const { stores, clock } = workspace;
  const persona = messenger(workspace, isBroken);
  if (!persona) return false;
  const now = clock.now();
  const words = inEach(persona.language, told.words);
  const payload = told.again === undefined ? words : { ...words, again: told.again };
  const job = notice.job({ id: told.id, due_at: now, payload });
  await announce(persona.id, now, () => stores.use(persona.id, (store) => store.addJobs([job])));
  return true;
}

/**
 * Who tells: a persona whose own mail leaves by another account, so that it leaves now. Where there is none, one that
 * waits for this login itself; the log, `status` and `doctor` tell it at once.
 */
export function messenger({ live }: Workspace, isBroken: (mailbox: MailboxConfig) => boolean): Persona | null {
  const { mailboxes } = live.current().gateway;
  const wayOf = (persona: Persona) => mailboxes.find(({ id }) => id === mailboxToSendBy(mailboxes, persona));
  const personas = [...live.personas().all()].flatMap((entry) => (entry.state === 'ready' ? [entry.persona] : []));
  const isFree = (persona: Persona) => {
    const way = wayOf(persona);
    return way === undefined || !isBroken(way);
  };
  const all = addressesOfOwners(live.current().security.owners);
  const ours = personas.filter(({ owners }) => owners.some((owner) => all.includes(owner)));
  return ours.find(isFree) ?? personas.find(isFree) ?? ours[0] ?? personas[0] ?? null;
}

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
