import { EngineError } from '#contract';
import { changeOutbox } from '../../actions/mail/outbox.ts';
import { mayBeRetried } from '../../actions/mail/retry-mail.ts';
import { takeThread } from '../../actions/mail/take-thread.ts';
import { isRefusal, type Refusal } from '../../actions/refusal.ts';
import { retryRun } from '../../actions/retry-run.ts';
import { setTaskPaused } from '../../actions/tasks.ts';
import { CONFIG_FILES } from '../../config/load.ts';
import { addressesOfOwners } from '../../config/owners.ts';
import type { Persona } from '../../config/types.ts';
import { planChange } from '../../config/writing/change.ts';
import { writeBack } from '../../delivery/notices/owner-mail.ts';
import type { Intake } from '../../intake/incoming.ts';
import type { Language } from '../../languages/language.ts';
import { languageOfAnswerer } from '../../languages/owner-language.ts';
import { say, type Under } from '../../languages/say.ts';
import { derivedId } from '../../lib/ids.ts';
import { localDay } from '../../lib/schedule/zone.ts';
import { MINUTE_MS } from '../../lib/time.ts';
import { type AgainAsked, againAsked } from '../../record/jobs/job-kinds.ts';
import { type Announce, handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import type { Store } from '../../storage/ports/store.ts';
import { type Again, type AuditRecord, againIn, type Offered } from '../../storage/types/approvals.ts';
import type { Workspace } from '../../workspace.ts';
import { whoDecides } from '../pins/ask-about-tools.ts';
import { requeue, retryKept, type TakesInFor } from '../refused/take-in-after-all.ts';
import { switchOver } from './weekly.ts';

interface TakesIn {
  readonly workspace: Workspace;
  readonly receive: Intake['receive'];
}

interface Parts extends TakesIn {
  readonly announce: Announce;
}

/** What became of it, as the sentence says it. */
type Became = Under<'againAnswers'>;

/** What waits in a mailbox is for all personas that have it: an owner of one alone does not decide about it. */
const decides = (by: string, persona: Persona, { live }: Workspace): boolean =>
  whoDecides(persona, addressesOfOwners(live.current().security.owners)).includes(by);

/** Does once more, or switches, what a notice offers, as the command for it would, and tells the owner who asked what became of it. */
export function createAgainDoer(parts: Parts): JobHandler {
  const { live, clock, ids, hint } = parts.workspace;
  return handleJobs(againAsked, async (persona, job, store) => {
    const { to: by, notice_id: noticeId, language: writtenIn, is_late: isLate, said, numbers, ...answer } = job.payload;
    const found = await store.findNotice({ id: noticeId });
    const offered = found ? againIn(found.notice) : null;
    if (!found || !offered) return store.endJob(job.id);
    const language = await languageOfAnswerer(store, persona, { to: by, said: writtenIn });
    const given = { persona, store, by, said, answer: { ...answer, by, noticeId } };
    const became: string[] = isLate ? [say(language, 'againAnswers.expired')] : [];
    const wanted = offered.items.filter((item) => !('switch' in item) || (numbers?.includes(item.number) ?? false));
    for (const [index, item] of isLate ? [] : wanted.entries())
      became.push(await becameOf(parts, item, { ...given, index, language }));
    await writeBack({ configs: live.current, clock, ids, hint }, persona, {
      store,
      jobId: job.id,
      kind: 'notice',
      language,
      text: became.map((text) => ({ kind: 'text', text })),
      to: by,
      about: found.notice.message_id,
    });
  });
}

interface Answer {
  readonly answer_id: string;
  readonly answered_at: number;
  readonly message_id: string;
  readonly by: string;
  readonly noticeId: string;
}

interface Given {
  readonly persona: Persona;
  readonly store: Store;
  readonly by: string;
  readonly said: AgainAsked['said'];
  readonly answer: Answer;
}

/** What an owner is told of one item. */
async function becameOf(
  parts: Parts,
  item: Offered['items'][number],
  given: Given & { readonly index: number; readonly language: Language },
): Promise<string> {
  const { persona, store, by, answer, index, language } = given;
  const told = (one: Became) => say(language, `againAnswers.${one}`);
  if ('setting' in item) return told(await switchOwnWords(parts.workspace, given));
  await store.auditOnce(auditRow(item, index, answer));
  if ('switch' in item) {
    const isDone = switchOver(parts.workspace, persona.id, item.switch);
    parts.workspace.pass('weekly.switched');
    return say(language, isDone ? `weekly.switched.${item.switch}` : 'weekly.notWritten');
  }
  if ('mailbox' in item && !decides(by, persona, parts.workspace))
    return say(language, 'pinnedTools.notYours', { server: item.mailbox });
  if ('budget' in item) return told(await extendDay(parts, { persona, store }, item.budget));
  return told(await again(parts, { personaId: persona.id, store, by }, item));
}

const auditRow = (item: Offered['items'][number], index: number, answer: Answer): AuditRecord => ({
  id: derivedId(answer.answered_at, `again ${answer.answer_id} ${index}`),
  at: answer.answered_at,
  actor: answer.by,
  event: 'again_asked',
  run_id: 'run' in item ? item.run : null,
  approval_id: null,
  tool: null,
  decision: null,
  detail: { ...item, notice_id: answer.noticeId, message_id: answer.message_id },
});

/** The day's budget once more, and whatever waits for it is taken up. It is over with the day. */
async function extendDay(
  { workspace: { clock }, announce }: Parts,
  { persona, store }: Pick<Given, 'persona' | 'store'>,
  day: string,
): Promise<Became> {
  const now = clock.now();
  if (day !== localDay(now, persona.timezone)) return 'expired';
  const isNew = await store.extendDay(day);
  await announce(persona.id, now, async () => {
    await store.takeUp('budget', { kind: 'all' });
  });
  return isNew ? 'budget' : 'settled';
}

/** What has become of the one offer of it, with the answer that decided: nothing yet, or its last word. */
const OFFER = 'own_words_offer';
const OWN_WORDS = { file: CONFIG_FILES.security, path: ['approvals', 'own_words'] } as const;
/** What each answer writes; a no is written down as well, so that it stays one whatever later builds start with. */
const WRITES = { approve: 'count', deny: 'ask', undo: undefined } as const;
const SAYS = { approve: 'ownWordsOn', deny: 'ownWordsOff', undo: 'ownWordsUndone' } as const;

/**
 * Writes down what an owner of the whole gateway says of the setting that was offered: yes or no once, and once that it
 * be taken back. Done again after a crash, the answer that decided goes on with it.
 */
async function switchOwnWords(workspace: Workspace, { persona, store, by, said, answer }: Given): Promise<Became> {
  const { root, gateway, live, log } = workspace;
  if (said === 'again') return 'settled';
  if (!decides(by, persona, workspace)) return 'notYours';
  const mine = `${said} ${answer.answer_id}`;
  const decided = await gateway.setting(OFFER, () => '');
  const isOpen = said === 'undo' ? /^(?:approve|deny) /.test(decided) : decided === '';
  if (decided !== mine && !isOpen) return 'settled';
  await gateway.changeSetting(OFFER, mine);
  try {
    planChange(root, { settings: [{ ...OWN_WORDS, path: [...OWN_WORDS.path], to: WRITES[said] }] }).write();
    live.sweep();
  } catch (error) {
    log.error({ error: String(error) }, 'what an owner said of a setting could not be written down');
    await gateway.changeSetting(OFFER, decided === mine ? '' : decided);
    return 'notWritten';
  }
  const { answered_at: at, answer_id: id, message_id, noticeId } = answer;
  await store.auditOnce({
    id: derivedId(at, `own words ${id}`),
    at,
    actor: by,
    event: 'own_words_decided',
    run_id: null,
    approval_id: null,
    tool: null,
    decision: said,
    detail: { setting: 'approvals.own_words', to: WRITES[said] ?? null, notice_id: noticeId, message_id },
  });
  return SAYS[said];
}

/** Each of these is done once, however often it is asked for. Throws `unavailable` where the mailbox does not answer now. */
async function again(
  { workspace, receive }: TakesIn,
  { personaId, store, by }: { readonly personaId: string; readonly store: Store; readonly by: string },
  item: Exclude<Again, { setting: 'own_words' } | { budget: string }>,
): Promise<Became> {
  if ('outbox' in item) {
    const changed = await changeOutbox(workspace, { personaId, id: item.outbox, change: 'retry', by: null });
    if (changed === 'changed') return 'outbox';
    return (await store.getOutbox(item.outbox)) ? 'settled' : 'gone';
  }
  if ('run' in item) {
    const run = await retryRun(workspace, { personaId, id: item.run, by });
    if (typeof run !== 'string') return 'run';
    return run === 'not_found' ? 'gone' : 'settled';
  }
  if ('thread' in item) return giveBack(workspace, { threadId: item.thread, store, by });
  if ('task' in item) {
    const task = await store.getTask(item.task);
    if (!task) return 'gone';
    await setTaskPaused(workspace, { personaId, taskId: item.task, reason: null, by });
    return 'task';
  }
  if ('mailbox' in item) return (await workspace.gateway.settleHeld(item.mailbox, 'take')) > 0 ? 'mailbox' : 'settled';
  return 'letter' in item
    ? readAgain({ workspace, receive, by }, item.letter)
    : takeInAgain({ workspace, receive, by }, personaId, item.mail);
}

async function giveBack(
  { clock, ids }: Pick<Workspace, 'clock' | 'ids'>,
  { threadId, store, by }: { readonly threadId: string; readonly store: Store; readonly by: string },
): Promise<Became> {
  const thread = await store.getThread(threadId);
  if (!thread) return 'gone';
  if (thread.taken_by === null) return 'settled';
  await takeThread(store, threadId, { id: ids.next(), by, at: clock.now(), give: true });
  return 'thread';
}

/** A mail that could not be read. Throws as `takeInAgain` does. */
async function readAgain(parts: TakesInFor, id: string): Promise<Became> {
  const letter = await parts.workspace.gateway.getDeadLetter(id);
  // It was taken in, or thrown away.
  if (!letter) return 'settled';
  const requeued = await requeue(parts, letter);
  if (isRefusal(requeued)) return refusedAs(requeued);
  return requeued.isDone ? 'mail' : 'refused';
}

/** Throws `unavailable` where the mailbox that has the mail does not answer now. */
async function takeInAgain(parts: TakesInFor, personaId: string, messageId: string): Promise<Became> {
  const seen = (await parts.workspace.gateway.seenByMessageId(messageId)).filter(
    ({ persona_id: id }) => id === personaId,
  );
  const row = seen.findLast(mayBeRetried);
  if (!row) return seen.length === 0 ? 'gone' : 'settled';
  const retried = await retryKept(parts, row);
  if (!isRefusal(retried)) return retried.isDone ? 'mail' : 'refused';
  return refusedAs(retried);
}

function refusedAs({ error: { code } }: Refusal): Became {
  if (code === 'unavailable')
    throw new EngineError('unavailable', 'the mailbox does not answer', { retry: { afterMs: MINUTE_MS } });
  return code === 'wrong_state' ? 'settled' : code === 'not_found' ? 'gone' : 'refused';
}
