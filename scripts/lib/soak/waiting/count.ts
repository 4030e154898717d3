import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readOutgoing } from '../../../../test/flow/gateway.ts';
import { folderOf, look } from '../rows.ts';

export interface Phase {
  readonly name: string;
  /** Message-IDs, a thread each, in the order in which they were sent. */
  readonly threads: string[][];
}

export interface PhaseCount {
  readonly mails: number;
  readonly answered: number;
  readonly doubled: number;
  readonly late_notes: number;
  readonly out_of_order: number;
  readonly problems: readonly string[];
}

/** How much mail waits, put back with a reason. */
export const waitingIn = (root: string): number =>
  look(join(folderOf(root, 'ada'), 'persona.db'), (database) =>
    database
      .prepare<[], { message_id: string }>(
        "select message_id from runs where status = 'queued' and deferred_at is not null",
      )
      .all(),
  ).length;

/** By Message-ID: the mail whose answer serves it as well, most often itself, and when that answer was there. */
function endsIn(root: string) {
  const rows = look(join(folderOf(root, 'ada'), 'persona.db'), (database) =>
    database
      .prepare<[], { message_id: string; ended_at: number | null; answered_with: string | null }>(
        `select r.message_id, coalesce(o.ended_at, r.ended_at) as ended_at, o.message_id as answered_with
         from runs r
         left join run_events e on e.run_id = r.id and e.type = 'run_ended' and r.outcome = 'silent:answered_together'
         left join runs o on o.id = e.payload_json ->> '$.by'`,
      )
      .all(),
  );
  const ends = new Map(rows.map((row) => [row.message_id, row]));
  return {
    answeredWith: (id: string): string => ends.get(id)?.answered_with ?? id,
    endOf: (id: string): number => {
      const row = ends.get(id);
      return row ? (row.ended_at ?? Number.POSITIVE_INFINITY) : 0;
    },
  };
}

/** Each mail has one whole answer, each sender as many notes as they are owed, each thread its order. */
export async function countPhase(root: string, { name, threads }: Phase, notes: number): Promise<PhaseCount> {
  const folder = join(root, 'data/outgoing');
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.eml')) : [];
  const left = await Promise.all(files.map((file) => readOutgoing(join(folder, file))));
  const ofKind = (kind: string) => left.filter(({ mail }) => mail.headers.get('x-epistle-kind') === kind);
  const replies = Map.groupBy(ofKind('reply'), ({ mail }) => mail.inReplyTo ?? '');
  const own = ofKind('wait').filter(({ envelopeTo }) => envelopeTo.startsWith(`${name}-`));
  const senders = new Set(own.map(({ envelopeTo }) => envelopeTo)).size;
  const ids = threads.flat();
  const { answeredWith, endOf } = endsIn(root);
  const answered = ids.filter((id) => replies.get(answeredWith(id))?.[0]?.mail.text?.includes('Your answer.')).length;
  const doubled = ids.filter((id) => (replies.get(id)?.length ?? 0) > (answeredWith(id) === id ? 1 : 0)).length;
  const outOfOrder = threads.flatMap((thread) =>
    thread.filter((id, at) => endOf(id) < endOf(thread[at - 1] ?? '')),
  ).length;
  const problems = [
    ...(answered === ids.length ? [] : [`${name}: ${answered} of ${ids.length} mails were answered`]),
    ...(doubled === 0 ? [] : [`${name}: ${doubled} mails have two answers`]),
    ...(own.length === notes && senders === notes
      ? []
      : [`${name}: ${own.length} late notes to ${senders} senders, ${notes} were owed`]),
    ...(outOfOrder === 0 ? [] : [`${name}: ${outOfOrder} answers were out of order`]),
  ];
  return { mails: ids.length, answered, doubled, late_notes: own.length, out_of_order: outOfOrder, problems };
}
