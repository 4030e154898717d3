/** States and events as tables say them to people; `--json` has the names that other people's scripts rely on. */

/** A name without words here (of a later version, of an extension) is said as it is, without its underscores. */
const said = (words: Readonly<Record<string, string>>, name: string): string =>
  words[name] ?? name.replaceAll('_', ' ');

const APPROVALS: Readonly<Record<string, string>> = {
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

const QUESTIONS: Readonly<Record<string, string>> = {
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

const RUNS: Readonly<Record<string, string>> = {
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

const LEAVING: Readonly<Record<string, string>> = {
  queued: 'waits to be sent',
  sending: 'being sent',
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
  unparsable: 'it is built wrongly',
  mime_limit: 'it has too many parts',
};

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
  approval_edited: 'changed',
  approval_state: 'went on',
  approval_closed: 'closed',
  approval_refused: 'answer not taken',
  undo_requested: 'to be taken back',
  undo: 'taken back',
  tool_call_denied: 'not allowed',
  again_asked: 'done once more, or switched',
  thread_taken: 'a person answers in a conversation',
  thread_given: 'the persona answers in it again',
  tools_decided: 'tools of a server',
  own_words_decided: 'own words offered',
};
export const eventInWords = (event: string): string => said(EVENTS, event);

const ACTORS: Readonly<Record<string, string>> = {
  engine: 'Epistle',
  policy: 'the rules',
  timer: 'time ran out',
  cli: 'a command here',
  unproven: 'somebody unproven',
};
export const actorInWords = (actor: string): string => ACTORS[actor] ?? actor;

const VERDICTS: Readonly<Record<string, string>> = {
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
