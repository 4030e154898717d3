import type { JsonObject } from '#contract';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { type Approval, argumentsOf } from '../../storage/types/approvals.ts';
import { ASKED } from '../../suspensions/kinds.ts';
import { textOf } from './texts.ts';

/** What owners have said in this run: their answers to its questions, and what they put into calls that they edited. */
export function ownersWords(approvals: readonly Approval[]): string[] {
  const answers = approvals.flatMap(({ kind, reason, decided_by }) =>
    ASKED[kind].answeredBy === 'words' && reason !== null && decided_by !== null ? [withoutAsked(reason)] : [],
  );
  const edits = approvals.flatMap((row, at) => {
    if (row.state !== 'stale' || row.reason !== 'edited') return [];
    const next = approvals.slice(at + 1).find(({ call_id }) => call_id === row.call_id);
    return next === undefined ? [] : changedIn(argumentsOf(row), argumentsOf(next));
  });
  return [...answers, ...edits];
}

/** Answers that earlier builds took in hold lines of the question that stood above them. */
const withoutAsked = (words: string): string => words.replace(/^[ \t]*>.*$/gm, '');

function changedIn(before: JsonObject, after: JsonObject): string[] {
  const was = new Map(Object.entries(before).map(([name, value]) => [name, canonicalJson(value)]));
  return Object.entries(after).flatMap(([name, value]) =>
    was.get(name) === canonicalJson(value) ? [] : [textOf(value)],
  );
}
