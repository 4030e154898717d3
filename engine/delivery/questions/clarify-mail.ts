import type { Language } from '../../languages/language.ts';
import { languageOfAnswerer } from '../../languages/owner-language.ts';
import { isKey, say, type Under } from '../../languages/say.ts';
import type { LetterBlock } from '../../mail/compose/compose.ts';
import { clarify } from '../../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import type { Store } from '../../storage/ports/store.ts';
import { type Approval, argumentsOf, isChanged, TAKEN_BACK, type UndoItem } from '../../storage/types/approvals.ts';
import { isClosedByStop } from '../../suspensions/answers/read-answer.ts';
import { askedKind } from '../../suspensions/kinds.ts';
import { stepsIn } from '../../suspensions/members.ts';
import { writeBack } from '../notices/owner-mail.ts';
import type { ApprovalMailDeps } from './approval-mail.ts';
import { editLineOf, howToAnswer, inLine, visible } from './approval-text.ts';
import { headingOf, questionOf } from './call-blocks.ts';
import type { Enclosed } from './enclosures.ts';
import { describeParts, partOf } from './question-parts.ts';
import { freshAmong } from './requests.ts';

/**
 * One mail for each answer that could not be acted on: that nothing was done, why, and the question again; or, where
 * all was decided before, what was decided, when, and what came of it.
 */
export function createClarifier(deps: ApprovalMailDeps): JobHandler {
  return handleJobs(clarify, async (persona, job, store) => {
    const { to, notice_id: noticeId, language: said, about } = job.payload;
    const found = await store.findNotice({ id: noticeId });
    if (!found) return store.endJob(job.id);
    const { items } = found;
    const language = await languageOfAnswerer(store, persona, { to, said });
    const undo = items.length === 0 ? await store.undoOfNotice(noticeId) : [];
    const now = deps.clock.now();
    const clocks = { language, now, zone: persona.timezone, to };
    const outcomes = outcomesOf(items, undo, clocks);
    const open = items.filter(({ state, expires_at }) => state === 'pending' && expires_at > now);
    const again = await questionAgain(store, { open, items }, deps.filesOf(persona.id), {
      language,
      // Whoever asks what is in it is shown what the record has of it.
      isAsking: about.kind !== 'late' && about.why === 'question',
    });
    const text: LetterBlock[] = [
      ...(about.kind === 'late' ? outcomes : refusalOf(language, about, editLineOf(items, language)).map(paragraph)),
      ...besideSaid(about, language),
      ...(about.kind === 'unclear' && open.length < items.length ? outcomes : []),
      ...(about.kind === 'unclear' && about.why === 'both' ? await whatElseWaits(store, items, language) : []),
      ...(open.length === 0 ? [] : [paragraph(say(language, 'clarify.again')), ...again.blocks]),
    ];
    await writeBack(deps, persona, {
      store,
      jobId: job.id,
      kind: 'clarify',
      language,
      text,
      files: again.files,
      to,
      about: found.notice.message_id,
    });
  });
}

/** So much that they know it again. */
const MAX_BESIDE = 300;

const paragraph = (text: string): LetterBlock => ({ kind: 'text', text });

/** What stood beside the answer, and what becomes of it. */
function besideSaid(
  about:
    | { readonly kind: 'unclear'; readonly beside?: string | undefined; readonly asked?: string | undefined }
    | { readonly kind: 'late' },
  language: Language,
): LetterBlock[] {
  if (about.kind !== 'unclear') return [];
  const { beside, asked } = about;
  return [
    ...(beside === undefined ? [] : [say(language, 'clarify.beside', { text: inLine(beside, MAX_BESIDE) })]),
    ...(asked === undefined ? [] : [say(language, 'clarify.asked', { text: inLine(asked, MAX_BESIDE) })]),
  ].map(paragraph);
}

const MOST_OTHERS = 3;

/** Whoever writes yes and no in one breath may mean two questions, of which this mail is about one. */
async function whatElseWaits(
  store: Pick<Store, 'pendingApprovals'>,
  items: readonly Approval[],
  language: Language,
): Promise<LetterBlock[]> {
  const open = await store.pendingApprovals(items.length + MOST_OTHERS);
  const others = open
    .filter((one) => askedKind(one).mail === null && !items.some(({ id }) => id === one.id))
    .slice(0, MOST_OTHERS)
    .map(({ tool, ...one }) => headingOf(questionOf({ tool, args: argumentsOf(one) }, language), null));
  return others.length === 0 ? [] : [paragraph(say(language, 'clarify.others', { what: others.join(' ') }))];
}

const EDIT_FORM = new Set(['edit_command', 'edit_empty', 'edit_line', 'edit_keys']);
/** What is wrong is not that nobody knows whether it is a yes. */
const isAboutYesAndNo = (why: string): boolean =>
  !/^(?:edit_|undo_|again_|plan_|no_words$|closed_item$|beside$)/.test(why);

/** That nothing was done, and why. */
const refusalOf = (
  language: Language,
  { why, detail }: { why: string; detail: string | null },
  editLine: string,
): string[] => [
  isAboutYesAndNo(why) ? say(language, 'clarify.unsure') : say(language, 'clarify.nothingDone'),
  whySaid(EDIT_FORM.has(why) ? 'edit_form' : why, { detail, line: editLine }, language),
];

/** Why an answer is asked back about. `line`: one that would change something. */
export function whySaid(
  why: string,
  { detail, line = '' }: { readonly detail: string | null; readonly line?: string },
  language: Language,
): string {
  const key = `clarify.why.${why}` as const;
  return say(language, isKey(key) ? key : 'clarify.why.more_words', { detail: visible(detail ?? ''), line });
}

interface Clocks {
  readonly language: Language;
  readonly now: number;
  readonly zone: string;
  /** The reader; a decision of somebody else is shown with that person's name. */
  readonly to: string;
}

type Outcome = Under<'clarify.outcome'>;

const OUTCOMES: Readonly<Record<Approval['state'], Outcome>> = {
  pending: 'waiting',
  approved: 'running',
  executing: 'running',
  executed: 'done',
  failed: 'failed',
  side_effect_unknown: 'unknown',
  rejected: 'denied',
  expired: 'expired',
  stale: 'stale',
};

function outcomesOf(items: readonly Approval[], undo: readonly UndoItem[], clocks: Clocks): LetterBlock[] {
  const lines = [
    ...items.map((item) => ({ item, key: outcomeOf(item, clocks.now), number: item.number })),
    ...undo.map(({ state, number }) => ({ item: null, key: undoOutcome(state), number })),
  ];
  const isAlone = lines.length === 1;
  return lines.flatMap(({ item, key, number }): LetterBlock[] => {
    const text = told(key, item, clocks);
    const asked = item === null ? [] : askedAbout(item, isAlone ? null : `${number}.`, clocks.language);
    return [...asked, paragraph(isAlone || asked.length > 0 ? text : `${number}. ${text}`)];
  });
}

/** An answer to a mail of last month means nothing to whoever reads what became of it without the question. */
function askedAbout(item: Approval, number: string | null, language: Language): LetterBlock[] {
  if (askedKind(item).mail !== null) return number === null ? wordsOf(item, language) : [];
  return [
    { kind: 'heading', text: headingOf(questionOf({ tool: item.tool, args: argumentsOf(item) }, language), number) },
  ];
}

const undoOutcome = (state: UndoItem['state']): Outcome => (state === 'undone' ? 'undone' : 'expired');

function outcomeOf(item: Approval, now: number): Outcome {
  const { state, reason, expires_at } = item;
  if (state === 'pending') return expires_at > now ? 'waiting' : 'expired';
  if (isClosedByStop(item)) return 'stopped';
  if (state === 'stale' && reason === TAKEN_BACK) return 'undone';
  if (state === 'stale') return isChanged(item) ? 'edited' : 'stale';
  return askedKind(item).answeredBy === 'words' && state !== 'expired' ? 'answered' : OUTCOMES[state];
}

function told(key: Outcome, item: Approval | null, { language, now, zone, to }: Clocks): string {
  const at = item?.decided_at ?? null;
  const said = say(language, `clarify.outcome.${key}`, { at: at === null ? '' : clockOf(at, now, language, zone) });
  const by = item?.decided_by;
  return by?.includes('@') && by !== to ? `${said} (${visible(by)})` : said;
}

/** The time on the clocks of a zone, with the day where it is another one. */
function clockOf(at: number, now: number, language: Language, zone: string): string {
  const day = new Intl.DateTimeFormat(language, { timeZone: zone, dateStyle: 'medium' });
  const time = new Intl.DateTimeFormat(language, {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return day.format(at) === day.format(now) ? time.format(at) : `${day.format(at)}, ${time.format(at)}`;
}

/** What still waits, as it was asked. */
async function questionAgain(
  store: Store,
  { open, items }: { readonly open: readonly Approval[]; readonly items: readonly Approval[] },
  { artifacts }: ReturnType<ApprovalMailDeps['filesOf']>,
  { language, isAsking }: { readonly language: Language; readonly isAsking: boolean },
): Promise<{ blocks: readonly LetterBlock[]; files: readonly Enclosed[] }> {
  const [only] = open;
  if (!only) return { blocks: [], files: [] };
  const isAlone = askedKind(only).mail !== null;
  const how = paragraph(howToAnswer(isAlone ? [only] : items, language));
  if (isAlone) {
    const shown = isAsking
      ? await describeParts([{ ...partOf(only), tool: null, args: {} }], artifacts, { language, fresh: new Set() })
      : null;
    return { blocks: [...wordsOf(only, language), ...(shown?.blocks.flat() ?? []), how], files: shown?.files ?? [] };
  }
  const calls = open.map((approval) => ({ tool: approval.tool, args: argumentsOf(approval) }));
  const parts = open.map((approval) => partOf(approval, items.length > 1 ? `${approval.number} ` : ''));
  const described = await describeParts(parts, artifacts, { language, fresh: await freshAmong(store, calls) });
  const blocks = open.flatMap((approval, index): LetterBlock[] => {
    const question = questionOf(calls[index] ?? { tool: approval.tool, args: {} }, language);
    const text = headingOf(question, items.length > 1 ? `${approval.number ?? index + 1}.` : null);
    return [{ kind: 'heading', text }, ...(described.blocks[index] ?? [])];
  });
  return { blocks: [...blocks, how], files: described.files };
}

/** A question in its own words, a plan by its steps; what exactly each is stands in the first mail. */
function wordsOf(approval: Approval, language: Language): LetterBlock[] {
  const args = argumentsOf(approval);
  const question = askedKind(approval).question(args);
  if (question !== null) return [{ kind: 'box', label: null, text: visible(question), code: false }];
  return stepsIn(args).map(({ tool, arguments: args }, index) => ({
    kind: 'heading',
    text: headingOf(questionOf({ tool, args }, language), `${say(language, 'mails.labels.step')} ${index + 1}:`),
  }));
}
