import type { Office } from '../office.ts';
import type { Chain } from './chain.ts';

interface Told {
  readonly message_id: string;
  readonly type: string;
  readonly text: string;
}

const MAX_LINE = 400;

/** All that is on record of the mails, calls, questions and answers of one chain, in its order. */
export function transcriptOf({ query }: Pick<Office, 'query'>, { names }: Pick<Chain, 'names'>): readonly string[] {
  const mine = (column: string) => `${column} like '%-${names.n}@%'`;
  const runs = `select id from runs where ${mine('message_id')} or parent_run_id in
    (select id from runs where ${mine('message_id')}) or message_id like '%p${names.n}%' or message_id like '%d${names.n}%'`;
  return query<Told>(
    `select r.message_id, e.type, e.payload_json as text from run_events e join runs r on r.id = e.run_id
     where e.run_id in (${runs}) and e.type in ('model_call', 'permission', 'observation', 'run_ended', 'gather_part', 'playbook_selected', 'child_started')
     order by r.created_at, e.run_id, e.seq`,
  ).map(({ message_id: id, type, text }) => `${id} ${type} ${text}`.slice(0, MAX_LINE));
}
