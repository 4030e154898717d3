import { EngineError } from '#contract';
import type { LiveConfig } from '../config/live/live.ts';
import { addressesOfOwners } from '../config/owners.ts';
import type { Persona } from '../config/types.ts';
import type { Language } from '../languages/language.ts';
import { say } from '../languages/say.ts';
import { dayAndTime } from '../languages/times.ts';
import { inEach, notice } from '../record/jobs/notice-job.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';
import type { ConsolePasskey, NewConsolePasskey } from '../storage/types/gateway.ts';
import type { NewJob } from '../storage/types/jobs.ts';
import { recordKeeper } from './on-record.ts';
import type { StoresAndClock } from './ports.ts';

interface PasskeyPorts extends StoresAndClock {
  readonly live: Pick<LiveConfig, 'current' | 'personas'>;
  readonly gateway: Pick<GatewayStore, 'addPasskey' | 'removePasskey'>;
}

/** A crash between the mail and the row leaves owners told of what was not done, never the other way round. */
const TOLD_AFTER_MS = 2000;
/** Nobody has more; a list that somebody has blown up is no reason for a flood. */
const MOST_OWNERS = 100;
/** Whoever runs a command has no address. */
const BY_COMMAND = 'cli';

/**
 * Keeps a passkey, on record, and tells all owners of the gateway and whose it is. Throws `unavailable` where no persona works that
 * could tell them.
 */
export async function addPasskey(
  ports: PasskeyPorts,
  passkey: NewConsolePasskey,
): Promise<'added' | 'known' | 'too_many'> {
  const { address: who, name } = passkey;
  const told = { id: passkey.id, address: who, now: passkey.made_at };
  const words = (language: Language, when: string) => ({
    subject: say(language, 'passkeys.addedSubject', { who }),
    text: say(language, 'passkeys.addedText', { when, who, name }),
  });
  return whenTold(ports, { ...told, event: 'added', words, mayBeSilent: false }, async () => {
    const became = await ports.gateway.addPasskey(passkey);
    return { became, isDone: became === 'added' };
  });
}

/**
 * Takes a passkey away, on record, with the sessions of its address that began by one but for `keep`, and tells the same owners.
 * False where there is none any more. Throws `unavailable` as above, but not of a command, which takes it away all the same.
 */
export function removePasskey(
  ports: PasskeyPorts,
  passkey: Pick<ConsolePasskey, 'id' | 'address' | 'name'>,
  { by, keep }: { readonly by: string; readonly keep: string | null },
): Promise<boolean> {
  const now = ports.clock.now();
  const { id, address: whose, name } = passkey;
  const words = (language: Language, when: string) => ({
    subject: say(language, 'passkeys.removedSubject', { whose }),
    text:
      by === BY_COMMAND
        ? say(language, 'passkeys.removedByCommandText', { when, whose, name })
        : say(language, 'passkeys.removedText', { when, who: by, whose, name }),
  });
  const told = { id, address: whose, now, event: 'removed', words, mayBeSilent: by === BY_COMMAND } as const;
  return whenTold(ports, told, async () => {
    const removed = await ports.gateway.removePasskey(id, { by, now, keep });
    return { became: removed !== undefined, isDone: removed !== undefined };
  });
}

interface Told {
  readonly id: string;
  readonly address: string;
  readonly now: number;
  readonly event: 'added' | 'removed';
  readonly words: (language: Language, when: string) => { readonly subject: string; readonly text: string };
  /** It is done also where nobody can be told. */
  readonly mayBeSilent: boolean;
}

/** Does it once the mails about it are sure to leave; where it was not done, none leaves. */
async function whenTold<Became>(
  ports: PasskeyPorts,
  told: Told,
  act: () => Promise<{ readonly became: Became; readonly isDone: boolean }>,
): Promise<Became> {
  const { live, stores, announce } = ports;
  const persona = recordKeeper(live, null);
  if (persona === null) {
    if (told.mayBeSilent) return (await act()).became;
    throw new EngineError('unavailable', 'there is no persona that could tell the owners of it');
  }
  const jobs = noticesOf(live, persona, told);
  await announce(persona.id, told.now, () => stores.use(persona.id, (store) => store.addJobs(jobs)));
  let isDone = false;
  try {
    const done = await act();
    isDone = done.isDone;
    return done.became;
  } finally {
    if (!isDone) {
      await stores.use(persona.id, async (store) => {
        for (const { id } of jobs) await store.endJob(id);
      });
    }
  }
}

/** One mail to each owner of the gateway and to whose it is, in the own language. */
function noticesOf(
  live: PasskeyPorts['live'],
  persona: Persona,
  { id, address, now, event, words }: Told,
): readonly NewJob[] {
  const owners = [...addressesOfOwners(live.current().security.owners), address];
  const to = [...new Map(owners.map((one) => [one.toLowerCase(), one])).values()].slice(0, MOST_OWNERS);
  const inWords = (language: Language) => words(language, dayAndTime(now, { language, zone: persona.timezone }, true));
  return to.map((one, at) =>
    notice.job({
      id: `notice:passkey_${event}:${id}:${at}`,
      due_at: now + TOLD_AFTER_MS,
      payload: { ...inEach(persona.language, inWords), to: one },
    }),
  );
}
