import { waitingForResume } from '../../actions/pause.ts';
import { type Stopped, stopRuns } from '../../actions/stop.ts';
import type { OwnerCommand } from '../../mail/approval/owner-command.ts';
import { notice as ownerNotice } from '../../record/jobs/notice-job.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import { languageOf } from '../../wording/language.ts';
import { OWNER_COMMANDS } from '../../wording/to-owners/owner-commands.ts';
import type { WriterDeps } from '../deps.ts';
import type { Facts } from '../facts.ts';

/**
 * Does what a proven owner commands before any model reads the mail. STOP ends what is under way and freezes what has
 * not left, and new mail waits; RESUME lets it go on.
 */
export async function obeyOwner(deps: WriterDeps, facts: Facts, command: OwnerCommand): Promise<void> {
  const { gateway, stores } = deps;
  const { persona, mail, identity, now } = facts;
  const words = OWNER_COMMANDS[languageOf([mail.newText], persona.language)];
  const notice = (subject: string, text: string): NewJob =>
    ownerNotice.job({ id: `notice:${command}:${mail.rawSha256}`, due_at: now, payload: { subject, text } });
  const { besideCommand } = facts;
  if (command === 'resume' && besideCommand !== null) {
    const told = notice(words.stillStopped, words.notAlone(besideCommand));
    return deps.announce(persona.id, now, () =>
      stores.use(persona.id, (store) => store.endCommand(facts.query, [told])),
    );
  }
  // Counted and written down before the switch: a process that dies in between must not find nothing waiting.
  if (command === 'resume') {
    await stores.use(persona.id, async (store) =>
      store.addJobs([notice(words.resumed, words.resume(await waitingForResume(store)))]),
    );
  }
  // The switch first: whatever is cut off below must not find an open door.
  await gateway.setPaused(persona.id, command === 'stop' ? 'stopped' : null);
  deps.pass('resume.switched');
  const end = async (store: Store): Promise<void> => {
    const by = identity.address ?? '';
    const jobs =
      command === 'stop'
        ? [notice(words.stopped, stopText(words, await stopRuns(deps, { store, persona, now, by })))]
        : [];
    await store.endCommand(facts.query, jobs);
  };
  await deps.announce(persona.id, now, () => stores.use(persona.id, end));
}

const stopText = (words: (typeof OWNER_COMMANDS)['en'], { unknown, ...counts }: Stopped): string =>
  [words.stop(counts), ...(unknown.length === 0 ? [] : [words.cutOff(unknown.join(', '))])].join(' ');
