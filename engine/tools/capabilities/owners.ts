import { EngineError, type OwnersCapability } from '#contract';
import { addressKey } from '../../mail/mime/address.ts';
import { piecesOf } from '../../mail/pieces/pieces-of.ts';
import { stretchOf } from '../../memory/facts/verbatim.ts';
import { asRead } from '../../policy/own-words/mail.ts';
import { questionName, withoutAsked } from '../../record/asked-in-words.ts';
import { type OwnerWords, ownerWords } from '../../record/jobs/job-kinds.ts';
import type { LoopState } from '../../record/state.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { Approval } from '../../storage/types/approvals.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import { isOfMail, type StoredRun } from '../../storage/types/runs.ts';

interface Options {
  readonly store: Pick<
    Store,
    'messageById' | 'ownerMail' | 'answersByMessageId' | 'answersOfNotice' | 'openApprovalsOfAll'
  >;
  readonly run: StoredRun;
  /** What owners were asked in this run. */
  readonly approvals: readonly Approval[];
  readonly outcomes: LoopState['outcomes'];
  /** Whether an owner's words are the answer to it. */
  isInWords(asked: Pick<Approval, 'kind'>): boolean;
  /** It was shown words of others: whose wish it is to hand something on is then not known. */
  isTainted(): boolean;
  stage(job: NewJob): void;
  now(): number;
}

/** Where a run has an owner's words from: their answer to a question of its own, or the mail that began it. */
type Source = { readonly by: string; readonly answer: Approval | null };

/** In place of the name of a question. */
const NONE = 'none';

const refuse = (message: string) => new EngineError('invalid_arguments', message);

/** Nothing of it is decided by what words mean: where they stand word for word says whose they are, and for whom they may be. */
export function createOwners(options: Options): OwnersCapability {
  const { store, run, approvals, outcomes, isInWords, isTainted, stage, now } = options;

  async function sourceOf(words: string): Promise<Source> {
    const answer = approvals.findLast(
      (row) =>
        isInWords(row) &&
        row.decided_by?.includes('@') === true &&
        row.reason !== null &&
        standsIn(withoutAsked(row.reason), words),
    );
    if (answer) return { by: answer.decided_by ?? '', answer };
    const by = await saidInMail(words);
    if (by === null) throw refuse('no owner has written these words to you here: copy them exactly');
    return { by, answer: null };
  }

  /** The owner who wrote them in the mail that began the run; null: nobody has proven that. */
  async function saidInMail(words: string): Promise<string | null> {
    const message = run.tier === 'owner' && isOfMail(run) ? await store.messageById(run.message) : undefined;
    const by = addressKey(run.sender ?? '');
    if (!message || by === null || addressKey(message.from_address ?? '') !== by) return null;
    const isProven = (await store.ownerMail(message.id)) !== undefined || (await isAnswer(message.message_id, by));
    const pieces = asRead(piecesOf(message), message.limitations);
    if (!isProven || pieces.some(({ kind }) => kind === 'unknown')) return null;
    return pieces.some(({ kind, text }) => kind === 'written' && standsIn(text, words)) ? by : null;
  }

  const isAnswer = async (messageId: string, by: string): Promise<boolean> =>
    (await store.answersByMessageId(messageId)).some((one) => addressKey(one.by) === by && one.verdict === 'words');

  /** The question that waits under this name. */
  async function questionNamed(name: string) {
    const open = await store.openApprovalsOfAll();
    const [only, ...others] = open.filter((one) => isInWords(one) && questionName(one) === name);
    if (!only || others.length > 0) throw refuse(`no question ${name.slice(0, 20)} waits for an owner's words`);
    return only;
  }

  const jobOf = (payload: OwnerWords, about: string): NewJob =>
    ownerWords.job({ id: `owner_words:${payload.do}:${about}`, due_at: now(), payload });

  /** A run of the owner's own, with the mail by which they answered. */
  async function begun(words: string, { by, answer }: Source): Promise<NewJob> {
    if (answer === null) throw refuse('the mail is yours to work on: do what it asks for');
    if (outcomes.some(wasLeft)) throw refuse('that was done before, and all of their mail is worked on');
    const came = answer.notice_id === null ? [] : await store.answersOfNotice(answer.notice_id);
    const mail = came.find((one) => one.verdict === 'words' && one.by === answer.decided_by);
    if (!mail) throw refuse('it was no mail, so nothing can be begun with it: say in your answer what is left');
    return jobOf({ do: 'begin', message_id: mail.message_id, said: answer.reason ?? '', words, by }, answer.id);
  }

  async function answered(question: string, words: string, { by, answer }: Source): Promise<NewJob> {
    const asked = await questionNamed(question);
    if (answer === null) {
      if (isTainted()) throw refuse('you have read what others wrote: ask the sender to answer that question itself');
      return jobOf({ do: 'answer', approval_id: asked.id, words, by }, asked.id);
    }
    // Whoever else writes in the conversation has asked for something else.
    const isTheirs = asked.sender === run.sender && asked.tier === run.tier;
    if (asked.thread_id !== run.thread_id || !isTheirs)
      throw refuse('that question is of another conversation: use the question "none"');
    return jobOf({ do: 'close', approval_id: asked.id, by }, asked.id);
  }

  return {
    async passOn({ question, words }) {
      const source = await sourceOf(words);
      stage(await (question === NONE ? begun(words, source) : answered(question, words, source)));
      return { passed_on: true };
    },
  };
}

/** Each line of them, as a whole and in its words. */
function standsIn(text: string, words: string): boolean {
  const lines = words.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 0 && lines.every((line) => stretchOf(text, line) !== null);
}

const wasLeft = ({ ok, tool, made }: LoopState['outcomes'][number]): boolean => {
  const { question, words } = (made?.call.arguments ?? {}) as { question?: unknown; words?: unknown };
  return ok && tool === 'ask_owner' && question === NONE && words !== undefined;
};
