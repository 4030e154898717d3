import { waitingForResume } from '../../actions/pause.ts';
import { type Stopped, stopRuns } from '../../actions/stop.ts';
import { type Language, languageOf } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import type { OwnerCommand } from '../../mail/approval/owner-command.ts';
import { inEach, notice as ownerNotice } from '../../record/jobs/notice-job.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import type { WriterDeps } from '../deps.ts';
import type { Facts } from '../facts.ts';

/**
 * Does what a proven owner commands before any model reads the mail. STOP ends what is under way and freezes what has
 * not left, and new mail waits; RESUME lets it go on.
 */
export async function obeyOwner(deps: WriterDeps, facts: Facts, command: OwnerCommand): Promise<void> {
  const { gateway, stores } = deps;
  const { persona, mail, identity, now } = facts;
  const notice = (told: (language: Language) => { readonly subject: string; readonly text: string }): NewJob =>
    ownerNotice.job({
      id: `notice:${command}:${mail.rawSha256}`,
      due_at: now,
      payload: inEach(languageOf([mail.newText], persona.language), told),
    });
  const { besideCommand } = facts;
  if (command === 'resume' && besideCommand !== null) {
    const told = notice((language) => ({
      subject: say(language, 'ownerCommands.stillStopped'),
      text: say(language, 'ownerCommands.notAlone', { line: besideCommand }),
    }));
    return deps.announce(persona.id, now, () =>
      stores.use(persona.id, (store) => store.endCommand(facts.query, [told])),
    );
  }
  // Counted and written down before the switch: a process that dies in between must not find nothing waiting.
  if (command === 'resume') {
    await stores.use(persona.id, async (store) => {
      const waiting = await waitingForResume(store);
      return store.addJobs([
        notice((language) => ({
          subject: say(language, 'ownerCommands.resumed'),
          text: say(language, 'ownerCommands.resume', { waited: waiting }),
        })),
      ]);
    });
  }
  // The switch first: whatever is cut off below must not find an open door.
  await gateway.setPaused(persona.id, command === 'stop' ? 'stopped' : null);
  deps.pass('resume.switched');
  const end = async (store: Store): Promise<void> => {
    const by = identity.address ?? '';
    const stopped = command === 'stop' ? await stopRuns(deps, { store, persona, now, by }) : null;
    const jobs =
      stopped === null
        ? []
        : [
            notice((language) => ({
              subject: say(language, 'ownerCommands.stopped'),
              text: stopText(language, stopped),
            })),
          ];
    await store.endCommand(facts.query, jobs);
  };
  await deps.announce(persona.id, now, () => stores.use(persona.id, end));
}

const stopText = (language: Language, { unknown, ...counts }: Stopped): string =>
  [
    say(language, 'ownerCommands.stop', counts),
    ...(unknown.length === 0 ? [] : [say(language, 'ownerCommands.cutOff', { tools: unknown.join(', ') })]),
  ].join(' ');
