import type { LoadedRun, NewJob } from '../../storage/store.ts';
import type { EndDecision } from '../loop/loop.ts';
import type { LoopState } from '../loop/state.ts';

/** Ends that only the owner can do something about, although the sender has an answer. */
const OWNERS_MATTER: ReadonlySet<string> = new Set(['provider', 'unparsable', 'repeated_crash']);

/**
 * What the owner hears of a run's end: one notice per run that went wrong or left an effect that nobody can be sure
 * of, one a day of a budget that is spent.
 */
export function ownerAlerts(end: {
  loaded: LoadedRun;
  decision: EndDecision | null;
  state: LoopState;
  day: string;
  now: number;
}): readonly NewJob[] {
  const { decision } = end;
  if (decision === null) return [];
  // Of a task's failures its owners hear once per incident, from the schedule.
  if (end.loaded.task && !(decision.decision === 'FINAL_PARTIAL' && decision.reason === 'budget'))
    return unknownEffects(end);
  const because = `: ${decision.reason}.`;
  // Who cancelled it knows of that.
  if (decision.decision === 'FAIL' && decision.reason === 'cancelled')
    return unknownEffects(end, 'A run was cancelled.');
  if (decision.decision === 'FAIL') return [runNotice(end, 'Failed', `A mail could not be answered${because}`)];
  const isPartial = decision.decision === 'FINAL_PARTIAL';
  if (isPartial && decision.reason === 'budget') return [budgetNotice(end), ...unknownEffects(end)];
  if (isPartial && OWNERS_MATTER.has(decision.reason))
    return [runNotice(end, 'Incomplete', `A mail was answered only in part${because}`)];
  return unknownEffects(end);
}

const unknownTools = ({ outcomes }: LoopState): string =>
  [...new Set(outcomes.filter(({ code }) => code === 'side_effect_unknown').map(({ tool }) => tool))].join(', ');

/** Only a person can look whether it was done; the sender may not even know what a tool is. */
function unknownEffects(end: Parameters<typeof ownerAlerts>[0], what = 'A mail was answered.'): readonly NewJob[] {
  return unknownTools(end.state) === '' ? [] : [runNotice(end, 'Unknown effect', what)];
}

const FAILED = 'got no answer, or only a part of one';

function runNotice(end: Parameters<typeof ownerAlerts>[0], label: string, what: string): NewJob {
  const { loaded, state, now } = end;
  const reason = end.decision?.reason ?? 'unknown';
  const { run, message } = loaded;
  const unknown = unknownTools(state);
  const text = [
    what,
    ...(unknown === ''
      ? []
      : [
          '',
          `The work broke off during a call of ${unknown}. It may or may not have taken effect; it was not repeated,`,
          'and will not be.',
        ]),
    '',
    `From: ${message.from_address ?? 'unknown'}`,
    `Subject: ${message.subject}`,
    `Run: ${run.id}`,
    '',
    `See \`epistle runs show ${run.id}\` for what happened; \`epistle runs retry ${run.id}\` tries it once more.`,
  ].join('\n');
  return {
    id: `notice:run_failed:${run.id}`,
    kind: 'notice',
    due_at: now,
    // Which call nobody can be sure of has to be told one by one.
    ...(unknown === '' ? { gather: { kind: `run_failed:${reason}` as const, did: FAILED } } : {}),
    payload: { subject: `${label}: ${message.subject}`, text },
  };
}

/** The id is the purpose of the mail, and a purpose is mailed once: one notice a day, however many runs end so. */
function budgetNotice({ loaded, state, day, now }: Parameters<typeof ownerAlerts>[0]): NewJob {
  if (state.budgetSpent === 'usd_per_day' || state.budgetSpent === 'runs_per_day') {
    const id = `waiting_notice:budget:${day}`;
    return { id, kind: 'waiting_notice', due_at: now, payload: { code: 'budget', window: day } };
  }
  const text = [
    `A budget of this persona is spent: ${state.budgetSpent ?? 'budget'}.`,
    '',
    'The sender of the mail below was told that the answer is not complete. The limit is `budget` in persona.json.',
    '',
    `From: ${loaded.message.from_address ?? 'unknown'}`,
    `Subject: ${loaded.message.subject}`,
    `Run: ${loaded.run.id}`,
  ].join('\n');
  return { id: `notice:budget:${day}`, kind: 'notice', due_at: now, payload: { subject: 'A budget is spent', text } };
}
