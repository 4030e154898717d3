import type { Configs, Persona } from '../../config/types.ts';
import type { Language } from '../../languages/language.ts';
import { languageOf } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { sizeOf } from '../../languages/sizes.ts';
import type { PassCrashPoint } from '../../lib/crash-points.ts';
import { sha256 } from '../../lib/ids.ts';
import { isAutoSubmitted } from '../../mail/classify.ts';
import { type LetterBlock, referencesFor, replySubject } from '../../mail/compose/compose.ts';
import { isSendable } from '../../mail/mime/address.ts';
import { typeSentOn } from '../../mail/mime/attachment-name.ts';
import { writtenWithAsked } from '../../mail/pieces/pieces-of.ts';
import { hadCopy, isOnlyCopied, isToldOfAnswer, type PassedOn, passedOn } from '../../mail/told-of-answer.ts';
import { relay } from '../../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import { answeredRequestOf } from '../../record/trigger.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { AnsweredRequest, LoadedRun } from '../../storage/ports/runs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { RawFiles } from '../../storage/raw-mail.ts';
import type { NewAttachment, NewMessage, StoredAttachment } from '../../storage/types/mail.ts';
import type { OutgoingMail } from '../../storage/types/outbox.ts';
import { inLine, visible } from '../questions/approval-text.ts';
import type { Enclosed } from '../questions/enclosures.ts';
import { nameOf, whoOf } from '../questions/requests.ts';
import { type OwnerMailDeps, writeOwnerMail } from './owner-mail.ts';
import { saysInHeaders, wantsSilence } from './wait-notice.ts';

const MAX_QUOTED = 2000;
/** Names of files that one sentence lists, and letters of each. */
const MAX_NAMED = 10;
const MAX_NAME = 80;

/**
 * Tells the one who asked for a mail what was answered to it, in the thread of the request: once for each answer, by the
 * key of the outbox. It says what was written, whatever a model may write to them of it, and brings the files that came.
 */
export function createRelayWriter(
  deps: OwnerMailDeps & {
    configs(): Configs;
    filesOf(personaId: string): RawFiles & { readonly artifacts: Pick<Blobs, 'get' | 'has'> };
    readonly pass: PassCrashPoint;
  },
): JobHandler {
  return handleJobs(relay, async (persona, job, store) => {
    const { run_id: runId } = job.payload;
    const loaded = await store.loadRun(runId);
    const asked = loaded && answeredRequestOf(loaded);
    const to = asked && (asked.request.reply_to ?? asked.request.from_address);
    if (!loaded || !asked || !to || !isSendable(to)) return store.endJob(job.id);
    const { run, sent, request } = asked;
    const access = deps.configs().security.gateway_access;
    const files = deps.filesOf(persona.id);
    const { sender, thread_id: threadId } = loaded.run;
    const rules = await store.rulesFor({ sender: sender ?? '', threadId, now: deps.clock.now() });
    const isTold =
      isToldOfAnswer({ asker: run, sent, answer: loaded.message }, persona, access) &&
      !isOnlyCopied({ sent, answer: loaded.message }, rules) &&
      // Another persona answers as a program does, and is let in for what it says to us alone.
      !(await saysInHeaders(isAutoSubmitted, { store, files, message: loaded.message })) &&
      !(await wantsSilence(store, files, request));
    if (!isTold) return store.endJob(job.id);
    const language = languageOf([request.new_text], persona.language);
    const who = nameOf(loaded.message);
    const became = say(language, `relay.${await whatBecameOf(loaded, store)}`, { who });
    const passed = await filesToPassOn(loaded.attachments, files.artifacts);
    const blocks = blocksOf(loaded, { asked, language, became, passed });
    const mail = await writeOwnerMail(deps, persona, {
      kind: 'relay',
      purpose: 'relay',
      runId,
      subject: replySubject(request.subject),
      text: blocks,
      language,
      replyTo: null,
      headers: {},
      to: [to],
      files: passed.files,
      inThread: {
        threadId: request.thread_id,
        inReplyTo: request.message_id,
        references: referencesTo(request),
      },
    });
    const message = rowInThread(mail, asked.request, blocks, persona);
    // Theirs from now on, as what they were sent themselves: to read, to find, to have sent on.
    const attachments = [...passed.along, ...passed.large].map(
      ({ id: _, ...file }, position): NewAttachment => ({
        ...file,
        id: `att_${deps.ids.random(6)}`,
        message: message.id,
        position,
      }),
    );
    await store.queueNotice(job.id, mail, { message, attachments });
    deps.pass('relay.told');
  });
}

/** The note in the request's thread, where later runs see it: what was answered stands apart from our own words. */
export function rowInThread(
  { row, recipients }: OutgoingMail,
  request: AnsweredRequest['request'],
  blocks: readonly LetterBlock[],
  persona: Persona,
): NewMessage {
  const textOf = (kind: 'text' | 'said') =>
    blocks.flatMap((block) => (block.kind === kind ? [block.text] : [])).join('\n\n');
  const text = textOf('text');
  return {
    id: row.id,
    thread_id: request.thread_id,
    direction: 'out',
    message_id: row.message_id,
    from_address: persona.address.toLowerCase(),
    from_name: persona.name,
    to: recipients,
    cc: [],
    subject: replySubject(request.subject),
    in_reply_to: request.message_id,
    references: referencesTo(request),
    date: row.created_at,
    received_at: row.created_at,
    text,
    new_text: text,
    forwarded_text: textOf('said'),
  };
}

const referencesTo = ({ message_id: messageId, references }: AnsweredRequest['request']): readonly string[] =>
  referencesFor({ messageId, references, inReplyTo: [] });

interface FilesPassedOn extends PassedOn<StoredAttachment> {
  /** Those whose bytes are not there any more, or are others. */
  readonly lost: readonly StoredAttachment[];
  /** Those that go along, as the mail carries them. */
  readonly files: readonly Enclosed[];
}

/** Rejects where bytes that are there cannot be read now: the note is written later, whole. */
async function filesToPassOn(
  attachments: readonly StoredAttachment[],
  artifacts: Pick<Blobs, 'get' | 'has'>,
): Promise<FilesPassedOn> {
  const { along, ...rest } = passedOn(attachments);
  const read = await Promise.all(
    along.map(async (file) => ({
      file,
      content: artifacts.has(file.sha256) ? await artifacts.get(file.sha256) : null,
    })),
  );
  const found = read.flatMap(({ file, content }) =>
    content !== null && sha256(content) === file.sha256 ? [{ file, content }] : [],
  );
  return {
    ...rest,
    along: found.map(({ file }) => file),
    lost: along.filter((one) => !found.some(({ file }) => file === one)),
    files: found.map(({ file, content }) => ({ name: file.name, type: typeSentOn(file), content })),
  };
}

function namesOfFiles(files: readonly StoredAttachment[], language: Language): string {
  const named = files
    .slice(0, MAX_NAMED)
    .map(({ name, bytes }) => `${inLine(name, MAX_NAME)} (${sizeOf(bytes, language)})`);
  const more = files.length - named.length;
  return [...named, ...(more > 0 ? [say(language, 'receipt.more', { count: more })] : [])].join(', ');
}

function blocksOf(
  { message }: LoadedRun,
  {
    asked: { sent },
    language,
    became,
    passed: { along, large, unkept, lost },
  }: {
    readonly asked: AnsweredRequest;
    readonly language: Language;
    readonly became: string;
    readonly passed: FilesPassedOn;
  },
): LetterBlock[] {
  const text = writtenWithAsked(message).trim();
  const shown = text.slice(0, MAX_QUOTED).replace(/[\ud800-\udbff]$/, '');
  const rest = text.length - shown.length;
  return [
    {
      kind: 'text',
      text: say(language, hadCopy({ sent, answer: message }) ? 'relay.copied' : 'relay.answered', {
        who: whoOf(message),
        subject: inLine(sent.subject, 120),
      }),
    },
    ...(shown === '' ? [] : [{ kind: 'said', text: visible(shown) } as const]),
    ...(rest > 0 ? [{ kind: 'text', text: say(language, 'relay.more', { count: rest }) } as const] : []),
    ...(
      [
        ['relay.files', along],
        ['relay.filesLarge', large],
        ['relay.filesUnkept', unkept],
        ['relay.filesLost', lost],
      ] as const
    ).flatMap(([key, files]): LetterBlock[] =>
      files.length === 0
        ? []
        : [{ kind: 'text', text: say(language, key, { count: files.length, files: namesOfFiles(files, language) }) }],
    ),
    { kind: 'text', text: became },
  ];
}

async function whatBecameOf(
  { run: { status, reply_message_id }, events }: Pick<LoadedRun, 'run' | 'events'>,
  store: Pick<Store, 'outboxByMessageId' | 'getDraft'>,
): Promise<'replied' | 'silent' | 'soFar' | 'open'> {
  if (reply_message_id !== null) {
    const mail = await store.outboxByMessageId(reply_message_id);
    // What lies in Drafts has been said to nobody.
    return mail && mail.state !== 'sent' && (await store.getDraft(mail.id)) ? 'open' : 'replied';
  }
  const isOver = status === 'done' || status === 'failed' || status === 'cancelled';
  // What was said beside a question to an owner has left already, and the final may be hours away.
  if (events.some(({ type }) => type === 'answered_so_far')) return isOver ? 'replied' : 'soFar';
  return isOver ? 'silent' : 'open';
}
