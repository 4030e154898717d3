import { auditSender } from '../../actions/mail/audit-sender.ts';
import { setAccess } from '../../actions/set-up/edit-persona.ts';
import { writeBack } from '../../delivery/notices/owner-mail.ts';
import type { Intake } from '../../intake/incoming.ts';
import { languageOfAnswerer } from '../../languages/owner-language.ts';
import { derivedId } from '../../lib/ids.ts';
import { type SendersAnswered, sendersAnswered } from '../../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import type { SenderQuestion, SenderVerdict } from '../../storage/types/gateway.ts';
import type { Workspace } from '../../workspace.ts';
import { answerBlocks, type Outcome } from './answer-mail.ts';
import { judgeAnswer } from './judge-answer.ts';
import { takeUpSender } from './take-up-sender.ts';

interface Parts {
  readonly workspace: Workspace;
  readonly receive: Intake['receive'];
}

type Answer = Pick<SendersAnswered, 'answer_id' | 'message_id' | 'answered_at'> & { readonly by: string };

/** How often the proof of a kept mail is looked up before it stays where it is. */
const PATIENT = 5;

/**
 * Does what an owner's answer says of senders who were refused, and tells them in one mail what became of it. Done again
 * after a crash it comes out the same: what this very answer decided is gone on with.
 */
export function createSendersAnswerer(parts: Parts): JobHandler {
  const { gateway, live, clock, ids, hint } = parts.workspace;
  return handleJobs(sendersAnswered, async (persona, job, store) => {
    const { to: by, notice_id: noticeId, language: answeredIn, said, ...answer } = job.payload;
    const found = await store.findNotice({ id: noticeId });
    const questions = await gateway.senderQuestions(noticeId);
    if (!found || questions.length === 0) return store.endJob(job.id);
    const language = await languageOfAnswerer(store, persona, { to: by, said: answeredIn });
    const outcomes: Outcome[] = [];
    for (const { number, verdict } of said.kind === 'decide' ? said.items : []) {
      const question = questions.find((one) => one.number === number);
      const patient = job.attempts < PATIENT;
      if (question) outcomes.push(await decideAbout(parts, question, verdict, { ...answer, by, patient }));
    }
    const text = answerBlocks(
      { said, outcomes, questions: await gateway.senderQuestions(noticeId) },
      { language, zone: persona.timezone, now: clock.now(), nameOf: (id) => nameOf(live, id) },
    );
    await writeBack({ configs: live.current, clock, ids, hint }, persona, {
      ...{ store, jobId: job.id, kind: 'notice', language, text },
      ...{ to: by, about: found.notice.message_id },
    });
  });
}

function nameOf(live: Workspace['live'], id: string): string {
  const entry = live.personas().get(id);
  return entry?.state === 'ready' ? entry.persona.name : id;
}

async function decideAbout(
  parts: Parts,
  question: SenderQuestion,
  verdict: SenderVerdict,
  answer: Answer & { readonly patient: boolean },
): Promise<Outcome> {
  const { gateway, live, pass } = parts.workspace;
  const { answer_id: answerId, answered_at: answeredAt, by, patient } = answer;
  const judge = (asked: SenderQuestion) =>
    judgeAnswer(asked, verdict, {
      ...{ answerId, by, answeredAt },
      entry: live.personas().get(question.persona_id),
      access: live.current().security.gateway_access,
    });
  const before = judge(question);
  if (before.do === 'nothing') return { question, became: before.why };
  const claimed = await gateway.decideSender(question, { verdict, by, at: answeredAt, answerId });
  pass('senders.decided');
  // Somebody else may have been faster.
  const judged = claimed ? judge(claimed) : before;
  if (!claimed || judged.do === 'nothing')
    return { question: claimed ?? question, became: judged.do === 'nothing' ? judged.why : 'settled' };
  if (judged.do !== 'once' && judged.writes && !writeRule(parts.workspace, question, judged.do)) {
    await gateway.reopenSender(answerId, question);
    return { question, became: 'notWritten' };
  }
  pass('senders.rules_written');
  await putOnAudit(parts.workspace, question, verdict, answer);
  if (judged.do === 'block') return { question: claimed, became: 'blocked' };
  const taken = await takeUpSender(parts, question, { once: judged.do === 'once', patient });
  pass('senders.taken_in');
  return { question: claimed, became: judged.do === 'once' ? 'once' : 'allowed', taken };
}

/** The one place for such rules is the persona's file, as for `senders allow`. False: it cannot be changed. */
function writeRule(
  { root, live, log }: Workspace,
  { persona_id: persona, sender }: SenderQuestion,
  list: 'allow' | 'block',
): boolean {
  try {
    setAccess(root, persona, { pattern: sender, list: list === 'allow' ? 'allow' : 'deny' });
    live.sweep();
    return true;
  } catch (error) {
    log.error({ persona, error: String(error) }, 'an owner’s answer about a sender could not be written down');
    return false;
  }
}

/** Who decided, in the log of the persona that the sender wrote to. */
async function putOnAudit(
  { stores }: Workspace,
  { persona_id: persona, sender, notice_id }: SenderQuestion,
  verdict: SenderVerdict,
  { answered_at: at, answer_id: answerId, message_id, by }: Answer,
): Promise<void> {
  const id = derivedId(at, `sender ${answerId} ${persona} ${sender}`);
  await auditSender(stores, persona, { id, at, by, verdict, detail: { sender, notice_id, message_id } });
}
