import { mailboxToSendBy } from '../../config/mailboxes/sending-mailbox.ts';
import { addressesOfOwners } from '../../config/owners.ts';
import type { MailboxConfig, Persona } from '../../config/types.ts';
import type { Language } from '../../languages/language.ts';
import type { Announce } from '../../record/announce.ts';
import { inEach, notice } from '../../record/jobs/notice-job.ts';
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
  /** It is on its way. */
  told(): Promise<void>;
}

type Words = { readonly subject: string; readonly text: string };
type Told = { readonly id: string } & (Words | { readonly words: (language: Language) => Words });

/**
 * A mail to the owners, in the language of each where it has words in all of them. The id is its purpose: they get one, over restarts,
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
  const payload = 'words' in told ? inEach(persona.language, told.words) : { subject: told.subject, text: told.text };
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
