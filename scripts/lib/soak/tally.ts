import { join } from 'node:path';
import { addressOf } from './letters.ts';
import { answeredWith, checkDatabases, checkRows, folderOf, look, type Say, temporaryFiles } from './rows.ts';
import type { Sent } from './sender.ts';

/** A mail that left the gateway, wherever it went. */
export interface Left {
  readonly from: string;
  readonly messageId: string;
  readonly inReplyTo: string | null;
  readonly bytes: string;
}

export interface Tally {
  /** Mails times personas that were acknowledged; each is owed one answer. */
  readonly accepted: number;
  readonly answered: number;
  readonly lost: number;
  readonly doubled: number;
  /** Mails that were offered again and recorded as duplicates. */
  readonly duplicates: number;
  /** Answers that left more than once under one Message-ID, as SMTP allows after an unknown end. */
  readonly copies: number;
  /** Answers that say they are not complete, by reason. */
  readonly partial: Readonly<Record<string, number>>;
  readonly temporary_files: number;
  readonly problems: readonly string[];
}

/** Compares what the senders were promised with what lies on disk and what left. The gateway is not running. */
export function tally(root: string, sent: readonly Sent[], left: readonly Left[]): Tally {
  const problems: string[] = [];
  const say: Say = (problem) => void problems.push(problem);
  for (const { letter, refusal } of sent) if (refusal !== null) say(`${letter.messageId} was refused: ${refusal}`);
  const together = new Map<string, ReadonlyMap<string, string>>();
  for (const persona of new Set(sent.flatMap(({ letter }) => letter.personas)))
    together.set(persona, answeredWith(root, persona));
  const sums = countAnswers(sent, left, say, (persona, id) => together.get(persona)?.get(id) ?? null);
  checkDatabases(root, say);
  checkOutbox(root, sent, left, say);
  return { ...sums, ...checkRows(root, sent, say), temporary_files: temporaryFiles(root, say), problems };
}

/** What became of every promise that was made by a 250. */
export function countAnswers(
  sent: readonly Sent[],
  left: readonly Left[],
  say: Say,
  /** The mail of the same sender that it is answered with; null: it has an answer of its own. */
  withWhich: (persona: string, messageId: string) => string | null = () => null,
) {
  const answers = Map.groupBy(left, (mail) => `${mail.inReplyTo} ${mail.from}`);
  const sums = { accepted: 0, answered: 0, lost: 0, doubled: 0, copies: 0 };
  const owed = sent
    .filter(({ acknowledged }) => acknowledged > 0)
    .flatMap(({ letter }) => letter.personas.map((persona) => ({ messageId: letter.messageId, persona })));
  for (const { messageId, persona } of owed) {
    const own = answers.get(`${messageId} ${addressOf(persona)}`) ?? [];
    const other = withWhich(persona, messageId);
    const got = other === null ? own : [...own, ...(answers.get(`${other} ${addressOf(persona)}`) ?? [])];
    const ids = new Set(got.map((mail) => mail.messageId)).size;
    const versions = new Set(got.map(({ bytes }) => bytes)).size;
    sums.accepted += 1;
    sums.answered += ids === 0 ? 0 : 1;
    sums.lost += ids === 0 ? 1 : 0;
    sums.doubled += ids > 1 ? 1 : 0;
    sums.copies += other === null ? got.length - ids : 0;
    if (ids !== 1) say(`${messageId} has ${ids} answers of ${persona}`);
    if (versions > ids) say(`the answer of ${persona} to ${messageId} left in ${versions} versions`);
  }
  return sums;
}

/** What the outbox says it sent, once or once more, is what was heard. */
function checkOutbox(root: string, sent: readonly Sent[], left: readonly Left[], say: Say): void {
  const heard = new Map<string, number>();
  for (const { messageId } of left) heard.set(messageId, (heard.get(messageId) ?? 0) + 1);
  const personas = new Set(sent.flatMap(({ letter }) => letter.personas));
  for (const persona of personas) {
    look(join(folderOf(root, persona), 'persona.db'), (database) => {
      const rows = database
        .prepare<[], { message_id: string; state: string; last_error: string | null }>(
          'select message_id, state, last_error from outbox',
        )
        .all();
      for (const { message_id, state, last_error } of rows) {
        const times = heard.get(message_id) ?? 0;
        const allowed = last_error === 'resent_after_unknown' ? 2 : 1;
        if (state === 'sent' && times === 0) say(`${message_id} counts as sent and was never heard`);
        if (times > allowed) say(`${message_id} was heard ${times} times, ${last_error ?? 'without a reason'}`);
      }
    });
  }
}
