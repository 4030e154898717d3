import { headerValues, readHeaders } from '../../mail/mime/headers.ts';
import type { PayloadOf } from '../../record/events.ts';
import { taskOf } from '../../record/trigger.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { StoredMessage } from '../../storage/types/mail.ts';
import type { OutboxMode } from '../../storage/types/outbox.ts';
import type { LoopEnd } from '../loop/end.ts';
import type { LoopRun } from '../loop/loop-run.ts';
import { freezeCalls, holdForApproval } from '../respond/hold.ts';
import { askingOf, isEmpty, type Receipt, type ReceiptRecord, receiptAgain } from '../respond/receipt/receipt.ts';
import type { ReplyRecipients } from '../respond/recipients.ts';
import { carriesFiles, filesOf } from '../respond/recipients.ts';
import { keptInOrder, type ReplyHeaders } from '../respond/reply-rows.ts';
import {
  answerWords,
  composeReply,
  dataOf,
  inDrafts,
  replyEnvelope,
  undoneOf,
  type Voice,
  withCopied,
} from '../respond/respond.ts';
import { endOf, isNothing, isWholeAnswer, saidIn, taskUnsaid, UNSAID } from '../respond/texts.ts';
import type { RecordedLease } from './record.ts';

/** The answer on record: its row, its sender, its bytes and when it was written. */
export interface AnswerOnRecord {
  readonly message: Pick<
    StoredMessage,
    'id' | 'message_id' | 'from_name' | 'to' | 'cc' | 'subject' | 'in_reply_to' | 'references'
  >;
  readonly envelopeFrom: string;
  readonly raw: Uint8Array;
  readonly at: number;
}

interface Ending {
  readonly loaded: LoadedRun;
  readonly answer: AnswerOnRecord | null;
  readonly recursionSecret: string;
  readonly claim: RecordedLease;
  readonly run: LoopRun;
  readonly artifacts: Pick<Blobs, 'get'>;
}

/** What follows the loop, once more: owners are asked, or the run ends; the bytes of its mail, where it wrote one. */
export async function endAgain(ending: Ending, end: LoopEnd): Promise<Uint8Array | null> {
  if (end.kind === 'wait' || end.kind === 'defer' || end.kind === 'further') return null;
  if (end.kind === 'held') {
    await holdForApproval({ ...heldBy(ending), persona: { owners: [] }, calls: end.calls, isTold: false });
    return null;
  }
  const { loaded, answer, run, claim } = ending;
  const { decision } = end;
  const before = silenceOnRecord(claim) ?? (taskOf(loaded) ? taskUnsaid(decision, run.state) : null);
  // A child run writes nobody, and has its receipt all the same.
  const recipients = answer ? { to: answer.message.to, cc: answer.message.cc } : { to: [], cc: [] };
  const receipt = before ? NO_RECEIPT : receiptOf(ending, end, recipients);
  const unsaid = before ?? (isNothing(decision) && isEmpty(receipt) ? UNSAID : null);
  const mail = unsaid || !answer ? null : await composedAgain(ending, answer, end, { receipt, recipients });
  const { outcome, code } = endOf(decision, receipt);
  if (mail) {
    const { message_id } = mail.message;
    const voice = voiceOnRecord(claim);
    const { kind } = envelopeOf(loaded, answer as AnswerOnRecord, voice);
    const outbox_id = answer?.message.id;
    const more = { ...inDrafts(modeOnRecord(claim)), ...withCopied(copiesOnRecord(claim)) };
    run.recorder.event('reply_committed', { outbox_id, message_id, kind, outcome, voice, ...more });
  }
  if (!unsaid) freezeCalls({ ...heldBy(ending), calls: end.asks });
  const status = decision.decision === 'FAIL' ? 'failed' : 'done';
  run.recorder.event('run_ended', unsaid ?? { status, outcome, code });
  return mail?.mail?.row.raw ?? null;
}

const heldBy = ({ run, loaded }: Ending) => ({
  recorder: run.recorder,
  loaded,
  top: loaded.run,
  artifacts: { put: () => '' },
  ids: { next: () => '', random: () => '' },
  now: 0,
  approvals: {
    ...{ ttl_hours: 1, reminder_hours: 1, batch_window_s: 0 },
    ...{ own_words: 'ask' as const, answer: 'after' as const, offer_rule: false },
  },
});

const OUTSIDE = new Set(['silent:budget', 'silent:no_reply_sender', 'silent:taken_by_person', 'silent:taken_back']);

/** Whether anybody could be answered, and whether a budget's one word was said already, lay outside the run. */
function silenceOnRecord({ written }: RecordedLease): PayloadOf<'run_ended'> | null {
  const ended = written.first('run_ended')?.data;
  return ended && OUTSIDE.has(ended.outcome) ? ended : null;
}

const PLAIN: Voice = { language: 'en', signature: null, timezone: 'UTC' };

const voiceOnRecord = ({ written }: RecordedLease): Voice => written.first('reply_committed')?.data.voice ?? PLAIN;

const modeOnRecord = ({ written }: RecordedLease): OutboxMode => written.first('reply_committed')?.data.mode ?? 'send';

/** Which rules held then, and what stood in the way of them, is told by rows that may be others by now. */
const copiesOnRecord = ({ written }: RecordedLease) => written.first('reply_committed')?.data.copies;

type Ended = Extract<LoopEnd, { kind: 'ended' }>;

/** What is said below the answer of what was done, on record as it was. */
function receiptOf(
  { loaded, run, claim }: Ending,
  { decision, gated, asks }: Ended,
  recipients: ReplyRecipients,
): Receipt {
  const { state, approvals } = run;
  const said = saidIn(decision, state, gated);
  const recorded: ReceiptRecord | undefined = claim.written.first('receipt')?.data;
  const mail = {
    said,
    isWhole: isWholeAnswer(decision, said),
    carries: carriesFiles(decision, recipients),
    asking: askingOf(asks, run.settings),
    ...undoneOf(gated),
    ...dataOf(gated, recorded?.data_until?.zone ?? PLAIN.timezone),
  };
  const receipt = recorded ? receiptAgain(recorded, { loaded, state, approvals }, mail) : NO_RECEIPT;
  if (receipt.record) run.recorder.event('receipt', receipt.record);
  return receipt;
}

/** The answer from the text that the loop ended with; ids, recipients and hour are those on record. */
async function composedAgain(
  ending: Ending,
  answer: AnswerOnRecord,
  end: Ended,
  { receipt, recipients }: { readonly receipt: Receipt; readonly recipients: ReplyRecipients },
) {
  const { loaded, run, claim, recursionSecret, artifacts } = ending;
  const { decision, gated } = end;
  const voice = voiceOnRecord(claim);
  const { message, envelopeFrom } = answer;
  const said = saidIn(decision, run.state, gated);
  const { state } = run;
  const meantFor = run.settings.targets[0];
  return composeReply(
    {
      loaded,
      persona: { name: message.from_name, address: envelopeFrom, mailbox: null, ...voice },
      ids: { next: () => message.id, random: () => '' },
      now: answer.at,
      domain: message.message_id.slice(message.message_id.lastIndexOf('@') + 1, -1),
      recursionSecret,
      state: run.state,
      files: await filesOf({ artifacts, state, decision }, recipients),
      mode: modeOnRecord(claim),
      purpose: 'final',
      namesItself: namesItself(answer),
      keepsOrder: keptInOrder(answer.raw),
    },
    answerWords(decision, receipt, {
      said,
      missing: gated?.missing ?? [],
      task: taskOf(loaded),
      state,
      meantFor,
      approvals: run.approvals,
    }),
    recipients,
    envelopeOf(loaded, answer, voice),
  );
}

function namesItself({ raw, message }: AnswerOnRecord): boolean {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  return headerValues(readHeaders(bytes).lines, 'references').some((ids) => ids.includes(message.message_id));
}

const NO_RECEIPT: Receipt = { language: 'en', text: '', record: null, made: 0 };

/** A task's mail lies where the conversation stood at that time, which its own row still says. */
const envelopeOf = ({ trigger, message }: LoadedRun, answer: AnswerOnRecord, voice: Voice): ReplyHeaders =>
  trigger.kind === 'task'
    ? {
        kind: 'task',
        subject: answer.message.subject,
        inReplyTo: answer.message.in_reply_to,
        references: answer.message.references,
        quote: null,
      }
    : replyEnvelope(message, voice);
