import { z } from 'zod';
import type { Persona } from '../../config/types.ts';
import type { Language } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { dateInWords, dayAndTime, type ReaderLocale } from '../../languages/times.ts';
import { ownToolInWords, toolInWords } from '../../languages/tools.ts';
import { sha256 } from '../../lib/ids.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { LetterBlock } from '../../mail/compose/compose.ts';
import { learnedChangeIn } from '../../record/codec/remembered.ts';
import { learnedDigest, learnedDigestJob, undoNotice, undoNoticeJob } from '../../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { UndoneKind } from '../../storage/ports/undo.ts';
import type { UndoItem } from '../../storage/types/approvals.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import { answerAddress, choices, inLine, reference } from '../questions/approval-text.ts';
import { callBlocks } from '../questions/call-blocks.ts';
import { readersAbout, requestBlocks, requestOf } from '../questions/requests.ts';
import { noticeOf, type OwnerMailDeps, readersOf, writeInEach } from './owner-mail.ts';

/** Tells the owners of what was done and can be taken back, under a token by which `undo` finds it. */
export function createUndoNoticeWriter(deps: OwnerMailDeps): JobHandler {
  return handleJobs(undoNotice, async (persona, job, store) => {
    const now = deps.clock.now();
    // Several things that one answer decides are carried out one after the other, and told of in one mail.
    if (await store.areMoreDecided(now - DECIDED_MS)) return store.delayJob(job.id, now + SOON_MS);
    return tellOf(deps, { of: 'calls', job: undoNoticeJob }, { persona, jobId: job.id, store });
  });
}

/** What has not been carried out by then waits for something, and is not waited for. */
const DECIDED_MS = 60_000;
const SOON_MS = 1000;

/** The same of what was learned: at once where nothing was told for a day, else all that came since together. */
export function createLearnedDigestWriter(deps: OwnerMailDeps): JobHandler {
  return handleJobs(learnedDigest, async (persona, job, store) => {
    const [last, now] = [await store.learnedToldAt(), deps.clock.now()];
    // The clock may have been set back.
    const isEarly = last !== null && now >= last && now < last + DAY_MS;
    if (isEarly) return store.delayJob(job.id, last + DAY_MS);
    return tellOf(deps, { of: 'learned', job: learnedDigestJob }, { persona, jobId: job.id, store });
  });
}

async function tellOf(
  deps: OwnerMailDeps,
  kind: { readonly of: UndoneKind; job(now: number): NewJob },
  { persona, jobId, store }: { readonly persona: Persona; readonly jobId: string; readonly store: Store },
): Promise<void> {
  const items = await store.unnoticedUndo(kind.of);
  const all = readersOf(deps, persona);
  const [first] = items;
  if (!first || all.length === 0) return store.endJob(jobId);
  const token = deps.ids.random(16);
  // A change of a playbook follows from many mails.
  const request = kind.of === 'calls' ? await requestOf(store, persona, first.run_id) : null;
  const readers = await readersAbout(store, persona, { readers: all, request });
  const mail = await writeInEach(deps, persona, readers, ({ language }) => {
    const place = { language, zone: persona.timezone };
    const subject = say(language, 'mails.undoSubject', { name: persona.name, what: whatWasDone(items, language) });
    const to = answerAddress(persona, token);
    const text: LetterBlock[] = [
      { kind: 'text', text: say(language, 'mails.undoDone') },
      ...items.flatMap((item, index) =>
        itemBlocks(item, items.length === 1 ? null : index + 1, { to, subject, place }),
      ),
      ...howBlocks(items.length, { to, subject, language }),
      // What was done and how it is taken back comes first; whose wish it was stands below.
      ...(request
        ? requestBlocks(request, { persona, place, now: deps.clock.now(), calls: items.map((item) => item.arguments) })
        : []),
      reference(token, language, true),
    ];
    return {
      kind: 'notice',
      subject,
      namesItself: true,
      text,
      replyTo: to,
      headers: {},
      purpose: `undo:${sha256(token).slice(0, 32)}`,
    };
  });
  const numbered = items.map(({ id }, index) => ({ id, number: index + 1 }));
  const notice = noticeOf(deps, mail, token);
  await store.sendUndoNotice(notice, numbered, mail, { of: kind.of, job: kind.job(notice.created_at) });
}

const whatWasDone = (items: readonly UndoItem[], language: Language): string =>
  items.length === 1 && items[0]
    ? didOf(items[0], language)
    : say(language, items.every(isDeletion) ? 'mails.didDeletes' : 'mails.undoneCount', { count: items.length });

function itemBlocks(
  item: UndoItem,
  number: number | null,
  { to, subject, place }: { to: string; subject: string; place: ReaderLocale },
): LetterBlock[] {
  const did = didOf(item, place.language);
  return [
    { kind: 'heading', text: number === null ? did : `${number}. ${did}` },
    ...argumentBlocks(item, place),
    { kind: 'small', text: say(place.language, 'mails.undoUntil', { when: dayAndTime(item.until, place) }) },
    ...(number === null
      ? []
      : [
          choices(to, subject, [
            {
              label: `${say(place.language, 'mails.buttons.undo')} ${number}`,
              tone: 'stop',
              body: `${say(place.language, 'mails.answers.undo')} ${number}`,
            },
          ]),
        ]),
  ];
}

function howBlocks(
  count: number,
  { to, subject, language }: { to: string; subject: string; language: Language },
): LetterBlock[] {
  if (count === 1)
    return [
      choices(to, subject, [
        { label: say(language, 'mails.buttons.undo'), tone: 'stop', body: say(language, 'mails.answers.undo') },
      ]),
      { kind: 'text', text: say(language, 'mails.howUndo') },
    ];
  const numbers = Array.from({ length: count }, (_, index) => index + 1).join(', ');
  return [
    choices(to, subject, [
      {
        label: say(language, 'mails.buttons.undoAll'),
        tone: 'stop',
        body: `${say(language, 'mails.answers.undo')} ${numbers}`,
      },
    ]),
    { kind: 'text', text: say(language, 'mails.howUndoSeveral') },
  ];
}

const isDeletion = ({ tool, arguments: args }: UndoItem): boolean =>
  tool === 'delete_file' && typeof args.path === 'string';

const keptRule = z.object({
  text: z.string(),
  result: z.enum(['kept', 'again', 'ended']),
  whom: z.array(z.string()).optional(),
});

/** What was kept or ended of what is to hold from now on; its words say all. */
const ruleIn = ({ tool, result }: UndoItem): z.infer<typeof keptRule> | null =>
  tool === 'remember_rule' ? (keptRule.safeParse(result).data ?? null) : null;

const percent = (score: number): number => Math.round(score * 100);

function didOf(item: UndoItem, language: Language): string {
  const change = learnedChangeIn(item);
  if (change) {
    const { kind, from, to, from_score: before, to_score: after } = change;
    return say(language, 'mails.didLearn', { kind, from, to, before: percent(before), now: percent(after) });
  }
  const { path } = item.arguments;
  const rule = ruleIn(item);
  if (rule) {
    const text = inLine(rule.text, 200);
    return rule.result === 'ended'
      ? say(language, 'mails.didEndRule', { text })
      : say(language, 'mails.didRule', { text });
  }
  if (isDeletion(item)) return say(language, 'mails.didDelete', { path: inLine(String(path), 200) });
  const what = ownToolInWords(item.tool, language);
  return what === null
    ? say(language, 'mails.didUse', { tool: inLine(toolInWords(item.tool, language), 64) })
    : `${say(language, 'receipt.done')}: ${what}`;
}

/** What it lets go by itself is to be seen by whoever can take it back. */
function keptBlocks(
  { whom = [] }: z.infer<typeof keptRule>,
  { arguments: { until } }: UndoItem,
  language: Language,
): LetterBlock[] {
  const lines = [
    ...(whom.length === 0 ? [] : [say(language, 'rules.order', { named: whom.join(', ') })]),
    ...(typeof until === 'string' ? [say(language, 'rules.until', { day: dateInWords(until, language) })] : []),
  ];
  return lines.map((text) => ({ kind: 'text', text }));
}

/** A deletion and a change of a playbook show no arguments: what is said of them says all. */
function argumentBlocks(item: UndoItem, { language }: Pick<ReaderLocale, 'language'>): LetterBlock[] {
  const change = learnedChangeIn(item);
  const rule = ruleIn(item);
  // Of when it ends only the model has said the day: one that is wrong is to be seen.
  if (rule?.result === 'kept') return keptBlocks(rule, item, language);
  if (change !== null || isDeletion(item) || rule) return [];
  return callBlocks(
    { tool: item.tool, args: item.arguments, preview: null },
    { language, fresh: new Set(), enclosedAs: () => null },
  );
}
