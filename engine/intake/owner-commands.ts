import { waitingForResume } from '../actions/pause.ts';
import { type Stopped, stopRuns } from '../actions/stop.ts';
import type { Persona } from '../config/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import type { Ids } from '../lib/ids.ts';
import { readOwnerCommand } from '../mail/approval/owner-command.ts';
import type { Identity, ParsedMail } from '../mail/mime/types.ts';
import type { Announce } from '../record/announce.ts';
import { notice as ownerNotice } from '../record/notice-job.ts';
import type { PersonaFiles } from '../storage/persona-files.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';
import type { Store, Stores } from '../storage/ports/store.ts';
import type { NewJob } from '../storage/types/jobs.ts';
import type { Tier } from '../storage/types/mail.ts';

import { languageOf } from '../wording/language.ts';
import { OWNER_COMMANDS } from '../wording/owner-commands.ts';

export interface OwnerCommandDeps {
  readonly gateway: GatewayStore;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly pass: PassCrashPoint;
  filesOf(personaId: string): PersonaFiles;
  /** How long a signature proves its mail. */
  signatureMaxAgeMs(): number;
  readonly announce: Announce;
}

/**
 * Does what a proven owner commands before any model reads the mail; null when the mail is no command. STOP ends
 * what is under way and freezes what has not left, and new mail waits; RESUME lets it go on.
 */
export async function takeOwnerCommand(
  deps: OwnerCommandDeps,
  { persona, mail, identity, tier }: { persona: Persona; mail: ParsedMail; identity: Identity; tier: Tier | null },
): Promise<'stop_command' | 'duplicate' | null> {
  const command = readOwnerCommand(mail);
  if (command === null || tier !== 'owner' || !identity.authenticated) return null;
  const { gateway, stores, clock } = deps;
  const now = clock.now();
  const by = identity.address ?? '';
  const { signatures } = identity;
  // Whoever kept an owner's STOP could otherwise stop the persona with it each time that the owner resumes it.
  if (await stores.use(persona.id, (store) => store.knowsSignature(signatures))) return 'duplicate';
  const words = OWNER_COMMANDS[languageOf([mail.newText], persona.language)];
  const notice = (subject: string, text: string): NewJob =>
    ownerNotice.job({ id: `notice:${command}:${mail.rawSha256}`, due_at: now, payload: { subject, text } });
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
    const jobs =
      command === 'stop'
        ? [notice(words.stopped, stopText(words, await stopRuns(deps, { store, persona, now, by })))]
        : [];
    const used = { signatures, messageId: mail.messageId, forgottenBefore: now - deps.signatureMaxAgeMs(), now };
    await store.endCommand(used, jobs);
  };
  await deps.announce(persona.id, now, () => stores.use(persona.id, end));
  return 'stop_command';
}

const stopText = (words: (typeof OWNER_COMMANDS)['en'], { unknown, ...counts }: Stopped): string =>
  [words.stop(counts), ...(unknown.length === 0 ? [] : [words.cutOff(unknown.join(', '))])].join(' ');
