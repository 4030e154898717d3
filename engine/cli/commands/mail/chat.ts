import { createInterface } from 'node:readline';
import { EngineError } from '#contract';
import { personaNamed } from '../../../queries/find-across.ts';
import { addressOf } from '../../../queries/gateway/persona-states.ts';
import type { Workspace } from '../../../workspace.ts';
import { addressIn } from '../../addresses.ts';
import type { CommandContext } from '../../context.ts';
import { defineCommand } from '../../define.ts';
import { exitCodeOf } from '../../submit/results.ts';
import { submitMail } from '../../submit/submit-mail.ts';
import type { SubmitResult } from '../../submit/types.ts';
import { ownerOf, writeMail } from '../../submit/write-mail.ts';

const WAIT_MS = 600_000;
/** A thread needs no more of its past in References. */
const MAX_REFERENCES = 20;

interface Turn {
  readonly message_id: string;
  readonly text: string;
  readonly result: SubmitResult;
}

export const chat = defineCommand({
  name: 'chat',
  summary: 'Write to a persona line by line; each line is a mail in one thread, Ctrl-D ends it',
  arguments: [['<persona>', 'its id or address']],
  options: { from: { flags: '--from <address>', about: 'who writes (default: the first owner)' } },
  async run(context, { args: [name], options }) {
    const workspace = context.open();
    const entry = personaNamed(workspace, name);
    const to = addressOf(entry);
    if (entry.state === 'error' || to === null) {
      throw new EngineError('config_invalid', `${name} cannot take mail; see \`epistle persona validate ${entry.id}\``);
    }
    const from = options.from ?? ownerOf(workspace);
    const { lines, prompt } = linesOf(context, from);
    prompt();
    const turns: Turn[] = [];
    for await (const text of lines) {
      if (text.trim() !== '') {
        const turn = await say(workspace, { from, to, text }, turns);
        turns.push(turn);
        if (!context.json) context.print(answerOf(entry.id, turn.result));
        if (turn.result.decision === 'refused') break;
      }
      prompt();
    }
    lines.close();
    return { persona: entry.id, turns };
  },
  json: ({ persona, turns }) => ({ persona, turns: turns.map(shape) }),
  text: () => '',
  exitCode: ({ turns }) => exitCodeOf(turns.map(({ result }) => result)),
});

/** Prompts only somebody who sits at a terminal, and never on stdout. */
function linesOf({ stdin, json }: CommandContext, from: string) {
  const isTalk = stdin.isTTY && !json;
  const lines = createInterface({ input: stdin, ...(isTalk ? { output: process.stderr, prompt: `${from}> ` } : {}) });
  return { lines, prompt: () => isTalk && lines.prompt() };
}

/** One mail that answers the newest of the conversation. */
async function say(
  workspace: Workspace,
  { from, to, text }: { from: string; to: string; text: string },
  turns: readonly Turn[],
): Promise<Turn> {
  const references = turns
    .flatMap(({ message_id, result }) => (result.reply ? [message_id, result.reply.message_id] : [message_id]))
    .slice(-MAX_REFERENCES);
  const inReplyTo = references.at(-1);
  const threading = inReplyTo === undefined ? {} : { inReplyTo, references };
  const { raw, messageId } = await writeMail(workspace, { from, to: [to], subject: 'Chat', text, ...threading });
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
  return `(${result.decision}${result.code ? `, ${result.code}` : ''}${result.status ? `, ${result.status}` : ''})`;
}
