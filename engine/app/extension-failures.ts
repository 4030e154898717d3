import { addressesOfOwners } from '../config/owners.ts';
import type { Persona } from '../config/types.ts';
import type { ExtensionFailure } from '../extensions/guard/guard.ts';
import { sha256 } from '../lib/ids.ts';
import type { Announce } from '../record/jobs/jobs.ts';
import { inEach, notice } from '../record/jobs/notice-job.ts';
import type { Workspace } from '../workspace.ts';
import type { Worker } from './worker.ts';

/** One notice for each extension that fails while the gateway works, and for each that failed while it started. */
export function tellOfFailures({ workspace, announce }: Worker): void {
  const { guards, log } = workspace;
  const tell = (failure: ExtensionFailure): void => {
    notify(workspace, announce, failure).catch((error: unknown) =>
      log.error({ error: String(error) }, 'nobody could be told that an extension failed'),
    );
  };
  guards.onFailure(tell);
  for (const failure of guards.failures()) tell(failure);
}

/** In the name of a persona that works; nobody is told where none does. */
async function notify(workspace: Workspace, announce: Announce, { id, guard }: ExtensionFailure): Promise<void> {
  const { stores, clock } = workspace;
  const persona = messenger(workspace);
  if (!persona) return;
  const { kind, name, file } = guard.code;
  const now = clock.now();
  const { say } = await import('../languages/say.ts');
  const cause = guard.failure();
  const payload = inEach(persona.language, (language) =>
    cause === null
      ? { subject: say(language, 'hookOff.subject', { name }), text: say(language, 'hookOff.text', { name, file }) }
      : {
          subject: say(language, 'extensionOff.subject', { kind, name }),
          text: [
            say(language, 'extensionOff.text', { kind, name, file }),
            say(language, 'notices.programSaid', { words: cause }),
          ].join('\n\n'),
        },
  );
  // The id is the purpose of the mail: of the same code and the same failure its owners hear once, over restarts, too.
  const jobId =
    cause === null
      ? `notice:hook_off:${sha256(id).slice(0, 32)}`
      : `notice:extension:${sha256(`${id} ${cause}`).slice(0, 32)}`;
  const job = notice.job({ id: jobId, due_at: now, payload });
  await announce(persona.id, now, () => stores.use(persona.id, (store) => store.addJobs([job])));
}

/** An extension belongs to the gateway: its owners are told by a persona of theirs, or else by the first there is. */
function messenger({ live }: Workspace): Persona | null {
  const [owner] = addressesOfOwners(live.current().security.owners);
  let first: Persona | null = null;
  for (const entry of live.personas().all()) {
    if (entry.state !== 'ready') continue;
    if (owner === undefined || entry.persona.owners.includes(owner)) return entry.persona;
    first ??= entry.persona;
  }
  return first;
}
