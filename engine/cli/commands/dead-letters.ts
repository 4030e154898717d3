import { existsSync, readFileSync, rmSync } from 'node:fs';
import { EngineError } from '#contract';
import type { Received } from '../../intake/intake.ts';
import { nextOf } from '../../queries/list-across.ts';
import { deadLetterShape } from '../../queries/shapes.ts';
import type { DeadLetter } from '../../storage/types/gateway.ts';

import type { Workspace } from '../../workspace.ts';
import type { CommandContext, Outcome, Register } from '../command.ts';
import { refusal } from '../command.ts';
import { type ListOptions, limitOf, listOptions } from '../list-options.ts';
import { table } from '../text/table.ts';

export const deadLettersCommand: Register = (program, act) => {
  const letters = program.command('deadletters').description('Mail that could not be taken in');
  listOptions(letters.command('list').description('Newest first')).action(act(list));
  letters.command('show').description('One of them with the begin of its source').argument('<id>').action(act(show));
  letters
    .command('requeue')
    .description('Take it in again, for instance after a limit was raised')
    .argument('<id>')
    .action(act(requeue));
};

async function list(context: CommandContext, options: ListOptions): Promise<Outcome> {
  if (options.status !== undefined) throw new EngineError('usage', 'dead letters have no status');
  const limit = limitOf(options);
  const { gateway } = context.open({ tolerant: true });
  const rows = await gateway.listDeadLetters({ after: options.after, persona: options.persona, limit: limit + 1 });
  const letters = rows.slice(0, limit).map(deadLetterShape);
  return {
    data: {
      dead_letters: letters,
      ...nextOf(
        rows.map((row) => ({ row })),
        limit,
      ),
    },
    text: table(
      ['AT', 'PERSONA', 'CODE', 'WHY', 'ID'],
      letters.map((one) => [one.at.slice(0, 19), one.persona ?? '-', one.code, one.message.slice(0, 60), one.id]),
      'No dead letters.',
    ),
  };
}

const SHOWN_BYTES = 4000;

async function show(context: CommandContext, id: string): Promise<Outcome> {
  const letter = await letterOf(context.open({ tolerant: true }), id);
  const shape = deadLetterShape(letter);
  const source = sourceOf(letter);
  const text = [
    `${shape.code} at ${shape.stage}: ${shape.message}`,
    `  mail     ${shape.message_id}`,
    `  persona  ${shape.persona ?? 'none'}`,
    `  source   ${shape.raw_path ?? 'not kept'}`,
    ...(source ? ['', source.subarray(0, SHOWN_BYTES).toString('utf8').replaceAll('\r\n', '\n').trimEnd()] : []),
  ].join('\n');
  return { data: { dead_letter: shape }, text };
}

/**
 * Through the same door once more, and with no more rights than it had: who wrote it must be proven by the mail
 * itself, or by the border server of the mailbox it lay in.
 */
async function requeue(context: CommandContext, id: string): Promise<Outcome> {
  const workspace = context.open();
  const { gateway, live } = workspace;
  const letter = await letterOf(workspace, id);
  const raw = sourceOf(letter);
  if (!raw) return refusal('not_found', 'its source was not kept, so it cannot be taken in again');
  if (letter.code === 'message_too_large') {
    return refusal('message_too_large', 'only its headers were loaded; raise the limit and let it be sent again');
  }
  const entry = letter.persona_id === null ? undefined : live.personas().get(letter.persona_id);
  const recipients = entry?.state === 'ready' ? [entry.persona.address] : null;
  const arrival = { door: 'imap' as const, authservId: await borderOf(workspace, letter) };
  const { receiveBeside } = await import('../../app.ts');
  const received = await receiveBeside(workspace, { raw, arrival, returnPath: null, recipients, place: null });
  const results = received.results.map(resultShape);
  const isTaken = received.results.every(({ decision }) => decision !== 'dead_letter' && decision !== 'deferred');
  const isRefused = received.results.some(({ decision }) => decision === 'refused');
  if (isTaken && !isRefused) {
    await gateway.removeDeadLetter(id);
    if (letter.raw_path !== null && !(await isShared(workspace, letter))) rmSync(letter.raw_path, { force: true });
  }
  return {
    data: { dead_letter: deadLetterShape(letter), message_id: received.messageId, results },
    text: results
      .map((one) => `${one.recipient ?? 'nobody'}: ${one.decision}${one.code ? ` (${one.code})` : ''}`)
      .join('\n'),
    exitCode: isTaken && !isRefused ? 0 : 1,
  };
}

const resultShape = (one: Received['results'][number]) => ({
  recipient: one.recipient,
  persona: one.persona,
  decision: one.decision,
  code: one.code,
  smtp: null,
  run_id: one.runId,
  thread_id: one.threadId,
});

async function letterOf({ gateway }: Workspace, id: string): Promise<DeadLetter> {
  const letter = await gateway.getDeadLetter(id);
  if (!letter) throw new EngineError('not_found', `no dead letter has the id ${id}; see \`epistle deadletters list\``);
  return letter;
}

const sourceOf = ({ raw_path: path }: DeadLetter): Buffer | null =>
  path !== null && existsSync(path) ? readFileSync(path) : null;

async function borderOf({ gateway, live }: Workspace, letter: DeadLetter): Promise<string | null> {
  const seen = await gateway.seenByMessageId(letter.message_id);
  const mailbox = seen.find((row) => row.mailbox !== null)?.mailbox;
  return live.current().gateway.mailboxes.find(({ id }) => id === mailbox)?.imap?.authserv_id ?? null;
}

/** One mail to two personas is two letters with one source. */
async function isShared({ gateway }: Workspace, letter: DeadLetter): Promise<boolean> {
  const others = await gateway.listDeadLetters({ limit: 1000 });
  return others.some(({ id, raw_path }) => id !== letter.id && raw_path === letter.raw_path);
}
