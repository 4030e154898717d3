import type { ModelMessage } from '#contract';
import { sha256 } from '../../lib/ids.ts';
import { hideDisguised } from '../../lib/secrets/secrets.ts';
import { piecesOf, writtenWithAsked } from '../../mail/pieces/pieces-of.ts';
import { estimateMessage } from '../../models/tokens.ts';
import { type OnRecord, type QuoteRecord, quotesOn } from '../../policy/values/quoted.ts';
import { EARLIER_SUBJECT, filesIn, type ShownPiece, shownOfSubject, shownOfWords } from '../../policy/values/shown.ts';
import type { Asker } from '../../policy/viewer.ts';
import { readMessages } from '../../record/codec/run-events.ts';
import { DONE_BEFORE } from '../../record/origins.ts';
import type { SeenMessage } from '../../storage/types/mail.ts';
import { type AnswerVoice, besideAnswers, CALLED_WITH, OF_RECEIPT, quotedText } from '../respond/texts.ts';

/** Reads what the run may see of a thread's messages, newest first, a page at a time. */
type ThreadPage = (beforeSeq: number, limit: number) => Promise<readonly SeenMessage[]>;

export interface History {
  /** Oldest first: each mail, then the answer to it. */
  readonly messages: readonly ModelMessage[];
  /** The thread's new `history_from`. */
  readonly from: number;
  /** The newest message of the thread that there was. */
  readonly until: number;
  /** Mails of the thread that are older than what is shown. */
  readonly omitted: number;
  /** The same piece by piece, with where each came from. */
  readonly shown: readonly ShownPiece[];
  /** Of it, what others had no part in: the mail that is answered may quote it. */
  readonly record: QuoteRecord;
}

interface HistoryReader {
  readonly asker: Asker;
  readonly isShared: boolean;
}

interface Turn {
  readonly seq: number;
  /** Of the mail that it began with, which may be one that is not shown. */
  readonly asked: number;
  readonly messages: readonly ModelMessage[];
  readonly tokens: number;
  readonly mails: number;
  readonly rows: readonly SeenMessage[];
  readonly isOwn: boolean;
}

const PAGE = 50;
/** Over budget, the history is cut to this share, so that the cut (and the lost cache) comes once in many mails. */
const KEEP = 0.6;
/** As much as of the mail that is answered. */
const MAX_FORWARDED = 20_000;
const MAX_FILES = 50;

/**
 * The newest unbroken stretch of the thread that fits. Reads no further back than `from` or the budget,
 * whichever is nearer, so its cost does not grow with the thread.
 */
export async function loadHistory(options: {
  page: ThreadPage;
  /** The mail being answered: later mail has its own run, and replies to earlier mail come before it. */
  current: { readonly seq: number };
  from: number;
  /** Reads nothing newer: what a run was shown at first it is shown to its end. */
  until?: number;
  budgetTokens: number;
  messageCount: number;
  /** Whose mail is answered. */
  asker: Asker;
  /** Others get the answer as well: what tools brought was for the asker. */
  isShared?: boolean;
  /** Who answers in it; absent: nobody knows what stands around an answer. */
  voice?: AnswerVoice | undefined;
}): Promise<History> {
  const { page, current, from, until = Number.MAX_SAFE_INTEGER - 1, budgetTokens, messageCount } = options;
  const reader: HistoryReader = { asker: options.asker, isShared: options.isShared === true };
  const turns: Turn[] = [];
  let tokens = 0;
  let newest = 0;
  let before = until + 1;
  let carried: SeenMessage[] = [];
  for (;;) {
    const rows = await page(before, PAGE);
    before = rows.at(-1)?.seq ?? 0;
    newest = Math.max(newest, rows[0]?.seq ?? 0);
    const atStart = rows.length < PAGE || before <= from;
    const grouped = groupTurns([...carried, ...rows], atStart ? 0 : before, reader);
    carried = grouped.rest;
    for (const turn of grouped.turns.filter(({ seq, asked }) => asked < current.seq && seq >= from)) {
      turns.push(turn);
      tokens += turn.tokens;
    }
    if (tokens > budgetTokens || atStart) break;
  }
  turns.sort((a, b) => b.seq - a.seq);
  const kept = tokens <= budgetTokens ? turns : newestThatFit(turns, budgetTokens * KEEP);
  const shown = kept.reduce((sum, turn) => sum + turn.mails, 0);
  const pieces = shownOfTurns(kept, options.asker, options.voice);
  return {
    messages: kept.toReversed().flatMap((turn) => turn.messages),
    from: kept.length < turns.length ? (kept.at(-1)?.seq ?? current.seq) : from,
    until: newest,
    omitted: Math.max(0, messageCount - shown - 1),
    ...pieces,
  };
}

function newestThatFit(turns: readonly Turn[], budget: number): Turn[] {
  const kept: Turn[] = [];
  let tokens = 0;
  for (const turn of turns) {
    tokens += turn.tokens;
    // Stop at the first that does not fit: leaving it out and going on would read to the model as silence.
    if (tokens > budget) break;
    kept.push(turn);
  }
  return kept;
}

/** Joins each mail with the answers of its run. Answers to a mail that may be on the next page wait in `rest`. */
function groupTurns(
  rows: readonly SeenMessage[],
  /** The oldest that was read; 0: there is nothing older. */
  oldest: number,
  reader: HistoryReader,
): { turns: Turn[]; rest: SeenMessage[] } {
  const replies = Map.groupBy(
    rows.filter((row) => row.direction === 'out'),
    (row) => row.run_id ?? row.id,
  );
  const turns: Turn[] = [];
  for (const row of rows) {
    if (row.direction !== 'in') continue;
    const key = row.run_id ?? '';
    turns.push(turnOf([row, ...(replies.get(key) ?? []).toReversed()], isOwnOf(reader, row)));
    replies.delete(key);
  }
  const orphans = [...replies.values()].flat();
  // Mail that the persona sent without having been written to, or in answer to what this reader may not see.
  const alone = orphans.filter(
    ({ asked_seq }) => oldest === 0 || (asked_seq !== undefined && (asked_seq ?? oldest) >= oldest),
  );
  return {
    turns: [...turns, ...alone.map((row) => turnOf([row], reader.asker === null && !reader.isShared))],
    rest: orphans.filter((row) => !alone.includes(row)),
  };
}

/**
 * What tools returned is for whom they were called: a search for the owner goes over all mail, a member's only over
 * the member's own. The same goes for what stood beside a mail: what its sender's other requests wait for, for one.
 * So a later mail of the thread is shown that only where it would have been given the same, which is the rule of
 * `resolve_ref`, too.
 */
const isOwnOf = ({ asker, isShared }: HistoryReader, mail: SeenMessage): boolean =>
  !isShared && (asker === null || isSame(asker, mail));

const isSame = (asker: NonNullable<Asker>, mail: SeenMessage): boolean =>
  asker.tier === mail.tier && asker.address !== '' && asker.address === mail.from_address;

function turnOf(rows: readonly SeenMessage[], isOwn: boolean): Turn {
  const messages = joinTrace(rows.flatMap((row) => renderRow(row, isOwn)));
  const [first] = rows;
  const seq = first?.seq ?? 0;
  return {
    seq,
    asked: Math.min(seq, first?.asked_seq ?? seq),
    messages,
    tokens: messages.reduce((sum, message) => sum + estimateMessage(message), 0),
    mails: rows.length,
    rows,
    isOwn,
  };
}

/** Newest first, as the turns are. A mail may quote what stands above it, so that is looked at before. */
function shownOfTurns(
  turns: readonly Turn[],
  asker: Asker,
  voice: AnswerVoice | undefined,
): Pick<History, 'shown' | 'record'> {
  const record = emptyRecord(voice);
  const shown = turns.toReversed().map(({ rows, isOwn }) => {
    const answers = rows.filter(({ direction }) => direction === 'out');
    const isClean = answers.length > 0 && answers.every(({ clean }) => clean === 1);
    return rows.flatMap((row) => {
      const pieces = shownOfRow(row, { isOwn, asker, isClean, record });
      putOnRecord(record, row, pieces);
      return pieces;
    });
  });
  return { shown: shown.toReversed().flat(), record };
}

interface GrowingRecord extends QuoteRecord {
  readonly mails: OnRecord[];
  readonly names: string[];
  readonly addresses: string[];
  readonly subjects: string[];
}

const emptyRecord = (voice: AnswerVoice | undefined): GrowingRecord => ({
  mails: voice === undefined ? [] : besideAnswers(voice).map((text) => ({ text, isOurs: true })),
  names: voice === undefined ? [] : [voice.name],
  addresses: voice === undefined ? [] : [voice.address, ...voice.aliases],
  subjects: [],
});

/** Words of a mail that are the asker's or an owner's, and an answer of which the record says that no others' are in it. */
function putOnRecord(record: GrowingRecord, row: SeenMessage, pieces: readonly ShownPiece[]): void {
  if (row.direction === 'out') {
    if (pieces.every(({ foreign }) => !foreign)) record.mails.push({ text: row.text, isOurs: true });
    return;
  }
  const [words, ...beside] = pieces;
  if (words?.trusted !== true) return;
  const own = beside.filter(({ foreign, origin }) => !foreign && !origin.startsWith(EARLIER_SUBJECT));
  record.mails.push(...[words, ...own].map(({ text }) => ({ text, isOurs: false })), {
    text: quotedText(row),
    isOurs: false,
  });
  record.names.push(row.from_name);
  if (row.from_address !== null) record.addresses.push(row.from_address);
  if (beside.some(({ foreign, origin }) => !foreign && origin.startsWith(EARLIER_SUBJECT)))
    record.subjects.push(row.subject);
}

/** As stored when it was first shown, byte for byte; a mail that no model ever saw for this reader is rendered plainly. */
function renderRow(row: SeenMessage, isOwn: boolean): readonly ModelMessage[] {
  const rendered = row.rendered_json === null ? null : readMessages(row.rendered_json);
  if (row.direction === 'out') {
    if (rendered === null) return [...whatCameBack(row), { role: 'assistant', text: row.text, toolCalls: [] }];
    // Beside an answer of ours, what is not the answer is the trace of its tools.
    return isOwn ? rendered : rendered.filter(({ role }) => role === 'assistant');
  }
  if (rendered !== null && isOwn) return rendered;
  const unanswered = rendered === null ? '; no answer was written' : '';
  const forwarded = row.forwarded_text.slice(0, MAX_FORWARDED);
  const unknown = piecesOf(row).flatMap(({ kind, text }) => (kind === 'unknown' ? [text] : []));
  const lines = [
    writtenWithAsked(row),
    ...(forwarded === '' ? [] : ['[forwarded with it]', forwarded]),
    ...(unknown.length === 0 ? [] : ['[in it, and nobody can say who wrote it]', ...unknown]),
    ...filesOf(row),
  ];
  const from = hideDisguised((row.from_address ?? 'unknown').replace(/[\p{Cc}\p{Zl}\p{Zp}<>]/gu, ' '));
  return [fenced(row, `[mail from ${from}${unanswered}]`, lines.join('\n'))];
}

function fenced({ message_id }: SeenMessage, label: string, words: string): ModelMessage {
  const text = hideDisguised(words);
  // A mark that its own text cannot hold: what it says ends where it ends.
  const fence = `earlier_mail_${sha256(JSON.stringify([message_id, text])).slice(0, 16)}`;
  return { role: 'user', content: [{ type: 'text', text: `${label}\n<${fence}>\n${text}\n</${fence}>` }] };
}

/**
 * A mail of ours that goes on with a thread and is no answer of a run of it says what came back from somebody else: a
 * note of the gateway has their words beside its own, a mail of the run that they started only the model's.
 */
const saysWhatCameBack = ({ direction, run_id, in_reply_to }: SeenMessage): boolean =>
  direction === 'out' && run_id === null && in_reply_to !== null;

function whatCameBack(row: SeenMessage): readonly ModelMessage[] {
  if (!saysWhatCameBack(row)) return [];
  const lines = [row.forwarded_text, ...filesOf(row)].filter((line) => line !== '');
  if (lines.length > 0) return [fenced(row, `[${CAME_BACK}; you have passed it on]`, lines.join('\n'))];
  return [{ role: 'user', content: [{ type: 'text', text: `[${CAME_BACK}; you have written of it]` }] }];
}

/** As the mail that is answered names its own. What was read of them then is not read again. */
function filesOf({ files = [] }: SeenMessage): readonly string[] {
  const lines = files.slice(0, MAX_FILES).map(({ id, name, type, bytes, unreadable }) => {
    const line = `[attachment ${id}] ${name}, ${type}, ${bytes} bytes`;
    return unreadable === null ? line : `${line}, unreadable: ${unreadable}`;
  });
  const more = files.length - lines.length;
  return [...lines, ...(more > 0 ? [`and ${more} more attachments`] : [])];
}

const CAME_BACK = 'an answer has come to a mail that you had sent because of this thread';

/**
 * Piece by piece. Our own answers are nobody's order, but what tools returned for them is somebody else's words; where
 * that is not shown, the answer may still say what it said.
 */
function shownOfRow(
  row: SeenMessage,
  {
    isOwn,
    asker,
    isClean,
    record,
  }: { readonly isOwn: boolean; readonly asker: Asker; readonly isClean: boolean; readonly record: QuoteRecord },
): ShownPiece[] {
  if (row.direction === 'in') {
    // A run that was shown what it quotes, and by its record no words of others, had it from the thread.
    const isKnown = isClean ? () => true : quotesOn(record);
    const words = shownOfWords(row, asker, `an earlier mail of ${row.from_address ?? 'the thread'}`, isKnown);
    // Names of files, invitations and whatever else stood beside it: what its run was shown is known by its answer.
    const beside = isOwn && row.rendered_json !== null && !isClean;
    return [
      ...words,
      shownOfSubject(row, asker, isClean),
      ...namesOfFiles(row),
      // Small files that stood in it were read as much as one that a tool returns.
      ...(isOwn ? filesIn(textOfRow(row)).map((piece) => ({ ...piece, foreign: !isClean })) : []),
      ...(beside
        ? [
            {
              ...UNTRUSTED,
              origin: 'what stood beside an earlier mail' as const,
              text: textOfRow(row),
              own: true,
              foreign: true,
            },
          ]
        : []),
    ];
  }
  const cameBack = saysWhatCameBack(row);
  const hasTrace = row.rendered_json !== null && readMessages(row.rendered_json).length > 1;
  const trace = isOwn && row.rendered_json !== null ? readMessages(row.rendered_json) : [];
  const lines = trace
    .flatMap((message) => (message.role === 'user' ? message.content : []))
    .flatMap((part) => (part.type === 'text' ? part.text.split('\n') : []));
  const returned = lines.flatMap((line): ShownPiece[] => {
    if (line.startsWith(OF_RECEIPT) || CALL_LINE.test(line))
      return [{ ...UNTRUSTED, origin: DONE_BEFORE, text: line, own: true }];
    const tool = /^(\w{1,64}): /.exec(line)?.[1];
    if (tool === undefined) return [];
    // Of a run that nothing tainted no result did.
    const foreign = row.clean !== 1;
    return [{ ...UNTRUSTED, origin: `what ${tool} returned for an earlier mail` as const, text: line, foreign, tool }];
  });
  return [
    ...returned,
    ...(cameBack
      ? [
          { ...UNTRUSTED, origin: 'an answer that came back' as const, text: row.forwarded_text, foreign: true },
          ...namesOfFiles(row),
        ]
      : []),
    {
      ...UNTRUSTED,
      origin: 'an earlier answer of this thread',
      text: row.text,
      own: true,
      foreign: cameBack || row.clean !== 1 || (hasTrace && !isOwn),
    },
  ];
}

/** Whoever sends a file on did not name it. A run that by its record was shown no words of others was shown no such name. */
const namesOfFiles = ({ files = [] }: SeenMessage): readonly ShownPiece[] =>
  files.length === 0
    ? []
    : [
        {
          ...UNTRUSTED,
          origin: 'the names of its attachments',
          text: files.map(({ name }) => name).join('\n'),
          foreign: true,
        },
      ];

const textOfRow = ({ rendered_json: rendered }: SeenMessage): string =>
  readMessages(rendered ?? '[]')
    .flatMap((message) => (message.role === 'user' ? message.content : []))
    .flatMap((part) => (part.type === 'text' ? part.text : []))
    .join('\n');

const CALL_LINE = new RegExp(`^\\w{1,64} ${CALLED_WITH} `);

const UNTRUSTED = { trusted: false, foreign: false, own: false } as const;

/** Two user messages in a row (the mail, then the quoted tool trace) become one: some templates want alternation. */
function joinTrace(messages: readonly ModelMessage[]): ModelMessage[] {
  const joined: ModelMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role === 'user' && message.role === 'user') {
      joined[joined.length - 1] = { role: 'user', content: [...last.content, ...message.content] };
    } else joined.push(message);
  }
  return joined;
}
