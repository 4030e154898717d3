import type { Log } from '#contract';
import type { Persona } from '../../config/types.ts';
import { causeOfStatus } from '../../languages/causes.ts';
import type { Language } from '../../languages/language.ts';
import { byLanguage } from '../../languages/owner-language.ts';
import { say } from '../../languages/say.ts';
import { clockTime } from '../../languages/times.ts';
import { HOUR_MS } from '../../lib/time.ts';
import type { LetterBlock } from '../../mail/compose/compose.ts';
import { matchesPattern } from '../../mail/mime/address.ts';
import { withoutDirections } from '../../mail/text/invisible.ts';
import { handleJobs, type Job, type JobHandler } from '../../record/jobs/jobs.ts';
import {
  gatheredAs,
  type NoticePayload,
  notice,
  readNewest,
  type SingleNotice,
  type Undelivered,
} from '../../record/jobs/notice-job.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { Again, ApprovalNotice, Offered } from '../../storage/types/approvals.ts';
import type { GatheredKind } from '../../storage/types/jobs.ts';
import type { StoredMessage } from '../../storage/types/mail.ts';
import type { OutgoingMail } from '../../storage/types/outbox.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import { answerAddress, choices, inLine, reference } from '../questions/approval-text.ts';
import { requestOf, whoOf } from '../questions/requests.ts';
import { noticeOf as answerable, type OwnerMailDeps, readersOf, writeOwnerMail } from './owner-mail.ts';

interface NoticeDeps extends OwnerMailDeps {
  hint(text: string): string;
  readonly log: Log;
}

/** Turns a `notice` job into mail to the persona's owners. A job's id is its purpose: one mail each, ever. */
export function createNoticeWriter(deps: NoticeDeps): JobHandler {
  return handleJobs(notice, (persona, job, store) => writeNotice(deps, persona, job, store));
}

interface Single extends UndeliveredNotice {
  /** It goes to whoever asked for something, and not to owners. */
  readonly isToAsker?: true;
}

interface Notice extends Single {
  /** The gathered messages that the notice tells of. */
  readonly gathered: { readonly kind: GatheredKind; readonly count: number } | null;
}

/** What a notice says; null when what was gathered has been told, or there is nobody to tell. */
async function noticeOf(persona: Persona, job: Job<NoticePayload>, store: Store): Promise<Notice | null> {
  const { payload } = job;
  if (!('gathered' in payload)) {
    const told = await toldOf(persona, store, payload);
    return told && { ...told, gathered: null };
  }
  const kind = payload.gathered;
  const row = await store.gathered(kind);
  if (kind === 'made_for_others') {
    if (!row || row.count === 0) return null;
    const text = say(persona.language, 'receipt.madeForOthers', { count: row.count });
    return { subject: text, text, language: persona.language, gathered: { kind, count: row.count } };
  }
  if (!row || row.count === 0 || row.newest_json === null) return null;
  const newest = await toldOf(persona, store, readNewest(row.newest_json));
  if (!newest) return null;
  const since = clockTime(row.first_at ?? row.since, { language: newest.language, zone: persona.timezone });
  return {
    ...newest,
    subject:
      row.count === 1
        ? newest.subject
        : `${newest.subject}${say(newest.language, 'notices.moreInSubject', { count: row.count - 1 })}`,
    text: [say(newest.language, 'notices.more', { count: row.count, since }), newest.text].join('\n\n'),
    gathered: { kind, count: row.count },
  };
}

async function toldOf(persona: Persona, store: Store, payload: SingleNotice): Promise<Single | null> {
  if (!('undelivered' in payload)) {
    const { to, again, about, in: each, ...words } = payload;
    const { language } = persona;
    return {
      ...(each?.[language] ?? words),
      ...(to === undefined ? {} : { to }),
      ...(again === undefined ? {} : { again }),
      ...(about === undefined ? {} : { about }),
      language,
    };
  }
  if (!payload.to_asker) return undeliveredToOwners(persona, store, payload.undelivered);
  const told = await undeliveredToAsker(persona, store, payload.undelivered);
  return told && { ...told, isToAsker: true };
}

async function writeNotice(deps: NoticeDeps, persona: Persona, job: Job<NoticePayload>, store: Store): Promise<void> {
  const found = await noticeOf(persona, job, store);
  if (found === null) return store.endJob(job.id);
  const readers = found.to === undefined ? readersOf(deps, persona) : [found.to];
  if (readers.length === 0) {
    deps.log.warn(
      { persona: persona.id, subject: withoutDirections(found.subject) },
      'a notice has nobody to go to: neither an owner nor system.json admin_contact is set',
    );
    return store.endJob(job.id);
  }
  const mails: OutgoingMail[] = [];
  // Whoever asked for a mail that did not arrive hears of it in the language of the own request.
  const groups = found.isToAsker
    ? [{ language: found.language, to: readers }]
    : await byLanguage(store, persona, readers);
  // The administrator of a persona without owners decides nothing by mail.
  const token = found.again === undefined || persona.owners.length === 0 ? null : deps.ids.random(16);
  for (const { language, to } of groups) {
    const said = found.isToAsker ? found : await noticeOf({ ...persona, language }, job, store);
    const purpose = mails.length === 0 ? job.id : `${job.id}:${language}`;
    if (said !== null) mails.push(await noticeMail(deps, persona, { ...said, language, readers: to, purpose, token }));
  }
  const [first, ...also] = mails;
  if (!first) return store.endJob(job.id);
  await store.queueNotice(job.id, also.length === 0 ? first : { ...first, also }, {
    ...(token === null || found.again === undefined ? {} : { notice: offering(deps, first, token, found.again) }),
    told: found.gathered && { ...gatheredAs(found.gathered.kind), count: found.gathered.count, now: deps.clock.now() },
  });
}

function noticeMail(
  deps: NoticeDeps,
  persona: Persona,
  found: Notice & { readonly readers: readonly string[]; readonly purpose: string; readonly token: string | null },
): Promise<OutgoingMail> {
  const { readers: to, purpose, language, subject, token, again, about } = found;
  const byCommand = again === undefined || token !== null ? [] : [commandFor(again, language)];
  // They quote subjects and names of others.
  const text = deps.hint(withoutDirections([found.text, ...byCommand].join('\n\n'))).split(/\n\n|\n(?=- )/);
  const answerTo = token === null ? null : answerAddress(persona, token);
  return writeOwnerMail(deps, persona, {
    kind: 'notice',
    purpose,
    subject,
    namesItself: found.to !== undefined,
    language,
    to,
    text: [
      ...text.map((part) => ({ kind: 'text', text: part }) as const),
      ...(again === undefined || token === null || answerTo === null
        ? []
        : againBlocks(again, { to: answerTo, subject: `[${persona.name}] ${subject}`, token, language })),
    ],
    replyTo: answerTo,
    headers: {},
    ...(about === undefined ? {} : { about }),
  });
}

/** A setting can be switched on whenever its owner comes to it. */
const NO_END = Number.MAX_SAFE_INTEGER;

/** What is kept of a notice that an owner may answer to have something done once more. */
export const offering = (deps: OwnerMailDeps, mail: OutgoingMail, token: string, again: Again): ApprovalNotice => ({
  ...answerable(deps, mail, token),
  again_json: JSON.stringify({
    items: [again],
    until: 'setting' in again ? NO_END : deps.clock.now() + deps.configs().security.approvals.ttl_hours * HOUR_MS,
  } satisfies Offered),
});

export function againBlocks(
  again: Again,
  { to, subject, token, language }: { to: string; subject: string; token: string; language: Language },
): LetterBlock[] {
  return [
    choices(
      to,
      subject,
      'budget' in again
        ? [{ label: say(language, 'mails.buttons.goOn'), tone: 'go', body: say(language, 'mails.answers.goOn') }]
        : 'setting' in again
          ? [
              { label: say(language, 'mails.buttons.approve'), tone: 'go', body: say(language, 'mails.answers.yes') },
              { label: say(language, 'mails.buttons.deny'), tone: 'stop', body: say(language, 'mails.answers.no') },
            ]
          : 'thread' in again
            ? [
                {
                  label: say(language, 'mails.buttons.giveBack'),
                  tone: 'go',
                  body: say(language, 'mails.answers.giveBack'),
                },
              ]
            : [{ label: say(language, 'mails.buttons.again'), tone: 'go', body: say(language, 'mails.answers.again') }],
    ),
    { kind: 'text', text: say(language, `notices.howAgain.${kindOfAgain(again)}`) },
    reference(token, language, true),
  ];
}

const KINDS = ['outbox', 'run', 'mail', 'letter', 'mailbox', 'task', 'setting', 'thread', 'budget'] as const;
const kindOfAgain = (again: Again): (typeof KINDS)[number] => KINDS.find((kind) => kind in again) ?? 'mail';

function commandOf(again: Exclude<Again, { outbox: string } | { run: string } | { budget: string }>): string {
  if ('mail' in again) return `mail retry ${again.mail}`;
  if ('setting' in again) return `config set security approvals.${again.setting} count`;
  if ('thread' in again) return `threads give ${again.thread}`;
  if ('letter' in again) return `deadletters requeue ${again.letter}`;
  return 'task' in again ? `tasks resume ${again.task}` : `mailbox resync ${again.mailbox} --take`;
}

/** For whoever cannot have it done by an answer. */
function commandFor(again: Again, language: Language): string {
  if ('outbox' in again) return say(language, 'notices.again', { outboxId: again.outbox });
  if ('run' in again) return say(language, 'notices.details', { runId: again.run });
  // Its notice names the file in which the budget stands.
  if ('budget' in again) return '';
  const command = commandOf(again);
  return say(language, 'notices.byCommand', { command: `epistle ${command}` });
}

interface UndeliveredNotice {
  readonly subject: string;
  readonly text: string;
  readonly language: Language;
  readonly to?: string;
  readonly again?: Again;
  /** The mail that it answers. */
  readonly about?: string;
}

/** What owners are told of a mail of ours that did not arrive; null where it is on record no more. */
async function undeliveredToOwners(
  persona: Persona,
  store: Store,
  facts: Undelivered,
): Promise<UndeliveredNotice | null> {
  const found = await mailOf(persona, store, facts);
  if (!found) return null;
  const { subject, asker } = found;
  const { language } = persona;
  const text = [
    ...facts.failed.map((one) => lineOf(one, subject, language, 'notices.undelivered')),
    ...(asker === null ? [] : [say(language, 'notices.sentFor', { who: asker.who })]),
  ].join('\n\n');
  const again = { outbox: facts.outbox_id };
  return { subject: say(language, 'notices.undeliveredSubject', { subject }), text, language, again };
}

/** The same to the one for whom it was sent; null where that is nobody, or an owner, who hears of it anyway. */
async function undeliveredToAsker(
  persona: Persona,
  store: Store,
  facts: Undelivered,
): Promise<UndeliveredNotice | null> {
  const found = await mailOf(persona, store, facts);
  if (!found?.asker) return null;
  const { subject, language, asker } = found;
  const lines = facts.failed.map((one) => lineOf(one, subject, language, 'notices.sentForYou'));
  return {
    subject: say(language, 'notices.undeliveredSubject', { subject }),
    text: lines.join('\n\n'),
    language,
    to: asker.address,
  };
}

async function mailOf(persona: Persona, store: Store, { outbox_id, failed }: Undelivered) {
  const mail = await store.getOutbox(outbox_id);
  if (!mail) return null;
  const request = mail.run_id === '' ? null : await requestOf(store, persona, mail.run_id);
  const [message] = await store.messagesByMessageId(mail.message_id);
  const subject = inLine(message?.subject ?? '', 120);
  const asker = request ? askerOf(persona, request, failed) : null;
  return { subject, language: request?.language ?? persona.language, asker };
}

/** Whoever belongs here and asked for it; not the one whom it did not reach, and no owner. */
function askerOf(
  persona: Persona,
  { run, message }: { run: StoredRun; message: StoredMessage | undefined },
  failed: Undelivered['failed'],
): { who: string; address: string } | null {
  const address = message?.reply_to ?? message?.from_address;
  if (!message || !address || run.kind === 'task' || (run.tier !== 'member' && run.tier !== 'owner')) return null;
  if (persona.owners.some((owner) => matchesPattern(run.sender ?? '', owner))) return null;
  const same = (one: string) => one.toLowerCase() === address.toLowerCase();
  return failed.some((one) => same(one.address)) ? null : { who: whoOf(message), address };
}

type Failure = Undelivered['failed'][number];

function lineOf(
  failure: Failure,
  subject: string,
  language: Language,
  key: 'notices.undelivered' | 'notices.sentForYou',
): string {
  const to = inLine(failure.address, 200);
  return failure.why === 'uncertain'
    ? say(language, 'notices.uncertain', { subject, to })
    : say(language, key, { subject, to, cause: causeOf(failure, language) });
}

/** The status in words, and as it was said. */
function causeOf({ status, why }: Failure, language: Language): string {
  const cause = say(
    language,
    `notices.mailCauses.${causeOfStatus(status) ?? (why === 'refused' ? 'refused' : 'unreachable')}`,
  );
  return status === null ? cause : `${cause} (${inLine(status, 20)})`;
}
