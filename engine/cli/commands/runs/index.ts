import { EngineError } from '#contract';
import { refusal } from '../../../actions/refusal.ts';
import { retryRun } from '../../../actions/retry-run.ts';
import { findRun } from '../../../queries/runs/find-run.ts';
import { listRuns } from '../../../queries/runs/runs.ts';
import { runShape } from '../../../queries/shapes.ts';
import { outcomeInWords, runInWords } from '../../../queries/state-words.ts';
import { mayBeTriedAgain } from '../../../storage/types/runs.ts';
import { defineCommand, type Group } from '../../command/define.ts';
import { PAGE_OPTIONS, pageOf, statusOf } from '../../command/page-options.ts';
import { ABOUT_COLUMNS, shortId } from '../../text/listed.ts';
import { atHere } from '../../text/local-time.ts';
import { explain } from './explain.ts';
import { issue } from './issue.ts';
import { replay } from './replay.ts';
import { resolve } from './resolve.ts';
import { show } from './show.ts';

const STATUSES = ['queued', 'running', 'waiting_approval', 'done', 'failed', 'cancelled'];

const list = defineCommand({
  name: 'runs list',
  summary: 'Newest first',
  options: PAGE_OPTIONS,
  async run({ open }, { options }) {
    statusOf(options.status, STATUSES);
    return listRuns(open({ tolerant: true }), pageOf(options));
  },
  rows: ({ runs }) => runs,
  times: true,
  columns: {
    CREATED: (run) => atHere(run.created_at),
    PERSONA: (run) => run.persona,
    ...ABOUT_COLUMNS,
    STATUS: (run) => `${runInWords(run.status)}${run.kind === 'test' ? ' (test)' : ''}`,
    OUTCOME: (run) => [run.outcome === null ? '' : outcomeInWords(run.outcome), run.code].filter(Boolean).join(' '),
    CALLS: (run) => `${run.model_calls}+${run.tool_calls}`,
    USD: (run) => run.cost_usd.toFixed(4),
    ID: (run) => shortId(run.id),
  },
  empty: 'No runs yet.',
});

const cancel = defineCommand({
  name: 'runs cancel',
  summary: 'End a run that is not over, or what it still asks; its sender is told so',
  arguments: ['<id>'],
  async run({ open }, { args: [id] }) {
    const workspace = open({ tolerant: true });
    const { persona, row } = await findRun(workspace, id);
    const entry = workspace.live.personas().get(persona);
    const isOver = !['queued', 'running', 'waiting_approval'].includes(row.status);
    // Without its name and address nobody could be told.
    if (!isOver && entry?.state !== 'ready') {
      const cure = `mend it (\`epistle persona validate ${persona}\` says how), then cancel again`;
      throw new EngineError('config_invalid', `${persona} cannot write to whoever waits for run ${row.id}; ${cure}`);
    }
    const { cancelWithoutLock } = await import('../../../app/cancel-without-lock.ts');
    const run =
      entry?.state === 'ready'
        ? await cancelWithoutLock(workspace, { persona: entry.persona, id: row.id, by: 'cli' })
        : 'ended';
    if (run === 'not_found' || run === 'ended') {
      return refusal('wrong_state', `the run is ${row.status}; only one that is not over can be cancelled`);
    }
    if ('answered' in run) return { run: runShape(persona, run.answered), withdrawn: run.asked };
    return { run: runShape(persona, run) };
  },
  text: (result) => {
    const { run } = result;
    if ('withdrawn' in result)
      return `Run ${run.id} had answered; nobody is asked any more what it still asked (${result.withdrawn}), and its sender is told so.`;
    return `Run ${run.id} is cancelled; ${run.reply_message_id === null ? 'its mail gets no answer' : 'its sender is told so'}.`;
  },
});

const retry = defineCommand({
  name: 'runs retry',
  summary: 'Answer the mail of a run once more that failed, was cancelled, or ended in part or in silence',
  arguments: ['<id>'],
  async run({ open }, { args: [id] }) {
    const workspace = open({ tolerant: true });
    const { persona, row } = await findRun(workspace, id);
    const run = await retryRun(workspace, { personaId: persona, id: row.id, by: 'cli' });
    if (run === 'retried') return refusal('wrong_state', 'its mail has a newer run already; see `epistle why`');
    if (run === 'not_failed' && mayBeTriedAgain(row))
      return refusal('wrong_state', 'it carried out what an owner had decided, and that is done once');
    if (run === 'not_found' || run === 'not_failed') {
      const allowed =
        'only one of a mail or a task that failed, was cancelled, is partial or was silent can be retried';
      return refusal('wrong_state', `the run is ${row.status}; ${allowed}`);
    }
    return { run: runShape(persona, run) };
  },
  text: ({ run }) => `Run ${run.id} is queued for ${run.message_id}; a running gateway works it now.`,
});

export const runs: Group = {
  name: 'runs',
  summary: 'What personas did with their mail',
  commands: [list, show, explain, issue, replay, resolve, cancel, retry],
};
