import type { Clock } from '../lib/clock.ts';
import type { PersonaFiles } from './persona-files.ts';
import type { HeldRaw, MailStore } from './ports/mail.ts';
import type { Stores } from './ports/store.ts';
import type { StoredMessage } from './types/mail.ts';

/**
 * Mail up to this size is committed with its message, as a row: a file of its own with its flush, its name and the flush
 * of its folder costs as much as all the rest of accepting a mail. It becomes that file when nobody waits for it.
 */
export const MOST_IN_ROW = 64 * 1024;

/** None is moved while another comes within this time. */
const CALM_MS = 100;
/** Unless so much waits. */
const MOST_WAITING = { mails: 10_000, bytes: 64 * 1024 * 1024 };
const PAGE = 64;
/** A gateway that is stopped moves for so long; what is left is moved with the persona's next mail, or by the sweep. */
const LAST_MS = 2000;

/** Raw mail that is kept as files. */
export interface RawFiles {
  readonly mail: Pick<PersonaFiles['mail'], 'get'>;
}

type Held = Pick<MailStore, 'listHeldRaw' | 'releaseRaw'>;

/** The bytes of a message that came, as they came. In this order: it may become a file in between. */
export async function rawOf(
  store: Pick<MailStore, 'heldRaw'>,
  files: RawFiles,
  message: Pick<StoredMessage, 'seq' | 'raw_sha256'>,
): Promise<Uint8Array | null> {
  const { seq, raw_sha256: sha256 } = message;
  return sha256 === null ? null : ((await store.heldRaw(seq)) ?? (await files.mail.get(sha256)));
}

/** Moves the mail of a persona from rows into files, a page at a time. False: `mayGoOn` said no before it was all. */
export async function moveRaw(
  store: Held,
  files: Pick<PersonaFiles, 'keepMail'>,
  mayGoOn: () => boolean = () => true,
): Promise<boolean> {
  let page: readonly HeldRaw[];
  do {
    page = await store.listHeldRaw(PAGE);
    await Promise.all(page.map(({ bytes, sha256 }) => files.keepMail(bytes, sha256)));
    // Only now: a row goes when its file is on disk.
    if (page.length > 0) await store.releaseRaw(page.map(({ seq }) => seq));
  } while (page.length === PAGE && mayGoOn());
  return page.length < PAGE;
}

export interface RawMover {
  /** A mail of this persona was committed with its bytes in a row. */
  held(personaId: string, bytes: number): void;
  /** Moves what it can within two seconds. */
  close(): Promise<void>;
}

/** Makes files of the mail that was accepted into rows, once it is calm. */
export function createRawMover({
  stores,
  filesOf,
  clock,
}: {
  readonly stores: Stores;
  filesOf(personaId: string): Pick<PersonaFiles, 'keepMail'>;
  readonly clock: Clock;
}): RawMover {
  /** What waits of each persona. */
  const waiting = new Map<string, { mails: number; bytes: number }>();
  const ending = new AbortController();
  let arrived = 0;
  let moving: Promise<void> | null = null;

  const add = (personaId: string, { mails, bytes }: { mails: number; bytes: number }) => {
    const before = waiting.get(personaId) ?? { mails: 0, bytes: 0 };
    waiting.set(personaId, { mails: before.mails + mails, bytes: before.bytes + bytes });
  };
  const isTooMuch = () => {
    const all = [...waiting.values()];
    const sum = (of: 'mails' | 'bytes') => all.reduce((total, one) => total + one[of], 0);
    return sum('mails') >= MOST_WAITING.mails || sum('bytes') >= MOST_WAITING.bytes;
  };

  const moveAll = async (mayGoOn: () => boolean): Promise<void> => {
    for (const [id, what] of [...waiting]) {
      if (!mayGoOn()) return;
      waiting.delete(id);
      const isAll = await stores
        .use(id, (store) => moveRaw(store, filesOf(id), mayGoOn))
        // A full disk, for instance. The rows stay: the persona's next mail tries again, and so does the sweep.
        .catch(() => true);
      if (!isAll) add(id, what);
    }
  };

  const untilNoneWaits = async (): Promise<void> => {
    while (waiting.size > 0 && !ending.signal.aborted) {
      const before = arrived;
      await clock.sleep(CALM_MS, ending.signal).catch(() => {});
      const isCalm = () => arrived === before && !ending.signal.aborted;
      if (isCalm() || isTooMuch()) await moveAll(() => isCalm() || isTooMuch());
    }
    moving = null;
  };

  return {
    held(personaId, bytes) {
      arrived += 1;
      add(personaId, { mails: 1, bytes });
      moving ??= untilNoneWaits();
    },
    async close() {
      ending.abort();
      await moving;
      const until = clock.now() + LAST_MS;
      await moveAll(() => clock.now() < until);
    },
  };
}
