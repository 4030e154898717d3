import { sql } from 'kysely';
import type { Viewer } from '../../types/mail.ts';
import { isSeenBy, type ViewerArguments } from '../database/seen-by.ts';

/**
 * What may be seen, for what is looked for from outside of its thread: nothing of a private one and nothing that is to be
 * forgotten is found, whoever asks. In queries over `messages m`.
 */
export const isFoundBy = (viewer: Viewer | ViewerArguments) => sql<boolean>`${isSeenBy(viewer)} and ${isFoundAtAll}`;

/** Forgotten, or not so any more: another fact has taken its place. What became a rule holds as it was said. */
const isPast = sql<boolean>`(f.status = 'forgotten' or substr(f.superseded_by, 1, 1) = 'f')`;

/**
 * It said something that was to be forgotten or is not so any more, or it is our answer to such a mail, or one that was made with
 * what is known to be wrong. Who looks for it finds it; nobody who does not is told of it.
 */
export const isTakenBack = sql<boolean>`(exists (select 1 from facts f where f.source_message = m.id and ${isPast})
    or exists (select 1 from runs r join facts f on f.source_message = r.message
      where r.id = m.run_id and ${isPast})
    or exists (select 1 from corrected_answers c where c.message = m.id))`;

/** By whom it is looked for left aside. */
export const isFoundAtAll = sql<boolean>`m.thread_id not in (select id from threads where private_since is not null)
    and not exists (select 1 from forgotten_messages f where f.seq = m.seq)`;
