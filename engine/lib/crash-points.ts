/**
 * Places where a test may kill the process. The first group is passed by a mail with one read call that is
 * answered into `data/outgoing/`; the second needs a real mailbox or another path.
 */
export const CRASH_POINTS = [
  'accept.raw_written',
  'accept.wakeup_bumped',
  'accept.committed',
  'accept.seen',
  'dispatch.claimed',
  'run.context_committed',
  'run.model_replied',
  'run.step_intended',
  'run.tool_executed',
  'run.step_committed',
  'run.finished',
  'dispatch.lowered',
  'outbox.claimed',
  'outbox.handed_over',
  'outbox.recorded',
] as const;

/** Passed right after the commit that holds an event of that type, once per commit and type. */
export const EVENT_CRASH_POINTS = [
  'run.event.run_queued',
  'run.event.run_started',
  'run.event.context_built',
  'run.event.model_call_started',
  'run.event.model_call_ended',
  'run.event.decision',
  'run.event.permission',
  'run.event.tool_call_intended',
  'run.event.tool_call_ended',
  'run.event.observation',
  'run.event.approval_requested',
  'run.event.approval_decided',
  'run.event.receipt',
  'run.event.reply_committed',
  'run.event.run_ended',
] as const;

export const OTHER_CRASH_POINTS = [
  'active.begun',
  'active.written',
  'imap.received',
  'imap.cursor_saved',
  'login.renewed',
  'login.kept',
  'log_in.asked',
  'log_in.recorded',
  'log_in.handed_over',
  'log_in.settled',
  'outbox.sent_copy',
  'overview.changed',
  'overview.read',
  'overview.kept',
  'draft.ended',
  ...EVENT_CRASH_POINTS,
  'run.event.deferred',
  'run.event.mail_taken_in',
  'run.event.call_waits',
  'run.event.calls_taken_up',
  'deferred.parked',
  'deferred.taken_up',
  'deferred.told',
  'index.files_read',
  'index.files_taken_in',
  'learning.outcome',
  'learning.pinned',
  'learning.scenario',
  'refine.begun',
  'refine.made',
  'memory.begun',
  'memory.learned',
  'closing.begun',
  'closing.made',
  'summary.begun',
  'summary.made',
  'relay.told',
  'resume.switched',
  'senders.asked',
  'senders.decided',
  'senders.rules_written',
  'senders.taken_in',
  'settings.begun',
  'settings.journal_prepared',
  'settings.journal_written',
  'settings.file_prepared',
  'settings.file_written',
  'settings.written',
  'settings.journal_removed',
  'task.due',
  'task.committed',
  'tools.asked',
  'tools.decided',
  'tools.pinned',
  'undo.made',
  'undo.settled',
  'weekly.asked',
  'weekly.switched',
] as const;

/** Every type of event has a label of its own, passed like those above. */
export type CrashPoint = (typeof CRASH_POINTS)[number] | (typeof OTHER_CRASH_POINTS)[number] | `run.event.${string}`;

/** Called at each point; kills the process with SIGKILL at the one that a test has chosen. */
export type PassCrashPoint = (point: CrashPoint) => void;

export const passThrough: PassCrashPoint = () => {};

/** `spec` is `<label>[:n]`: die at the n-th passing of the label. */
export function crashAt(spec: string, die: () => void): PassCrashPoint {
  const [label, nth] = spec.split(':');
  let passings = 0;
  return (point) => {
    if (point !== label) return;
    passings += 1;
    if (passings === Number(nth ?? 1)) die();
  };
}
