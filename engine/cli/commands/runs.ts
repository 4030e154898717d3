import { EngineError } from '#contract';
import { iso } from '../../lib/clock.ts';
import type { CallLink } from '../../queries/explain/chain.ts';
import { readChain } from '../../queries/explain/read.ts';
import { listAcross } from '../../queries/list-across.ts';
import { findRun } from '../../queries/runs/find-run.ts';
import { runShape } from '../../queries/shapes.ts';
import type { CommandContext, Outcome, Register } from '../command.ts';
import { refusal } from '../command.ts';
import { type ListOptions, listOptions, pageOf, statusOf } from '../list-options.ts';
import { table } from '../text/table.ts';
import { runsExplain } from './runs-explain.ts';

export const runsCommand: Register = (program, act) => {
  const runs = program.command('runs').description('What personas did with their mail');
  listOptions(runs.command('list').description('Newest first')).action(act(list));
  runs
    .command('show')
    .description('One run with its events')
    .argument('<id>')
    .option('--prompt', 'what models were given in it, word for word')
    .option('--call <n>', 'with --prompt: of this model call only')
    .action(act(show));
  runs
    .command('explain')
    .description('From an answer back to what its model was given, link by link')
    .argument('<id>', 'a run, or the Message-ID of the mail or of its answer')
    .action(act(runsExplain));
  runs
    .command('replay')
    .description('Work a run once more from what is on record, offline, and compare')
    .argument('<id>', 'a run, or the Message-ID of the mail or of its answer')
    .action(act(async (context, id: string) => (await import('./runs-replay.ts')).runsReplay(context, id)));
  runs
    .command('cancel')
    .description('End a run that is not over; its sender is told so')
    .argument('<id>')
    .action(act(cancel));
  runs
    .command('retry')
    .description('Answer the mail of a failed, cancelled or partial run once more')
    .argument('<id>')
    .action(act(retry));
};

const STATUSES = ['queued', 'running', 'waiting_approval', 'done', 'failed', 'cancelled'];

async function list(context: CommandContext, options: ListOptions): Promise<Outcome> {
  statusOf(options, STATUSES);
  const workspace = context.open({ tolerant: true });
  const { rows, next } = await listAcross(workspace, pageOf(options), (store, page) => store.listRuns(page));
  const runs = rows.map(({ persona, row }) => runShape(persona, row));
  return {
    data: { runs, next },
    text: table(
      ['CREATED', 'PERSONA', 'STATUS', 'OUTCOME', 'CALLS', 'USD', 'ID'],
      runs.map((run) => [
        run.created_at.slice(0, 19),
        run.persona,
        run.status,
        [run.outcome, run.code].filter(Boolean).join(' '),
        `${run.model_calls}+${run.tool_calls}`,
        run.cost_usd.toFixed(4),
        run.id,
      ]),
      'No runs yet.',
    ),
  };
}

async function show(
  context: CommandContext,
  id: string,
  options: { prompt?: boolean; call?: string },
): Promise<Outcome> {
  if (options.prompt) return (await import('./runs-prompt.ts')).runsPrompt(context, id, options.call);
  const workspace = context.open({ tolerant: true });
  const { persona, row: run } = await findRun(workspace, id);
  const { log, chain } = await readChain(workspace, persona, run);
  const events = log.all.map(({ seq, type, at, data }) => ({ seq, type, at: iso(at), data }));
  const decisions = log.of('decision').map(({ data: { step, decision, reason } }) => ({ step, decision, reason }));
  const sources = chain.steps.flatMap(({ calls }) => calls).flatMap(sourceOf);
  const shape = { ...runShape(persona, run), events, decisions, sources };
  const text = [
    `Run ${run.id} of ${persona}: ${run.status}${run.outcome ? `, ${run.outcome}` : ''}${run.code ? ` (${run.code})` : ''}`,
    `  mail   ${run.message_id}`,
    `  reply  ${run.reply_message_id ?? 'none'}`,
    '',
    ...events.map(
      ({ seq, type, at, data }) =>
        `${String(seq).padStart(4)}  ${at.slice(11, 23)}  ${type.padEnd(20)}  ${brief(data)}`,
    ),
    ...(sources.length === 0 ? [] : ['', 'What the answer could draw on:']),
    ...sources.map(
      (one) =>
        `  ${one.observed_at}  ${one.call_id}  ${one.tool} ${brief(one.arguments)}  from ${brief(one.source)}${one.artifact ? `  artifact ${one.artifact}` : ''}`,
    ),
  ].join('\n');
  return { data: { run: shape }, text };
}

/** Where a result came from and what was asked for it. */
const sourceOf = ({ call_id, tool, arguments: asked, observation }: CallLink) => {
  if (observation === null || observation.observed_at === null) return [];
  const { source, observed_at, artifact, ref } = observation;
  return [{ call_id, tool, arguments: asked, source, observed_at, artifact, ref }];
};

function brief(data: unknown): string {
  const text = JSON.stringify(data);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

async function cancel(context: CommandContext, id: string): Promise<Outcome> {
  const workspace = context.open({ tolerant: true });
  const { persona, row } = await findRun(workspace, id);
  const entry = workspace.live.personas().get(persona);
  const isOver = !['queued', 'running', 'waiting_approval'].includes(row.status);
  // Without its name and address nobody could be told.
  if (!isOver && entry?.state !== 'ready') {
    const cure = `mend it (\`epistle persona validate ${persona}\` says how), then cancel again`;
    throw new EngineError('config_invalid', `${persona} cannot write to whoever waits for run ${id}; ${cure}`);
  }
  const { cancelBeside } = await import('../cancel-beside.ts');
  const run =
    entry?.state === 'ready' ? await cancelBeside(workspace, { persona: entry.persona, id, by: 'cli' }) : 'ended';
  if (run === 'not_found' || run === 'ended') {
    return refusal('wrong_state', `the run is ${row.status}; only one that is not over can be cancelled`);
  }
  const told = run.reply_message_id === null ? 'its mail gets no answer' : 'its sender is told so';
  return { data: { run: runShape(persona, run) }, text: `Run ${id} is cancelled; ${told}.` };
}

async function retry(context: CommandContext, id: string): Promise<Outcome> {
  const workspace = context.open({ tolerant: true });
  const { persona, row } = await findRun(workspace, id);
  const now = workspace.clock.now();
  const newId = workspace.ids.next();
  const run = await workspace.announce(persona, now, () =>
    workspace.stores.use(persona, (store) => store.retryRun({ id, newId, now, by: 'cli' })),
  );
  if (run === 'retried') return refusal('wrong_state', 'its mail has a newer run already; see `epistle why`');
  if (run === 'not_found' || run === 'not_failed') {
    return refusal(
      'wrong_state',
      `the run is ${row.status}; only one that failed, was cancelled, is partial or was silent can be retried`,
    );
  }
  return {
    data: { run: runShape(persona, run) },
    text: `Run ${run.id} is queued for ${run.message_id}; a running gateway works it now.`,
  };
}
