import type { LoadedRun, NewJob } from '../../storage/store.ts';
import type { EndDecision } from '../loop/loop.ts';
import type { LoopState } from '../loop/state.ts';

/** Ends that only the owner can do something about, although the sender has an answer. */
const OWNERS_MATTER: ReadonlySet<string> = new Set(['provider', 'unparsable', 'repeated_crash']);

/** What the owner hears of a run's end: one notice per run that went wrong, one a day of a budget that is spent. */
export function ownerAlerts(end: {
  loaded: LoadedRun;
  decision: EndDecision;
  state: LoopState;
  silenced: boolean;
  day: string;
  now: number;
}): readonly NewJob[] {
  const { decision } = end;
  if (decision.decision === 'FAIL') return [runNotice(end, 'Failed', 'A mail could not be answered')];
  if (decision.decision !== 'FINAL_PARTIAL' || end.silenced) return [];
  if (decision.reason === 'budget') return [budgetNotice(end)];
  return OWNERS_MATTER.has(decision.reason) ? [runNotice(end, 'Incomplete', 'A mail was answered only in part')] : [];
}

function runNotice(end: Parameters<typeof ownerAlerts>[0], label: string, what: string): NewJob {
  const { loaded, decision, now } = end;
  const { run, message } = loaded;
  const text = [
    `${what}: ${decision.reason}.`,
    '',
    `From: ${message.from_address ?? 'unknown'}`,
    `Subject: ${message.subject}`,
    `Run: ${run.id}`,
    '',
    `See \`epistle runs show ${run.id}\` for what happened.`,
  ].join('\n');
  return {
    id: `notice:run_failed:${run.id}`,
    kind: 'notice',
    due_at: now,
    payload: { subject: `${label}: ${message.subject}`, text },
  };
}

/** The id is the purpose of the mail, and a purpose is mailed once: one notice a day, however many runs end so. */
function budgetNotice({ loaded, state, day, now }: Parameters<typeof ownerAlerts>[0]): NewJob {
  const text = [
    `A budget of this persona is spent: ${state.budgetSpent ?? 'budget'}.`,
    '',
    `The sender of the mail below was told that the answer is not complete. Where the budget is one of the day, later`,
    `mail of ${day} is recorded and not answered, unless the budget is raised in persona.json.`,
    '',
    `From: ${loaded.message.from_address ?? 'unknown'}`,
    `Subject: ${loaded.message.subject}`,
    `Run: ${loaded.run.id}`,
  ].join('\n');
  return { id: `notice:budget:${day}`, kind: 'notice', due_at: now, payload: { subject: 'A budget is spent', text } };
}
