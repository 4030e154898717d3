import { createInterface } from 'node:readline';
import { EngineError } from '#contract';
import { decideApprovals } from '../../../actions/approvals.ts';
import { visible } from '../../../delivery/questions/approval-text.ts';
import { chatMessageId } from '../../../lib/ids.ts';
import { approvalOf, inFull, listApprovals } from '../../../queries/approvals.ts';
import { personaNamed } from '../../../queries/find-across.ts';
import { addressOf } from '../../../queries/gateway/persona-states.ts';
import { askedKind } from '../../../suspensions/kinds.ts';
import { submissionSecret, type Workspace } from '../../../workspace.ts';
import { addressIn } from '../../command/addresses.ts';
import type { CommandContext } from '../../command/context.ts';
import { defineCommand } from '../../command/define.ts';
import { exitCodeOf } from '../../submit/results.ts';
import { sayIfAlone } from '../../submit/say-if-alone.ts';
import { submitMail } from '../../submit/submit-mail.ts';
import type { SubmitResult } from '../../submit/types.ts';
import { workUntilEnded } from '../../submit/work-until-ended.ts';
import { ownerOf, writeMail } from '../../submit/write-mail.ts';
import { askedCallLines } from '../../text/asked-call.ts';
import { WHO_WRITES } from './send.ts';

const WAIT_MS = 600_000;
/** A thread needs no more of its past in References. */
const MAX_REFERENCES = 20;

interface Turn {
  readonly message_id: string;
  readonly text: string;
  readonly result: SubmitResult;
}

/** Who talks to whom. */
interface Talk {
  readonly from: string;
  readonly to: string;
  readonly persona: string;
  readonly lines: Lines;
}

export const chat = defineCommand({
  name: 'chat',
  summary:
    'Write to a persona line by line, in one thread; answers are shown here and mailed to nobody. Ctrl-D ends it',
  arguments: [['<persona>', 'its id or address']],
  options: { from: WHO_WRITES },
  async run(context, { args: [name], options }) {
    const workspace = context.open();
    const entry = personaNamed(workspace, name);
    const to = addressOf(entry);
    if (entry.state === 'error' || to === null) {
      throw new EngineError('config_invalid', `${name} cannot take mail; see \`epistle persona validate ${entry.id}\``);
    }
    const from = options.from ?? ownerOf(workspace, [to]);
    const lines = linesOf(context, from);
    if (lines.isTalk) context.note(`${HELP}\n`);
    sayIfAlone(context, workspace);
    const talk = { from, to, persona: entry.id, lines };
    const turns: Turn[] = [];
    for (let text = await lines.next(); text !== null; text = await lines.next()) {
      if (lines.isTalk && text.trim() === '/quit') break;
      if (lines.isTalk && text.trim() === '/help') context.note(HELP);
      else if (text.trim() !== '') {
        const turn = await say(context, workspace, talk, { text, turns });
        turns.push(turn);
        if (turn.result.decision === 'refused') break;
      }
    }
    lines.close();
    return { persona: entry.id, turns };
  },
  json: ({ persona, turns }) => ({ persona, turns: turns.map(shape) }),
  text: () => '',
  exitCode: ({ turns }) => exitCodeOf(turns.map(({ result }) => result)),
});

const HELP = 'Each line is a mail. /help shows this, /quit or Ctrl-D ends it.';

interface Lines {
  /** Somebody sits at a terminal and is prompted. */
  readonly isTalk: boolean;
  /** The next line, after a prompt on stderr where somebody talks; null: there are no more. */
  next(prompt?: string): Promise<string | null>;
  close(): void;
}

/** Prompts only somebody who sits at a terminal, and never on stdout. */
function linesOf({ stdin, json }: CommandContext, from: string): Lines {
  const isTalk = stdin.isTTY === true && !json;
  const reader = createInterface({ input: stdin, ...(isTalk ? { output: process.stderr } : {}) });
  const lines = reader[Symbol.asyncIterator]();
  // What was typed ahead is still to be read then.
  const input = { isOver: false };
  reader.once('close', () => {
    input.isOver = true;
  });
  return {
    isTalk,
    async next(prompt = `${from}> `) {
      reader.setPrompt(prompt);
      if (isTalk && !input.isOver) reader.prompt();
      const { value, done } = await lines.next();
      return done === true ? null : String(value);
    },
    close: () => reader.close(),
  };
}

/** One mail that answers the newest of the conversation, and what somebody has to decide about it meanwhile. */
async function say(
  context: CommandContext,
  workspace: Workspace,
  talk: Talk,
  { text, turns }: { text: string; turns: readonly Turn[] },
): Promise<Turn> {
  const turn = await send(workspace, talk, { text, turns });
  if (context.json) return turn;
  context.print(answerOf(talk.persona, turn.result));
  let { result } = turn;
  const told = new Set<string>();
  while (talk.lines.isTalk && result.run_id !== null) {
    const { persona, lines } = talk;
    const decided = await decideHere(workspace, { persona, runId: result.run_id, ask: lines.next, show: context.note });
    if (!decided) break;
    for (const runId of await runsAfter(workspace, { persona, result, messageId: turn.message_id, told })) {
      told.add(runId);
      result = { ...result, ...(await workUntilEnded(workspace, persona, runId, WAIT_MS)) };
      context.print(answerOf(persona, result));
    }
  }
  return { ...turn, result };
}

/** What goes on after a decision: the run that waits for it, or those that carry out what an answer did not wait for. */
async function runsAfter(
  { stores }: Workspace,
  after: {
    readonly persona: string;
    readonly result: SubmitResult;
    readonly messageId: string;
    readonly told: ReadonlySet<string>;
  },
): Promise<readonly string[]> {
  const { run_id: own, status } = after.result;
  if (own !== null && status === 'waiting_approval') return [own];
  const runs = await stores.use(after.persona, (store) => store.runsByMessageId(after.messageId));
  return runs.map(({ id }) => id).filter((id) => id !== own && !after.told.has(id));
}

async function send(
  workspace: Workspace,
  { from, to }: Talk,
  { text, turns }: { text: string; turns: readonly Turn[] },
): Promise<Turn> {
  const references = turns
    .flatMap(({ message_id, result }) => (result.reply ? [message_id, result.reply.message_id] : [message_id]))
    .slice(-MAX_REFERENCES);
  const inReplyTo = references.at(-1);
  const threading = inReplyTo === undefined ? {} : { inReplyTo, references };
  const { dataDir, ids, live } = workspace;
  const marked = {
    id: ids.next(),
    domain: `cli.${live.current().gateway.domain}`,
    secret: submissionSecret(dataDir, ids),
  };
  const written = { from, to: [to], subject: 'Chat', text, messageId: chatMessageId(marked), ...threading };
  const { raw, messageId } = await writeMail(workspace, written);
  const letter = { raw, messageId, from: addressIn(from), to: [to], asSubmission: true };
  const [result] = await submitMail(workspace, letter, WAIT_MS);
  if (!result) throw new Error('a mail to one recipient has no result');
  return { message_id: messageId, text, result };
}

const shape = ({ message_id, text, result: { reply, decision, code, status, outcome } }: Turn) => ({
  message_id,
  text,
  decision,
  code,
  status: status ?? null,
  outcome: outcome ?? null,
  reply: reply ?? null,
});

function answerOf(persona: string, result: SubmitResult): string {
  if (result.reply) return `${persona}: ${result.reply.text.trimEnd()}\n`;
  if (result.status === 'waiting_approval') return `${persona} waits for a decision.`;
  return `(${result.decision}${result.code ? `, ${result.code}` : ''}${result.status ? `, ${result.status}` : ''})`;
}

interface Asking {
  readonly persona: string;
  readonly runId: string;
  /** The line that somebody answers; null: they went away. */
  ask(prompt: string): Promise<string | null>;
  show(text: string): void;
}

const MOST = 100;

/** Asks about each call of the run that waits for an owner, in the terminal. False where nothing was decided. */
async function decideHere(workspace: Workspace, { persona, runId, ask, show }: Asking): Promise<boolean> {
  const { approvals } = await listApprovals(workspace, { limit: MOST, persona, status: 'pending' });
  let count = 0;
  for (const { id } of approvals.filter((one) => one.run_id === runId || one.helps_run === runId).toReversed()) {
    const { row, helps } = await approvalOf(workspace, id);
    const isQuestion = askedKind(row).answeredBy === 'words';
    show(visible([`${row.tool}:`, ...askedCallLines(inFull(persona, row, helps))].join('\n')));
    const said = (await ask(isQuestion ? 'Your answer (Enter: later): ' : 'Do it? [y/n, Enter: later] '))?.trim() ?? '';
    const verdict = verdictOf(said, isQuestion);
    if (verdict === null) continue;
    const now = workspace.clock.now();
    await workspace.stores.use(persona, (store) =>
      decideApprovals(workspace, { personaId: persona, store, verdicts: [{ id, ...verdict, by: 'cli' }], now }),
    );
    count += 1;
  }
  return count > 0;
}

/** Only what is clearly a yes is one. */
function verdictOf(
  said: string,
  isQuestion: boolean,
): { state: 'approved' | 'rejected'; reason: string | null } | null {
  if (said === '') return null;
  if (isQuestion) return { state: 'approved', reason: said };
  if (/^(?:y|yes)$/i.test(said)) return { state: 'approved', reason: null };
  return /^(?:n|no)$/i.test(said) ? { state: 'rejected', reason: null } : null;
}
