import type { Persona } from '../config/types.ts';
import { leftCalls } from '../harness/cancelled.ts';
import { localDay } from '../harness/runtime.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { readOwnerCommand } from '../mail/owner-command.ts';
import type { Identity, ParsedMail } from '../mail/types.ts';
import type { GatewayStore } from '../storage/gateway-store.ts';
import type { PersonaFiles } from '../storage/persona-files.ts';
import type { NewJob, Store } from '../storage/store.ts';
import type { Stores } from '../storage/stores.ts';
import type { Tier } from '../storage/tables.ts';

export interface OwnerCommandDeps {
  readonly gateway: GatewayStore;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly ids: Ids;
  filesOf(personaId: string): PersonaFiles;
  /** How long a signature proves its mail. */
  signatureMaxAgeMs(): number;
  wake(personaId: string): void;
}

/**
 * Does what a proven owner commands before any model reads the mail; null when the mail is no command. STOP ends
 * all runs and freezes what has not left; RESUME lets it go on.
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
  // The switch first: whatever is cut off below must not find an open door.
  await gateway.setPaused(persona.id, command === 'stop' ? 'stopped' : null);
  await gateway.bumpWakeup(persona.id, now);
  await stores.use(persona.id, async (store) => {
    const text =
      command === 'stop'
        ? await stop(deps, { store, persona, now, by })
        : 'I take mail again, and what was held back leaves now.';
    const subject = command === 'stop' ? 'Stopped' : 'Going on';
    const job: NewJob = {
      id: `notice:${command}:${mail.rawSha256}`,
      kind: 'notice',
      due_at: now,
      payload: { subject, text },
    };
    const used = { signatures, messageId: mail.messageId, forgottenBefore: now - deps.signatureMaxAgeMs(), now };
    await store.endCommand(used, [job]);
  });
  deps.wake(persona.id);
  return 'stop_command';
}

async function stop(
  { clock, ids, filesOf }: OwnerCommandDeps,
  { store, persona, now, by }: { store: Store; persona: Persona; now: number; by: string },
): Promise<string> {
  const { artifacts } = filesOf(persona.id);
  const { ended, left } = await store.cancelOpenRuns({ day: localDay(now, persona.timezone), now, by }, (loaded) =>
    leftCalls({ artifacts, clock, ids, store }, loaded),
  );
  const unknown = [...new Set(left.flatMap((calls) => calls.unknown))];
  return [
    `Everything is stopped: ${ended} ${ended === 1 ? 'run was' : 'runs were'} ended, nothing that has not left is sent,`,
    'and new mail is refused. Answer with RESUME to go on.',
    ...(unknown.length === 0
      ? []
      : [`Cut off in the middle of a call: ${unknown.join(', ')}. It may or may not have taken effect.`]),
  ].join(' ');
}
