import type { ActionPorts } from '../../actions/ports.ts';
import { LANGUAGES, type Language, languageOf } from '../../languages/language.ts';
import { sha256 } from '../../lib/ids.ts';
import { HOUR_MS } from '../../lib/time.ts';
import { languageOfWords } from '../../mail/approval/approval-answer.ts';
import type { ParsedMail } from '../../mail/mime/types.ts';
import {
  againAsked,
  clarify,
  sendersAnswered,
  type ToolsAnswered,
  toolsAnswered,
} from '../../record/jobs/job-kinds.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { ApprovalAnswer } from '../../storage/types/approvals.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import type { SendersSaid, ToolsSaid, UnclearCode, Understood } from '../../suspensions/answers/read-answer.ts';
import type { Facts } from '../facts.ts';

/** What a mail about an answer says; its sentences are those of `clarify` in `languages/`. */
type AboutAnswer =
  | { readonly kind: 'unclear'; readonly why: UnclearCode; readonly detail: string | null; readonly beside?: string }
  | { readonly kind: 'late' };

/** Names one answer to one notice: the same mail delivered twice is the same answer. */
export const answerId = (noticeId: string, mail: Pick<ParsedMail, 'messageId' | 'newText'>, by: string): string =>
  sha256([noticeId, mail.messageId, by, mail.newText].join('\n')).slice(0, 32);

type Given = Pick<Facts, 'persona' | 'mail' | 'loopGuard' | 'query' | 'now'> & {
  readonly noticeId: string;
  readonly by: string;
  readonly store: Store;
};

/** Keeps what an answer was understood as. */
export const recordAnswer = (answer: Given, understood: Understood): Promise<void> =>
  answer.store.recordAnswer(rowOf(answer, understood), null, answer.query);

/** Keeps it, and tells its sender what is unclear, or too late: every time, as long as no program answers us. */
export async function answerBack(
  deps: ActionPorts,
  answer: Given,
  { about, understood }: { readonly about: AboutAnswer; readonly understood: Understood },
): Promise<void> {
  const { persona, noticeId, by, store, now } = answer;
  const payload = { to: by, notice_id: noticeId, language: languageFor(answer), about };
  const unclear = about.kind === 'unclear' ? { unclear: about.why, detail: about.detail } : {};
  const row = { ...rowOf(answer, understood), ...unclear };
  const job = clarify.job({ id: `clarify:${row.id}`, due_at: now, payload });
  const most = answer.loopGuard.max_replies_per_thread_per_hour;
  await deps.announce(persona.id, now, () =>
    store.recordAnswer(row, { job, since: now - HOUR_MS, most }, answer.query),
  );
}

/** Keeps it, and has done what it says of senders; what is unclear or late is told of as `answerBack` does. */
export async function answerAboutSenders(
  deps: ActionPorts,
  answer: Given,
  { said, understood }: { readonly said: SendersSaid; readonly understood: Understood },
): Promise<void> {
  await doneLater(deps, answer, { said, understood }, (about) =>
    sendersAnswered.job({ id: `senders_answered:${about.answer_id}`, due_at: answer.now, payload: { ...about, said } }),
  );
}

/** The same for what it says of tools of a server. */
export async function answerAboutTools(
  deps: ActionPorts,
  answer: Given,
  { said, understood }: { readonly said: ToolsSaid; readonly understood: Understood },
): Promise<void> {
  await doneLater(deps, answer, { said, understood }, (about) =>
    toolsAnswered.job({ id: `tools_answered:${about.answer_id}`, due_at: answer.now, payload: { ...about, said } }),
  );
}

/** The same for what its notice offers to do once more. */
export async function answerAboutAgain(
  deps: ActionPorts,
  answer: Given,
  { understood, numbers }: { readonly understood: Understood; readonly numbers?: readonly number[] },
): Promise<void> {
  const { verdict } = understood;
  const isLate = verdict === 'late';
  const said = verdict === 'approve' || verdict === 'deny' || verdict === 'undo' ? verdict : 'again';
  await doneLater(deps, answer, { said: { kind: isLate ? 'late' : 'decide' }, understood }, (about) =>
    againAsked.job({
      id: `again_asked:${about.answer_id}`,
      due_at: answer.now,
      payload: { ...about, is_late: isLate, said, ...(numbers === undefined ? {} : { numbers }) },
    }),
  );
}

async function doneLater(
  deps: ActionPorts,
  answer: Given,
  {
    said,
    understood,
  }: {
    readonly said: SendersSaid | ToolsSaid | { readonly kind: 'decide' | 'late' };
    readonly understood: Understood;
  },
  jobFor: (about: Omit<ToolsAnswered, 'said'>) => NewJob,
): Promise<void> {
  const { persona, mail, noticeId, by, store, now } = answer;
  const unclear = said.kind === 'unclear' ? { unclear: said.why, detail: said.detail } : {};
  const row = { ...rowOf(answer, understood), ...unclear };
  const about = { to: by, notice_id: noticeId, answer_id: row.id, message_id: mail.messageId, answered_at: now };
  const job = jobFor({ ...about, language: languageFor(answer) });
  // What decides something is done each time: a notice asks about only so much.
  const most = said.kind === 'decide' ? 0 : answer.loopGuard.max_replies_per_thread_per_hour;
  await deps.announce(persona.id, now, () =>
    store.recordAnswer(row, { job, since: now - HOUR_MS, most }, answer.query),
  );
}

const languageFor = ({ mail, persona }: Given): Language =>
  languageOf([mail.newText], languageIn(mail.newText) ?? persona.language);

const rowOf = (
  { noticeId, mail, by, now }: Given,
  { verdict, rules = [], items = [] }: Understood,
): Omit<ApprovalAnswer, 'asked_back'> => ({
  id: answerId(noticeId, mail, by),
  notice_id: noticeId,
  message_id: mail.messageId,
  at: now,
  by,
  verdict,
  rules,
  items,
  unclear: null,
  detail: null,
});

/** A mere "Ja" is too short for whoever looks at letters. */
function languageIn(text: string): Language | undefined {
  const found = languageOfWords(text);
  return LANGUAGES.find((language) => language === found);
}
