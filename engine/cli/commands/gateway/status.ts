import { describeProblem } from '../../../config/problems/problem.ts';
import { type Status, statusOf } from '../../../queries/gateway/status.ts';
import { defineCommand } from '../../define.ts';
import { mailboxInWords } from '../../text/mailbox.ts';
import { waitsFor } from '../../text/waits-for.ts';

export const status = defineCommand({
  name: 'status',
  summary: 'How the gateway and everybody in it are',
  run: ({ open }) => statusOf(open({ tolerant: true })),
  text: describe,
});

function describe(status: Status): string {
  const { queue, outbox } = status;
  const refused = Object.entries(status.refusals).map(([code, count]) => `${count} ${code}`);
  const loaded = status.extensions.filter(({ state }) => state === 'loaded').length;
  return [
    status.running
      ? `The gateway runs (pid ${status.pid}, ${status.uptime_s} s).`
      : 'No gateway runs; `epistle start` starts one.',
    ...status.mailboxes.map((one) => `  mailbox ${one.id}: ${mailboxInWords(one, status.running)}`),
    ...status.personas.slice(0, SHOWN).map(inWords),
    ...(status.personas.length > SHOWN ? [`  … and ${status.personas.length - SHOWN} more personas`] : []),
    `Runs: ${queue.queued} queued, ${queue.running} running, ${queue.waiting_approval} waiting for approval, ${queue.deferred} deferred`,
    ...status.deferred.map(
      ({ persona, code, count, until }) =>
        `  ${persona}: ${count} ${count === 1 ? 'mail waits' : 'mails wait'} ${waitsFor(code, until)}`,
    ),
    `Outbox: ${outbox.queued} queued, ${outbox.failed} failed, ${outbox.unknown} unknown${outbox.drafts > 0 ? `, ${outbox.drafts} in Drafts` : ''}`,
    ...(status.parked_jobs ?? []).map(
      ({ persona, kind, code, count }) =>
        `Parked: ${count} ${count === 1 ? 'job' : 'jobs'} of the kind ${kind} of ${persona} cannot be done here (${code})`,
    ),
    `Dead letters: ${status.dead_letters}${status.dead_letters > 0 ? ' (see `epistle deadletters list`)' : ''}`,
    ...(refused.length > 0 ? [`Refused: ${refused.join(', ')}`] : []),
    ...status.cooldowns.map(({ provider, until }) => `Provider ${provider} rests until ${until}`),
    `Extensions: ${loaded} loaded, ${status.extensions.filter(({ state }) => state === 'error').length} with errors`,
    ...status.extensions.flatMap(({ kind, name, error }) =>
      error?.code === 'extension_failed' ? [`  ${kind} ${name} is switched off: ${error.message}`] : [],
    ),
    ...(status.unhandled_rejections > 0 ? [`Unhandled rejections: ${status.unhandled_rejections} (see the log)`] : []),
    ...status.missing_keys.map(
      ({ provider, keys, personas }) =>
        `Wrong: ${keys.join(', ')} is not set, so provider ${provider} cannot answer for ${personas.join(', ')}`,
    ),
    ...status.config_errors.map((problem) => `Wrong: ${describeProblem(problem)}`),
  ].join('\n');
}

const SHOWN = 50;

/** Of one that cannot be loaded not even the address may be known; where to look is. */
const inWords = ({ id, address, state, error }: Status['personas'][number]): string =>
  [
    `  ${id}${address === null ? '' : ` <${address}>`}: ${state}`,
    ...(error ? [`(${error}; see \`epistle persona validate ${id}\`)`] : []),
  ].join(' ');
