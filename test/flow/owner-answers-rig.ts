import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { simpleParser } from 'mailparser';
import type { Question } from '../corpus/owner-answers/answer-case.ts';
import { LANGUAGES } from '../corpus/owner-answers/words/index.ts';
import { startFakeModel } from '../fakes/model-server.ts';
import { eventually } from './eventually.ts';
import { ADA, MEMBER, OWNER, openOffice } from './governance-rig.ts';
import { STEADY } from './workspace.ts';

/** What became of an answer; the first four are those that an owner hears of. */
export type Outcome = 'approved' | 'denied' | 'asked_back' | 'edited' | 'stopped' | 'ran' | 'silent' | 'refused';

/** A question that is open, and whom the mail that it is about would go to. */
export interface Asked {
  readonly question: Question;
  readonly approvalId: string;
  readonly recipient: string;
}

export interface Told {
  readonly outcome: Outcome;
  /** As `why` tells it. */
  readonly detail: string;
  /** The mail that asks back. */
  readonly clarify: string | null;
}

interface ApprovalRow {
  readonly id: string;
  readonly state: string;
  readonly message_id: string;
  readonly raw: Buffer;
}

const FIND = `
  select approvals.id, approvals.state, approval_notices.message_id, outbox.raw
  from approvals
  join approval_notices on approval_notices.id = approvals.notice_id
  join outbox on outbox.message_id = approval_notices.message_id
  where approvals.arguments_json like ? and approvals.state = 'pending'`;

/** Whatever can be written to a question; `other`: one that was asked before. */
interface Answering {
  write(question: Question, owner: string, messageId: string, other?: Question): Buffer;
}

/** How long a mail that asks back may take. */
const TELL_MS = 10_000;

const recipientOf = (number: number): string => `carl-${number}@elsewhere.example`;

/** What a member of one language asks for, and the letter that the owner is asked about. */
type Letters = Pick<(typeof LANGUAGES)[number], 'language' | 'subject' | 'request' | 'letter'>;

/** A gateway whose model wants to write to somebody new for each request, so that its owner is asked. */
export async function openDesk(languages: readonly Letters[] = LANGUAGES) {
  const model = await startFakeModel(
    'openai',
    ({ view }) => {
      const [, language, number] = /\[(\w\w)-(\d+)\]/.exec(view.lastUser) ?? [];
      const words = languages.find((one) => one.language === language);
      if (view.results.length > 0 || !words) return { text: 'It is done.' };
      const to = [recipientOf(Number(number))];
      return { calls: [{ name: 'send_email', arguments: { to, subject: words.subject, body: words.letter } }] };
    },
    { keeps: false },
  );
  const office = await openOffice({
    'configs/security.json': {
      owners: [OWNER],
      approvals: { batch_window_s: 0 },
      loop_guard: { max_replies_per_sender_per_hour: 0, max_replies_per_thread_per_hour: 0, fast_reply_s: 0 },
    },
    'configs/inference.json': { provider: 'steady', model: 'm' },
    'extensions/extensions.json': { providers: [{ name: 'steady', config: { base_url: model.baseUrl } }] },
    ...STEADY,
  });
  const db = (): SQLite.Database => new SQLite(join(office.root, 'data/personas/ada/persona.db'), { readonly: true });
  const rows = <Row>(sql: string, ...values: unknown[]): Row[] => {
    const database = db();
    try {
      return database.prepare<unknown[], Row>(sql).all(...values);
    } finally {
      database.close();
    }
  };
  const counters = { asked: 0, answered: 0 };

  async function ask(language: string): Promise<Asked> {
    counters.asked += 1;
    const words = languages.find((one) => one.language === language);
    if (!words) throw new Error(`nobody writes ${language}`);
    const recipient = recipientOf(counters.asked);
    const subject = `${words.subject} [${language}-${counters.asked}]`;
    await office.post({ from: MEMBER, subject, text: words.request });
    const [row] = await eventually(
      () => rows<ApprovalRow>(FIND, `%"${recipient}"%`),
      (found) => found.length > 0,
    );
    if (!row) throw new Error('nothing asked');
    const mail = await simpleParser(row.raw, { skipHtmlToText: true, skipTextToHtml: true });
    const question: Question = {
      from: { name: mail.from?.value[0]?.name ?? '', address: mail.from?.value[0]?.address ?? ADA },
      replyTo: mail.replyTo?.value[0]?.address ?? ADA,
      subject: mail.subject ?? '',
      messageId: row.message_id,
      text: mail.text ?? '',
      html: mail.html || '',
      sentAt: mail.date ?? new Date(),
    };
    return { question, approvalId: row.id, recipient };
  }

  const stateOf = (approvalId: string): string =>
    rows<{ state: string }>('select state from approvals where id = ?', approvalId)[0]?.state ?? 'gone';

  /** Sends the mail as its owner would and says what the gateway made of it. */
  async function answer(asked: Asked, one: Answering, other?: Question): Promise<Told & { readonly raw: Buffer }> {
    counters.answered += 1;
    const messageId = `<answer-${counters.answered}@example.com>`;
    const raw = one.write(asked.question, OWNER, messageId, other);
    try {
      await office.post({ to: asked.question.replyTo ?? ADA, raw });
    } catch (error) {
      return { outcome: 'refused', detail: String(error), clarify: null, raw };
    }
    const why = async (): Promise<WhyEntry> => (await office.cli('why', messageId)).json?.entries?.[0] ?? {};
    const entry = await eventually(why, isTold, TELL_MS).catch(why);
    return { ...toldOf(entry, stateOf(asked.approvalId)), raw };
  }

  return {
    office,
    ask,
    answer,
    /** Whether the approved mail has left. */
    isDone: (recipient: string): boolean =>
      rows(
        `select 1 from outbox_recipients join outbox on outbox.id = outbox_id where address = ? and kind = 'reply'`,
        recipient,
      ).length > 0,
    isSent: (messageId: string): boolean =>
      rows("select 1 from outbox where message_id = ? and state = 'sent'", messageId).length > 0,
    isPending: (approvalId: string): boolean => stateOf(approvalId) === 'pending',
    async close() {
      await office.close();
      await model.stop();
    },
  };
}

export type Desk = Awaited<ReturnType<typeof openDesk>>;

interface WhyEntry {
  readonly decision?: string;
  readonly code?: string | null;
  readonly run?: unknown;
  readonly answer?: {
    readonly asked_back?: boolean;
    readonly verdict?: string;
    readonly rules?: readonly string[];
  } | null;
  readonly replies?: readonly { readonly kind: string; readonly message_id: string }[];
}

const clarifyOf = ({ replies }: WhyEntry): string | null =>
  replies?.find(({ kind }) => kind === 'clarify')?.message_id ?? null;

/** Whether nothing more is to come: a mail that asks back is there a moment after it was decided to ask. */
const isTold = (entry: WhyEntry): boolean => entry.answer?.asked_back !== true || clarifyOf(entry) !== null;

function toldOf(entry: WhyEntry, state: string): Told {
  const clarify = clarifyOf(entry);
  const { decision, code, answer } = entry;
  const detail = JSON.stringify({ state, decision, code, ...answer });
  const of = (outcome: Outcome): Told => ({ outcome, detail, clarify });
  if (state === 'rejected') return of('denied');
  if (state === 'stale') return of('edited');
  if (state !== 'pending') return of(state === 'cancelled' ? 'stopped' : 'approved');
  if (clarify !== null) return of('asked_back');
  return of(entry.run ? 'ran' : 'silent');
}
