import { sql } from 'kysely';
import { asFlag, eachNumber, inOrderOf, joined, lookingUp } from '../../dialect.ts';
import { writtenAt } from '../../search/written-at.ts';
import type { Tier, Viewer } from '../../types/mail.ts';
import type { Episode } from '../../types/recall.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import { isShared } from '../database/seen-by.ts';
import { referencesOf } from '../persona/schema/rows.ts';
import type { Reader, Row } from '../persona/schema/tables.ts';
import { isFoundBy, isTakenBack } from './found.ts';

type Told = Pick<
  Row<'messages'>,
  | 'seq'
  | 'message_id'
  | 'thread_id'
  | 'direction'
  | 'from_address'
  | 'from_name'
  | 'subject'
  | 'tier'
  | 'in_reply_to'
  | 'references_json'
  | 'forwarded_text'
  | 'new_text'
  | 'date'
  | 'received_at'
> & {
  /** All of its text, where its sender wrote nothing besides. */
  readonly whole: string | null;
  readonly taken_back: number;
  /** Of the run that wrote it and was shown no words of others, if a mail began it. */
  readonly clean_tier: string | null;
  readonly clean_sender: string | null;
  /** Ids of what came with it and can be read, with commas between them. */
  readonly files: string;
};

/** What JavaScript trims. */
const WHITE = sql.lit(
  String.fromCodePoint(
    9,
    10,
    11,
    12,
    13,
    32,
    160,
    5760,
    8192,
    8193,
    8194,
    8195,
    8196,
    8197,
    8198,
    8199,
    8200,
    8201,
    8202,
    8232,
    8233,
    8239,
    8287,
    12288,
    65279,
  ),
);

const cleanRun = sql`from runs r where m.direction = 'out' and m.clean = 1 and r.id = m.run_id and r.kind = 'message'`;

// Not the row as it is: most of it is what a mail quotes, and what a model was shown of it. Of a forward only that there is one.
const columns = sql`m.seq, m.message_id, m.thread_id, m.direction, m.from_address, m.from_name, m.subject, m.tier,
  m.in_reply_to, m.references_json, substr(m.forwarded_text, 1, 1) as forwarded_text, m.new_text, m.date, m.received_at,
  case when trim(m.new_text, ${WHITE}) = '' then m.text end as whole, ${asFlag(isTakenBack)} as taken_back,
  (select r.tier ${cleanRun}) as clean_tier, (select r.sender ${cleanRun}) as clean_sender,
  coalesce((select ${joined(sql`id`)} from
    (select id from attachments where message = m.id and unreadable is null order by position) as f), '') as files`;

const at = (seqs: unknown, by: Parameters<typeof isFoundBy>[0]) => sql<Told>`
    select ${columns} from ${eachNumber(seqs, 'one')} ${lookingUp} messages m on m.seq = one.value
    where ${isFoundBy(by)} ${inOrderOf('one')}`;
const ofOwner = compiledQuery<{ seqs: string }>()((_: Reader, $) => at($.seqs, null));
const ofViewer = compiledQuery<{ seqs: string; address: string; threadId: string | null }>()((_: Reader, $) =>
  at($.seqs, $),
);

/**
 * Messages of these places that the viewer may see, each asked for by itself, in the order of the places. For several
 * at once nothing is recalled.
 */
export async function episodesAt(db: Reader, seqs: readonly number[], viewer: Viewer): Promise<readonly Episode[]> {
  if (seqs.length === 0 || isShared(viewer)) return [];
  const places = { seqs: JSON.stringify(seqs) };
  const { rows } = await (viewer === null
    ? ofOwner(db, places)
    : ofViewer(db, { ...places, address: viewer.address, threadId: viewer.threadId }));
  return rows.map((row) => {
    const { references_json, whole, taken_back, clean_tier, clean_sender, date, received_at, files, ...told } = row;
    return {
      ...told,
      references: referencesOf({ references_json }),
      new_text: whole ?? told.new_text,
      own_words: whole === null,
      taken_back: taken_back === 1,
      clean_for: clean_tier === null ? null : { tier: clean_tier as Tier, sender: clean_sender },
      written_at: writtenAt({ date, received_at }),
      attachments: files === '' ? [] : files.split(','),
    };
  });
}
