import type { ApprovalState, UndoItem } from '../storage/types/approvals.ts';
import type { OutboxState } from '../storage/types/outbox.ts';
import type { RunStatus } from '../storage/types/runs.ts';

/** States and events as tables and pages say them to people; `--json` has the names that other people's scripts rely on. */

/** A name without words here (of a later version, of an extension) is said as it is, without its underscores. */
const said = (words: Readonly<Record<string, string>>, name: string): string =>
  words[name] ?? name.replaceAll('_', ' ');

const APPROVALS: Readonly<Record<ApprovalState, string>> = {
  pending: 'waits for you',
  approved: 'approved',
  executing: 'approved, being done',
  executed: 'approved, done',
  failed: 'approved, failed',
  side_effect_unknown: 'approved, not known whether it was done',
  rejected: 'denied',
  expired: 'nobody answered in time',
  stale: 'not asked any more',
};

const QUESTIONS: Readonly<Record<ApprovalState, string>> = {
  ...APPROVALS,
  approved: 'answered',
  executing: 'answered',
  executed: 'answered',
  failed: 'answered',
  side_effect_unknown: 'answered',
};

/** `asksWords`: it was answered in an owner's own words, so nothing was approved. */
export const approvalInWords = (state: string, asksWords: boolean): string =>
  said(asksWords ? QUESTIONS : APPROVALS, state);

const UNDOS: Readonly<Record<UndoItem['state'], string>> = {
  open: 'can be taken back',
  undone: 'taken back',
  expired: 'cannot be taken back any more',
};
/** What became of something that could be taken back. */
export const undoInWords = (state: string): string => said(UNDOS, state);

const RUNS: Readonly<Record<RunStatus | 'deferred', string>> = {
  queued: 'waits its turn',
  running: 'at work',
  waiting_approval: 'waits for you',
  deferred: 'waits',
  done: 'done',
  failed: 'failed',
  cancelled: 'ended early',
};
export const runInWords = (status: string): string => said(RUNS, status);

const OUTCOMES: Readonly<Record<string, string>> = { final: 'answered', partial: 'answered in part' };
export const outcomeInWords = (outcome: string): string => said(OUTCOMES, outcome);

const LEAVING: Readonly<Record<OutboxState, string>> = {
  queued: 'waits to be sent',
  sending: 'being sent',
  sent: 'sent',
  failed: 'could not be sent',
  unknown: 'not known whether it was sent',
  dropped: 'taken back',
  draft: 'in Drafts',
  deleted: 'deleted from Drafts',
};
export const leavingInWords = (state: string): string => said(LEAVING, state);

const DECISIONS: Readonly<Record<string, string>> = {
  accepted: 'taken in',
  duplicate: 'came again',
  recorded: 'not answered',
  dead_letter: 'could not be read',
  deferred: 'waits',
};

const REASONS: Readonly<Record<string, string>> = {
  stop_command: 'an owner stopped or resumed the work',
  approval_answer: 'it answers a question',
  approval_not_authorised: 'it answers a question, and not of an owner',
  approval_token_invalid: 'it answers a question that there is not',
  approval_expired: 'it answers a question that is over',
  own_message: 'sent by the persona itself',
  log_in_mail: 'it is, or answers, a mail that lets somebody into the console',
  auto_submitted: 'written by a program',
  null_return_path: 'written by a program',
  no_reply_sender: 'its sender reads no answers',
  taken_back: 'whoever asked took it back',
  bounce: 'says that a mail did not arrive',
  delivery_report: 'says what became of a mail',
  read_receipt: 'says that a mail was read',
  mailing_list: 'from a mailing list',
  bulk: 'sent to many',
  calendar_reply: 'answers an invitation',
  reaction: 'a sign, no letter',
  hop_limit: 'went between personas too often',
  taken_by_person: 'a person answers in its conversation',
  loop_limit: 'too many mails went back and forth',
  sender_rate_limited: 'its sender wrote too much in an hour',
  sender_not_allowed: 'its sender is on no list',
  sender_denied: 'a rule keeps its sender out',
  auth_failed: 'nothing proves who wrote it',
  unknown_recipient: 'nobody has that address',
  persona_paused: 'its persona is paused',
  persona_stopped: 'its persona was stopped',
  persona_error: 'the files of its persona are wrong',
  provider_unavailable: 'the model does not answer',
  provider_setup: 'the model has to be set up',
  request_failed: 'the model failed at it',
  budget: 'the budget is used up',
  auth: 'the key is refused (401)',
  unparsable: 'it is built wrongly',
  not_handed_over: 'its server did not hand it over',
  mime_limit: 'it has too many parts',
};

const TASK_TIMES: Readonly<Record<string, string>> = {
  due: 'to come',
  ran: 'done',
  skipped: 'left out',
  missed: 'missed',
  queued: 'waits',
  failed: 'failed',
};

const TASK_REASONS: Readonly<Record<string, string>> = {
  too_old: 'the gateway was not running, and then it was too late for it',
  late: 'the gateway was not running at that time',
  superseded: 'the gateway was not running; a later time was made up for instead',
  too_many: 'the gateway was not running for very long',
  outside_window: 'outside the hours that its file allows',
  overlap: 'the run before it was not over',
  queue_full: 'too many runs of it waited already',
  paused: 'it was paused',
  condition: 'its condition did not hold',
  by_hand: 'started by hand',
  waiting_approval: 'a question of it waits for you',
  cancelled: 'somebody ended it',
};

/** What became of a due time of a task, and why where there is something to say. */
export function taskTimeInWords(state: string, code: string | null): string {
  const became = said(TASK_TIMES, state);
  return code === null ? became : `${became}: ${TASK_REASONS[code] ?? said(REASONS, code)}`;
}

/** What became of a mail that came. */
export function cameInWords(decision: string, code: string | null): string {
  const became = said(DECISIONS, decision);
  return code === null || code === decision ? became : `${became}: ${said(REASONS, code)}`;
}

/** What the audit log calls what happened. */
const EVENTS: Readonly<Record<string, string>> = {
  sender_decided: 'who may write',
  approval_requested: 'asked',
  approval_decided: 'decided',
  decision_in_vain: 'decided too late',
  approval_edited: 'changed',
  approval_split: 'asked about one by one',
  approval_state: 'went on',
  approval_closed: 'closed',
  approval_refused: 'answer not taken',
  undo_requested: 'to be taken back',
  undo: 'taken back',
  tool_call_denied: 'not allowed',
  again_asked: 'done once more, or switched',
  mail_taken_in: 'a mail taken in after all',
  run_cancelled: 'ended before its time',
  run_retried: 'tried once more',
  thread_private: 'a conversation private, or not any more',
  forgotten: 'forgotten',
  budget_set: 'what a persona may spend',
  thread_taken: 'a person answers in a conversation',
  thread_given: 'the persona answers in it again',
  tools_decided: 'tools of a server',
  own_words_decided: 'own words offered',
  persona_paused: 'paused',
  persona_resumed: 'goes on',
  rule_kept: 'a rule is kept',
  rule_ended: 'a rule is ended',
  task_added: 'a task added',
  task_not_added: 'a task could not be added',
  task_run: 'a task run by hand',
  task_paused: 'a task paused',
  task_resumed: 'a task goes on',
  decision_taken_back: 'a decision taken back',
  mail_sent_again: 'a mail sent again',
  mail_given_up: 'a mail given up',
  letter_requeued: 'a mail read again',
  backup_begun: 'a backup begun',
  setting_changed: 'settings changed',
  setting_told_late: 'settings changed before the mail about it had left',
  setting_not_changed: 'settings could not be changed',
  console_log_in: 'came into the console',
  console_log_out: 'logged out of the console',
  console_session_ended: 'a session of the console ended',
  console_log_in_refused: 'log-in to the console refused',
  console_log_in_mailed: 'mailed a link to the console',
  console_passkey_added: 'a passkey for the console added',
  console_passkey_removed: 'a passkey for the console taken away',
};
export const eventInWords = (event: string): string => said(EVENTS, event);

const ACTORS: Readonly<Record<string, string>> = {
  engine: 'Epistle',
  policy: 'the rules',
  timer: 'time ran out',
  cli: 'a command here',
  command: 'a command here',
  unproven: 'somebody unproven',
};
export const actorInWords = (actor: string): string => ACTORS[actor] ?? actor;

const WAYS: Readonly<Record<string, string>> = {
  mail: 'by a mailed link',
  passkey: 'by a passkey',
  oidc: 'by another provider',
};

/** How somebody came into the console, where it was not by a link of its command; null: by that, or nobody came. */
export const wayInWords = (by: unknown): string | null => (typeof by === 'string' ? (WAYS[by] ?? null) : null);

const VERDICTS: Readonly<Record<string, string>> = {
  too_many: 'too many tries',
  too_many_mails: 'too many mails asked for',
  allow: 'let in',
  once: 'let in once',
  block: 'kept out',
  remove: 'rule taken back',
  undone: 'done',
  policy_requires_approval: 'needs an owner',
  policy_denied: 'by a rule',
  policy_rate_limited: 'too often',
  policy_quota_exceeded: 'over its limit',
  policy_scope_missing: 'not granted',
  approval_not_authorised: 'not by an owner',
};

/** What was decided there; of a question to an owner, whether it was answered. */
export const verdictInWords = (event: string, decision: string, asksWords: boolean): string =>
  VERDICTS[decision] ?? (event === 'undo' ? decision : approvalInWords(decision, asksWords));

const EXTENSIONS: Readonly<Record<string, string>> = {
  mcp: 'tool server',
  tool: 'tool',
  provider: 'model provider',
  resolver: 'part of the prompt',
  hook: 'hook',
};

export const extensionKindInWords = (kind: string): string => said(EXTENSIONS, kind);

const MAILBOXES: Readonly<Record<string, string>> = {
  connected: 'listens',
  retrying: 'tries to connect',
  auth_failed: 'login refused',
  needs_login: 'needs a login',
  disabled: 'is not read',
};

/** How the reading of a mailbox is. */
export const mailboxInWords = (state: string): string => said(MAILBOXES, state);

/** Why a mail was not taken in, or a run not gone on with. */
export const reasonInWords = (code: string): string => said(REASONS, code);
