import type { Fact } from '../../storage/types/facts.ts';
import { hashOf, phraseOf } from './decide.ts';
import { freshFrom } from './freshness.ts';

/** A row in the words of an owner who wrote it by command: these are its quote. */
export function edited(old: Fact, text: string, { id, now }: { readonly id: string; readonly now: number }): Fact {
  return {
    ...old,
    ...{ id, text, quote: text, said_by: 'command', source_tier: 'owner', status: 'kept' },
    ...{ source_message: null, source_message_id: null, superseded_by: null, disputes: null },
    ...{ valid_from: now, valid_to: null, recorded_at: now },
    ...freshFrom(old.kind, now, { status: 'kept', asked: true }),
    hash: hashOf({ ...old, text }),
    phrase: phraseOf(text),
  };
}
