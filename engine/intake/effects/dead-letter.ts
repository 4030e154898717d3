import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Persona } from '../../config/types.ts';
import type { Language } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { writeDurably } from '../../lib/files/durable-file.ts';
import { gatheredAs, inEach, notice } from '../../record/jobs/notice-job.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import type { WriterDeps } from '../deps.ts';

export interface DeadLetter {
  /** Names the letter: the same mail again is the same letter. */
  readonly key: string;
  readonly messageId: string;
  /** Null where nobody is known to have written it. */
  readonly from: string | null;
  readonly subject: string;
  /** What there is of it; null where not even the bytes could be had. */
  readonly raw: Uint8Array | null;
  readonly persona: Persona | null;
  /** Where its persona is not known: those whose owners are told. */
  readonly tell?: (id: string, now: number) => Promise<void>;
  /** Who else hears of it. */
  readonly also?: readonly NewJob[];
  readonly stage: 'fetch' | 'parse';
  readonly code: string;
  readonly message: string;
}

export type LetterDeps = Pick<WriterDeps, 'gateway' | 'stores' | 'clock' | 'announce' | 'quarantineFolder'>;

/** Those who may write here can send such mail, too, and as much of it as they like. */
const MOST = { letters: 1000, bytes: 256 * 1024 * 1024 };

/** Keeps a mail that could not be understood where a person can look at it, and tells the owner. */
export async function addDeadLetter(deps: LetterDeps, letter: DeadLetter): Promise<void> {
  const { persona, key, raw, stage, code, message, messageId } = letter;
  const { gateway } = deps;
  const id = persona ? `${key.slice(0, 40)}-${persona.id}` : key.slice(0, 40);
  // Offered again, after a change of UIDVALIDITY for instance: the owner has been told.
  if (await gateway.getDeadLetter(id)) return;
  const path = raw === null ? null : join(deps.quarantineFolder, `${key}.eml`);
  if (raw !== null && path !== null) writeDurably(deps.quarantineFolder, path, raw);
  const now = deps.clock.now();
  // Before the row: a death in between tells the owner twice, the other way round it would tell nobody.
  if (persona) await tellOwner(deps, { ...letter, persona, id, now });
  else await letter.tell?.(id, now);
  const row = { id, persona_id: persona?.id ?? null, message_id: messageId, stage, code, message };
  const gone = await gateway.addDeadLetter({ ...row, raw_path: path, bytes: raw?.length ?? 0, at: now }, MOST);
  for (const old of gone) rmSync(old, { force: true });
}

async function tellOwner(
  { stores, announce }: LetterDeps,
  {
    persona,
    key,
    code,
    message,
    from,
    subject,
    also = [],
    id,
    now,
  }: DeadLetter & { persona: Persona; id: string; now: number },
): Promise<void> {
  const payload = inEach(persona.language, (language) => {
    const text = [
      say(language, 'notTaken.unread', { who: from ?? say(language, 'notTaken.nobody'), subject }),
      whyOf({ code, message }, language, `epistle deadletters requeue ${id}`),
      say(language, 'notTaken.look', { command: `epistle deadletters show ${id}` }),
    ];
    return { subject: say(language, 'notTaken.unreadSubject'), text: text.join('\n\n') };
  });
  const job = notice.job({
    id: `notice:dead_letter:${key}`,
    due_at: now,
    gather: gatheredAs('dead_letter'),
    payload,
  });
  await announce(persona.id, now, () => stores.use(persona.id, (store) => store.addJobs([job, ...also])));
}

/** What kept it from being read, and what helps. The limit that it met is told in our own words; what a reader threw may quote the mail. */
function whyOf({ code, message }: Pick<DeadLetter, 'code' | 'message'>, language: Language, again: string): string {
  if (code === 'message_too_large') return `${say(language, 'notTaken.tooLarge', { command: again })} (${message})`;
  return code === 'mime_limit'
    ? `${say(language, 'notTaken.manyParts', { command: again })} (${message})`
    : say(language, 'notTaken.malformed');
}
