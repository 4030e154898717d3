import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Persona } from '../config/types.ts';
import type { AcceptDeps } from '../dispatch/accept.ts';
import { writeDurably } from '../lib/durable-file.ts';

export interface Letter {
  /** Names the letter; the same mail again is the same letter. */
  readonly key: string;
  readonly messageId: string;
  /** What there is of it; null where not even the bytes could be had. */
  readonly raw: Uint8Array | null;
  readonly persona: Persona | null;
  readonly stage: 'fetch' | 'parse';
  readonly code: string;
  readonly message: string;
}

/** Strangers can send such mail, too, and as much of it as they like. */
const MOST = { letters: 1000, bytes: 256 * 1024 * 1024 };

/** Keeps a mail that could not be understood where a person can look at it, and tells the owner once. */
export async function addDeadLetter(
  deps: Pick<AcceptDeps, 'gateway' | 'stores' | 'clock' | 'wake'> & { readonly quarantineFolder: string },
  letter: Letter,
): Promise<void> {
  const { persona, key, raw, stage, code, message, messageId } = letter;
  const path = raw === null ? null : join(deps.quarantineFolder, `${key}.eml`);
  if (raw !== null && path !== null) writeDurably(deps.quarantineFolder, path, raw);
  const now = deps.clock.now();
  const id = persona ? `${key.slice(0, 40)}-${persona.id}` : key.slice(0, 40);
  const row = { id, persona_id: persona?.id ?? null, message_id: messageId, stage, code, message };
  const gone = await deps.gateway.addDeadLetter({ ...row, raw_path: path, bytes: raw?.length ?? 0, at: now }, MOST);
  for (const old of gone) rmSync(old, { force: true });
  if (!persona) return;
  const text = [
    `A mail was not answered because it could not be taken in: ${message}.`,
    '',
    `Message-ID: ${messageId}`,
    '',
    `See \`epistle deadletters show ${id}\`.`,
  ].join('\n');
  await deps.gateway.bumpWakeup(persona.id, now);
  await deps.stores.use(persona.id, (store) =>
    store.addJobs([
      {
        id: `notice:dead_letter:${key}`,
        kind: 'notice',
        due_at: now,
        payload: { subject: 'A mail could not be taken in', text },
      },
    ]),
  );
  deps.wake(persona.id);
}
