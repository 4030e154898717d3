import { EngineError } from '#contract';
import { addressesOfOwners } from '../../config/owners.ts';
import { writeBack } from '../../delivery/notices/owner-mail.ts';
import { whySaid } from '../../delivery/questions/clarify-mail.ts';
import { languageOfAnswerer } from '../../languages/owner-language.ts';
import { say } from '../../languages/say.ts';
import type { ReaderLocale } from '../../languages/times.ts';
import { whenSeenFrom } from '../../languages/times.ts';
import { derivedId } from '../../lib/ids.ts';
import { type ToolsAnswered, toolsAnswered } from '../../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { ToolQuestion } from '../../storage/types/gateway.ts';
import type { Workspace } from '../../workspace.ts';
import { whoDecides } from './ask-about-tools.ts';
import { commandFor, offerIn } from './question-mail.ts';

/** What became of an owner's answer. */
type Outcome =
  | { readonly became: 'allowed'; readonly count: number; readonly isReached: boolean }
  | { readonly became: 'left' | 'changed' | 'settled' | 'expired' | 'notYours' | 'notWritten' };

type Answer = Pick<ToolsAnswered, 'answer_id' | 'answered_at'> & { readonly by: string };

/**
 * Whether this answer may decide, or why it decides nothing. Done again after a crash, the answer that decided goes on with
 * it. Pure.
 */
export function judgeToolsAnswer(
  question: Pick<ToolQuestion, 'verdict' | 'answer_id' | 'until'>,
  { answer_id: answerId, answered_at: at, by }: Answer,
  deciders: readonly string[],
): 'decides' | 'notYours' | 'settled' | 'expired' {
  if (!deciders.includes(by)) return 'notYours';
  if (question.answer_id === answerId) return 'decides';
  if (question.verdict !== null) return 'settled';
  return question.until > at ? 'decides' : 'expired';
}

/** Does what an owner's answer says of the tools of a server, and tells them what became of it. */
export function createToolsAnswerer(workspace: Workspace): JobHandler {
  const { gateway, live, clock, ids, hint } = workspace;
  return handleJobs(toolsAnswered, async (persona, job, store) => {
    const { to: by, notice_id: noticeId, language: answeredIn, said, ...answer } = job.payload;
    const found = await store.findNotice({ id: noticeId });
    const question = await gateway.toolQuestion(noticeId);
    if (!found || !question) return store.endJob(job.id);
    const language = await languageOfAnswerer(store, persona, { to: by, said: answeredIn });
    const outcome =
      said.kind === 'decide'
        ? await decide(workspace, store, question, {
            answer: { ...answer, by },
            allow: said.allow,
            deciders: whoDecides(persona, addressesOfOwners(live.current().security.owners)),
          })
        : null;
    const now = await gateway.toolQuestion(noticeId);
    const told = answerLines(
      { said, outcome, question: now ?? question },
      {
        language,
        zone: persona.timezone,
        now: clock.now(),
        command: (what) => commandFor({ hint }, question.server, what),
      },
    );
    await writeBack({ configs: live.current, clock, ids, hint }, persona, {
      store,
      jobId: job.id,
      kind: 'notice',
      language,
      text: told.map((text) => ({ kind: 'text', text })),
      to: by,
      about: found.notice.message_id,
    });
  });
}

async function decide(
  workspace: Workspace,
  store: Pick<Store, 'auditOnce'>,
  question: ToolQuestion,
  { answer, allow, deciders }: { answer: Answer & { message_id: string }; allow: boolean; deciders: readonly string[] },
): Promise<Outcome> {
  const { gateway, pass } = workspace;
  const before = judgeToolsAnswer(question, answer, deciders);
  if (before !== 'decides') return { became: before };
  const { answer_id: answerId, answered_at: at, by } = answer;
  const verdict = allow ? 'allow' : 'leave';
  const claimed = await gateway.decideTools(question.notice_id, { verdict, by, at, answerId });
  pass('tools.decided');
  // Somebody else may have been faster.
  const judged = claimed ? judgeToolsAnswer(claimed, answer, deciders) : 'settled';
  if (judged !== 'decides') return { became: judged };
  const outcome: Outcome = allow ? await pin(workspace, question) : { became: 'left' };
  pass('tools.pinned');
  if (outcome.became === 'changed') await gateway.missTools(question.notice_id, answerId);
  await store.auditOnce({
    id: derivedId(at, `tools ${answerId}`),
    at,
    actor: by,
    event: 'tools_decided',
    run_id: null,
    approval_id: null,
    tool: null,
    decision: outcome.became,
    detail: { server: question.server, offer_sha256: question.offer_sha256, message_id: answer.message_id },
  });
  return outcome;
}

/** Exactly what the mail showed, and only where the server, if it can be asked, still shows it. */
async function pin({ servers, log, extensions }: Workspace, question: ToolQuestion): Promise<Outcome> {
  const offer = offerIn(question);
  try {
    await extensions();
    const allowed = offer && (await servers.allow(question.server, offer));
    // One that was switched off meanwhile shows nothing that could be held against it.
    if (allowed === null) return { became: 'changed' };
    if (allowed.kind === 'changed') return { became: 'changed' };
    return { became: 'allowed', count: allowed.pinned, isReached: allowed.isReached };
  } catch (error) {
    if (error instanceof EngineError && error.retry !== 'never') throw error;
    log.error({ server: question.server, error: String(error) }, 'what an owner allowed could not be written down');
    return { became: 'notWritten' };
  }
}

interface Told {
  readonly said: ToolsAnswered['said'];
  readonly outcome: Outcome | null;
  /** As it is now. */
  readonly question: Pick<ToolQuestion, 'server' | 'verdict' | 'decided_by' | 'decided_at' | 'until'>;
}

type Reader = ReaderLocale & { readonly now: number; command(what: 'allow' | 'check'): string };

/** What an owner is told of their answer; of one that was not understood, why, and the question again. Pure. */
export function answerLines({ said, outcome, question }: Told, reader: Reader): string[] {
  const { server } = question;
  if (said.kind === 'unclear') {
    return [
      say(reader.language, 'clarify.nothingDone'),
      whySaid(said.why, { detail: said.detail }, reader.language),
      say(reader.language, 'clarify.again'),
      say(reader.language, 'pinnedTools.subject', { server }),
      say(reader.language, 'pinnedTools.how'),
    ];
  }
  const settled = () => {
    const { verdict, decided_by: by, decided_at: at } = question;
    if (verdict === null)
      return say(reader.language, 'pinnedTools.expired', { server, command: reader.command('allow') });
    if (verdict === 'changed')
      return say(reader.language, 'pinnedTools.changedAgain', { server, command: reader.command('check') });
    return say(reader.language, 'pinnedTools.settled', {
      server,
      allowed: verdict === 'allow',
      who: by ?? '',
      when: whenSeenFrom(reader.now, at ?? 0, reader),
    });
  };
  switch (outcome?.became) {
    case 'allowed':
      return [
        say(reader.language, 'pinnedTools.allowed', { server, count: outcome.count }),
        ...(outcome.isReached ? [] : [say(reader.language, 'pinnedTools.unreached')]),
      ];
    case 'left':
      return [say(reader.language, 'pinnedTools.left', { server })];
    case 'changed':
      return [say(reader.language, 'pinnedTools.changedAgain', { server, command: reader.command('check') })];
    case 'notYours':
      return [say(reader.language, 'pinnedTools.notYours', { server })];
    case 'notWritten':
      return [say(reader.language, 'pinnedTools.notWritten', { server, command: reader.command('allow') })];
    default:
      return [settled()];
  }
}
