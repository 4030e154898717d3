import type { ModelMessage } from '#contract';
import { hideDisguised } from '../../lib/secrets.ts';
import type { MessageRow, Tier } from '../../storage/tables.ts';
import { estimateMessage } from './tokens.ts';

/** Reads a thread's messages newest first, a page at a time. */
export type ThreadPage = (beforeSeq: number, limit: number) => Promise<readonly MessageRow[]>;

export interface History {
  /** Oldest first: each mail, then the answer to it. */
  readonly messages: readonly ModelMessage[];
  /** The thread's new `history_from`. */
  readonly from: number;
  /** The newest message of the thread that there was. */
  readonly until: number;
  /** Mails of the thread that are older than what is shown. */
  readonly omitted: number;
}

/** Who the history is read for: the sender of the mail that is answered now, as far as that is proven. */
export interface Viewer {
  readonly sender: string | null;
  readonly tier: Tier;
}

interface Turn {
  readonly seq: number;
  readonly messages: readonly ModelMessage[];
  readonly tokens: number;
  readonly mails: number;
}

const PAGE = 50;
/** Over budget, the history is cut to this share, so that the cut (and the lost cache) comes once in many mails. */
const KEEP = 0.6;

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
  viewer: Viewer;
}): Promise<History> {
  const { page, current, from, until = Number.MAX_SAFE_INTEGER - 1, budgetTokens, messageCount, viewer } = options;
  const turns: Turn[] = [];
  let tokens = 0;
  let newest = 0;
  let before = until + 1;
  let carried: MessageRow[] = [];
  for (;;) {
    const rows = await page(before, PAGE);
    before = rows.at(-1)?.seq ?? 0;
    newest = Math.max(newest, rows[0]?.seq ?? 0);
    const atStart = rows.length < PAGE || before <= from;
    const grouped = groupTurns([...carried, ...rows], atStart, viewer);
    carried = grouped.rest;
    for (const turn of grouped.turns.filter(({ seq }) => seq < current.seq && seq >= from)) {
      turns.push(turn);
      tokens += turn.tokens;
    }
    if (tokens > budgetTokens || atStart) break;
  }
  turns.sort((a, b) => b.seq - a.seq);
  const kept = tokens <= budgetTokens ? turns : newestThatFit(turns, budgetTokens * KEEP);
  const shown = kept.reduce((sum, turn) => sum + turn.mails, 0);
  return {
    messages: kept.toReversed().flatMap((turn) => turn.messages),
    from: kept.length < turns.length ? (kept.at(-1)?.seq ?? current.seq) : from,
    until: newest,
    omitted: Math.max(0, messageCount - shown - 1),
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

/** Joins each mail with the answers of its run. Rows of a mail that is on the next page wait in `rest`. */
function groupTurns(
  rows: readonly MessageRow[],
  complete: boolean,
  viewer: Viewer,
): { turns: Turn[]; rest: MessageRow[] } {
  const replies = Map.groupBy(
    rows.filter((row) => row.direction === 'out'),
    (row) => row.run_id ?? row.id,
  );
  const turns: Turn[] = [];
  for (const row of rows) {
    if (row.direction !== 'in') continue;
    const key = row.run_id ?? '';
    turns.push(turnOf([row, ...(replies.get(key) ?? []).toReversed()], mayRead(viewer, row)));
    replies.delete(key);
  }
  const orphans = [...replies.values()].flat();
  if (!complete) return { turns, rest: orphans };
  // Mail that the persona sent without having been written to stands alone.
  return { turns: [...turns, ...orphans.map((row) => turnOf([row], viewer.tier === 'owner'))], rest: [] };
}

/**
 * What tools returned is for whom they were called: a search for the owner goes over all mail, a member's only over
 * the member's own. So a later mail of the thread is shown it only where it would have been given the same, which is
 * the rule of `resolve_ref`, too. The answers themselves were mailed; they are everybody's who is on the thread.
 */
const mayRead = (viewer: Viewer, mail: MessageRow): boolean =>
  viewer.tier === 'owner' ||
  (viewer.tier === mail.tier && viewer.sender !== null && viewer.sender === mail.from_address);

function turnOf(rows: readonly MessageRow[], withTrace: boolean): Turn {
  const messages = joinTrace(rows.flatMap((row) => renderRow(row, withTrace)));
  return {
    seq: rows[0]?.seq ?? 0,
    messages,
    tokens: messages.reduce((sum, message) => sum + estimateMessage(message), 0),
    mails: rows.length,
  };
}

/** As stored when it was first shown, byte for byte; a mail that no model ever saw is rendered plainly. */
function renderRow(row: MessageRow, withTrace: boolean): ModelMessage[] {
  if (row.rendered_json !== null) {
    const rendered = JSON.parse(row.rendered_json) as ModelMessage[];
    // Beside an answer of ours, what is not the answer is the trace of its tools.
    return row.direction === 'in' || withTrace ? rendered : rendered.filter(({ role }) => role === 'assistant');
  }
  if (row.direction === 'out') return [{ role: 'assistant', text: row.text, toolCalls: [] }];
  const text = `[mail from ${row.from_address ?? 'unknown'}; no answer was written]\n${hideDisguised(row.new_text)}`;
  return [{ role: 'user', content: [{ type: 'text', text }] }];
}

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
