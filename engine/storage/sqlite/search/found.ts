import { sql } from 'kysely';
import type { Viewer } from '../../types/mail.ts';
import { isSeenBy, type ViewerArguments } from '../database/seen-by.ts';

/**
 * What may be seen, for what is looked for from outside of its thread: nothing of a private one and nothing that is to be
 * forgotten is found, whoever asks. In queries over `messages m`.
 */
export const isFoundBy = (viewer: Viewer | ViewerArguments) => sql<boolean>`${isSeenBy(viewer)} and ${isFoundAtAll}`;

/**
 * It said something that was to be forgotten, or it is our answer to such a mail. Who looks for it finds it; nobody who
 * does not is told of it.
 */
export const isTakenBack = sql<boolean>`(exists (select 1 from facts f where f.source_message = m.id and f.status = 'forgotten')
    or exists (select 1 from runs r join facts f on f.source_message = r.message
      where r.id = m.run_id and f.status = 'forgotten'))`;

/** By whom it is looked for left aside. */
export const isFoundAtAll = sql<boolean>`m.thread_id not in (select id from threads where private_since is not null)
    and not exists (select 1 from forgotten_messages f where f.seq = m.seq)`;
