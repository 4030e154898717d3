import type { Persona } from '../../config/types.ts';
import type { RegisteredTool, Registry } from '../../extensions/types.ts';
import type { Language } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { matchesPattern } from '../../mail/mime/address.ts';
import { inEach, notice } from '../../record/jobs/notice-job.ts';
import type { LoopState } from '../../record/state.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { Approval, ApprovalState } from '../../storage/types/approvals.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import { isAbout, isReplaced, membersOf } from '../../suspensions/members.ts';
import type { EndDecision } from '../loop/end.ts';
import { leftUndone } from './receipt/receipt.ts';

/** States of an approval that only follow a yes. Of an effect that nobody can be sure of owners hear by itself. */
const AGREED: ReadonlySet<ApprovalState> = new Set<ApprovalState>([
  'approved',
  'executing',
  'executed',
  'failed',
  'stale',
]);

/**
 * What owners hear of a yes of theirs that came to nothing: the file was gone by then, an earlier call had failed, the tool
 * refused. Whoever asked reads it below the answer; without this an owner would take it for done.
 */
export function inVainNotices(end: {
  readonly loaded: LoadedRun;
  readonly persona: Pick<Persona, 'owners' | 'language'>;
  readonly tools: Pick<Registry<RegisteredTool>, 'get'>;
  readonly state: Pick<LoopState, 'outcomes' | 'pending' | 'toolTurns'>;
  readonly decision: EndDecision | null;
  readonly now: number;
}): readonly NewJob[] {
  const { loaded, persona, decision, now } = end;
  const { approvals, run, message } = loaded;
  if (!approvals.some(({ state }) => AGREED.has(state)) || readsTheAnswer(end)) return [];
  // Who cancelled it knows of that.
  if (decision?.decision === 'FAIL' && decision.reason === 'cancelled') return [];
  const linesIn = (language: Language) => leftUndone(end, language, (callId) => hasYes(approvals, callId));
  if (linesIn(persona.language) === '') return [];
  const by = message.from_address ? ` (${message.from_address})` : '';
  const payload = inEach(persona.language, (language) => ({
    subject: say(language, 'inVain.subject', { about: message.subject }),
    text: say(language, 'inVain.text', {
      about: `${say(language, 'receipt.quote', { text: message.subject })}${by}`,
      lines: linesIn(language),
    }),
  }));
  return [notice.job({ id: `notice:in_vain:${run.id}`, due_at: now, payload })];
}

function hasYes(approvals: readonly Approval[], callId: string): boolean {
  const last = approvals.findLast((row) => (isAbout(row, callId) || isStepOf(row, callId)) && !isReplaced(row));
  return last !== undefined && last.decided_at !== null && AGREED.has(last.state);
}

/** Steps of a plan that the model itself proposed have ids that begin with that of its call. */
const isStepOf = (row: Approval, callId: string): boolean =>
  row.kind === 'plan' && membersOf(row).length === 0 && callId.startsWith(`${row.call_id}.`);

/** The only owner who could have agreed is who gets the answer, which says it. */
function readsTheAnswer({ loaded: { run }, persona: { owners } }: Parameters<typeof inVainNotices>[0]): boolean {
  const [owner, ...others] = owners;
  return run.tier === 'owner' && others.length === 0 && owner !== undefined && matchesPattern(run.sender ?? '', owner);
}
