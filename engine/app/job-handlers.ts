import { join } from 'node:path';
import { createConsoleDecider } from '../actions/decide-later.ts';
import type { Persona } from '../config/types.ts';
import { createDraftWatcher } from '../delivery/drafts/watch-drafts.ts';
import { createMeetingAnswerWriter } from '../delivery/notices/meeting-answer.ts';
import { createNoticeWriter } from '../delivery/notices/notices.ts';
import { createOutageOverWriter } from '../delivery/notices/outage-over.ts';
import { createRelayWriter } from '../delivery/notices/relay.ts';
import { createSlowedDownWriter } from '../delivery/notices/slowed-down.ts';
import { createLearnedDigestWriter, createUndoNoticeWriter } from '../delivery/notices/undo-mail.ts';
import { createWaitNoticeWriter } from '../delivery/notices/wait-notice.ts';
import { createWaitingNoteWriter } from '../delivery/notices/waiting-note.ts';
import { createWaitingNoticeWriter } from '../delivery/notices/waiting-notice.ts';
import type { OutboundRoutes } from '../delivery/outbound-routes.ts';
import { createApprovalNoticeWriter, createApprovalReminder } from '../delivery/questions/approval-mail.ts';
import { createClarifier } from '../delivery/questions/clarify-mail.ts';
import { createQuestionWriter } from '../delivery/questions/question-mail.ts';
import { createSentCopier } from '../delivery/sent-copy.ts';
import { createApprovalExpiry } from '../dispatch/approval-expiry.ts';
import { createTaskEnded } from '../dispatch/schedule/task-ended.ts';
import { createScenarioKeeper } from '../features/scenario-job.ts';
import { createDelegationEnded } from '../harness/delegation-ended.ts';
import type { AnsweredInWords } from '../intake/begin-from-answer.ts';
import type { Intake } from '../intake/incoming.ts';
import { createOutcomeKeeper } from '../learning/outcome-job.ts';
import type { ParseOutcome } from '../mail/mime/types.ts';
import { createActiveKeeper } from '../memory/active/keep.ts';
import { keysOf } from '../models/models.ts';
import type { Announce, JobHandler } from '../record/jobs/jobs.ts';
import type { ToolDeps } from '../tools/for-run.ts';
import { createIndexCompactor, createIndexMerger, createMailIndexer } from '../tools/index-mail.ts';
import { createSuspensionTimer } from '../tools/outside/suspension-timer.ts';
import { createUndoEnd, createUndoer } from '../tools/undo.ts';
import type { Workspace } from '../workspace.ts';
import { createOwnerWordsPasser } from './owner-words.ts';
import { createToolsAnswerer } from './pins/answer-job.ts';
import { createToolsQuestionWriter } from './pins/question-mail.ts';
import { createSendersAnswerer, nameOf } from './refused/answer-job.ts';
import { createRefusedDigestWriter } from './refused/digest-mail.ts';
import { createAgainDoer } from './telling/do-again.ts';
import { createWeeklyWriter } from './telling/weekly.ts';

/** One handler for each kind of job. */
export function jobHandlers(
  workspace: Workspace,
  parts: {
    readonly announce: Announce;
    readonly routes: Pick<OutboundRoutes, 'to' | 'drafts'>;
    readonly receive: Intake['receive'];
    /** Reads a mail as one that arrives. */
    parse(raw: Uint8Array): Promise<ParseOutcome>;
    /** Begins a run with an owner's answer to a question in words. */
    begin(answered: AnsweredInWords): Promise<boolean>;
    readonly toolDeps: ToolDeps & { configs: Workspace['live']['current'] };
    /** Whether nobody answers for the persona's models now. */
    isDead(persona: Persona): boolean;
    /** Whether one of them has answered, and none has failed since. */
    works(persona: Persona): boolean;
  },
): readonly JobHandler[] {
  const { gateway, live, clock, ids, log, pass } = workspace;
  const { announce, routes, toolDeps, isDead, parse, receive, begin } = parts;
  const configs = live.current;
  const extensions = workspace.currentExtensions;
  const { hint } = workspace;
  const mailing = { configs, clock, ids, hint, filesOf: toolDeps.filesOf };
  const artifactsOf = (id: string) => toolDeps.filesOf(id).artifacts;
  const telling = { isPaused: async (id: string) => (await gateway.pauseOf(id)) !== null, isDead };
  return [
    createNoticeWriter({ ...mailing, log }),
    createApprovalNoticeWriter(mailing),
    createApprovalReminder(mailing),
    createApprovalExpiry({ announce, ids, clock, pass }),
    createConsoleDecider({ announce, ids, clock, pass }),
    createOwnerWordsPasser({ announce, ids, clock, pass, begin, filesOf: toolDeps.filesOf }),
    createWaitNoticeWriter(mailing),
    createClarifier(mailing),
    createQuestionWriter(mailing),
    createTaskEnded({ clock }),
    createUndoNoticeWriter(mailing),
    createLearnedDigestWriter(mailing),
    createUndoer({ ...toolDeps, pass }),
    createSuspensionTimer({ ...toolDeps, announce, pass }),
    createDelegationEnded({ filesOf: toolDeps.filesOf, announce, clock, pass }),
    createUndoEnd(toolDeps),
    createWaitingNoteWriter({ ...mailing, ...telling, pass }),
    createSlowedDownWriter(mailing),
    createWaitingNoticeWriter({
      ...mailing,
      ...telling,
      envFile: join(workspace.root, '.env'),
      keysOf: (provider) => keysOf(extensions().providers.get(provider)),
    }),
    createOutageOverWriter({ ...mailing, works: parts.works }),
    createMailIndexer({ ...toolDeps, pass }),
    createIndexCompactor(),
    createIndexMerger(),
    createActiveKeeper(workspace),
    createOutcomeKeeper({ artifactsOf, clock, pass }),
    createScenarioKeeper({ configs, artifactsOf, clock, ids, log, pass }),
    createRelayWriter({ ...mailing, pass }),
    createMeetingAnswerWriter(mailing),
    createRefusedDigestWriter({ ...mailing, gateway, nameOf: (id) => nameOf(live, id) }),
    createSendersAnswerer({ workspace, receive }),
    createToolsQuestionWriter({ ...mailing, gateway, toolPins: workspace.toolPins }),
    createToolsAnswerer(workspace),
    createAgainDoer({ workspace, receive, announce }),
    createWeeklyWriter({ ...mailing, gateway, pass, nameOf: (id) => nameOf(live, id) }),
    createSentCopier({ routeOf: routes.to, log, pass }),
    createDraftWatcher({
      gateway,
      parse,
      clock,
      log,
      pass,
      draftsOf: routes.drafts,
      delivery: () => configs().gateway.delivery,
    }),
  ];
}
