import type { Ids } from '../../lib/ids.ts';
import type { Playbook } from '../../record/codec/playbook.ts';
import type { LearnedChange } from '../../record/codec/refined.ts';
import { learnedDigestJob } from '../../record/jobs/job-kinds.ts';
import type { EndedRefinement } from '../../storage/ports/learning/refinements.ts';
import type { UndoItem } from '../../storage/types/approvals.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import type { PlaybookVersion } from '../../storage/types/learning/playbooks.ts';
import { LEARNED } from '../../storage/types/learning/refinements.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import { emptyPlaybook, type RefineSubject } from './subject.ts';

/** How long owners can take a change back by answering the mail about it; with `learn use` at any time. */
const UNDO_MS = 30 * 86_400_000;

/**
 * What an accepted playbook becomes: a version beside the one before, where there is none beside an empty one, so that
 * there is always something to go back to; and what tells the owners, unless they have chosen a version. Pure but for ids.
 */
export function acceptedAs(of: {
  readonly subject: RefineSubject;
  readonly playbook: Playbook;
  readonly from: number;
  readonly to: number;
  /** The number of the newest version of the kind; 0: there is none. */
  readonly newest: number;
  readonly run: Pick<StoredRun, 'id' | 'thread_id'>;
  readonly ids: Ids;
  readonly now: number;
}): Pick<EndedRefinement, 'versions' | 'undo'> & { readonly number: number; readonly jobs: readonly NewJob[] } {
  const { subject, from, to, newest, ids, now } = of;
  const { kind, examples } = subject;
  const tainted = examples.some((example) => example.tainted) ? 1 : 0;
  const made = { kind, created_at: now };
  const empty: PlaybookVersion = {
    ...{ ...made, id: ids.next(), number: 1, parent_id: null, playbook_json: JSON.stringify(emptyPlaybook(kind)) },
    ...{ origin: 'empty', tainted: 0, score: 0 },
  };
  const parent = subject.parent ?? empty;
  const number = Math.max(newest, parent.number) + 1;
  const playbook = { ...of.playbook, meta: { ...of.playbook.meta, version: number } };
  const version: PlaybookVersion = {
    ...{ ...made, id: ids.next(), number, parent_id: parent.id, playbook_json: JSON.stringify(playbook) },
    ...{ origin: 'refined', tainted, score: to },
  };
  const change: LearnedChange = {
    ...{ kind, from: parent.number, to: number, from_score: from, to_score: to, former_id: parent.id },
  };
  const item: UndoItem = {
    ...{ id: ids.next(), run_id: of.run.id, thread_id: of.run.thread_id, call_id: version.id, tool: LEARNED },
    ...{ arguments: { ...change }, result: null, state: 'open', number: null, notice_id: null, decided_by: null },
    ...{ until: now + UNDO_MS, created_at: now, updated_at: now },
  };
  const isTold = !subject.isPinned;
  return {
    ...{ number, versions: subject.parent === null ? [empty, version] : [version] },
    ...{ undo: isTold ? [item] : [], jobs: isTold ? [learnedDigestJob(now)] : [] },
  };
}
