import { describeProblem } from '../../../config/problems/problem.ts';
import { iso } from '../../../lib/clock.ts';
import { trustedServers } from '../../../mail/identity/login-line.ts';
import { loginsInWords } from '../../../queries/doctor/borders.ts';
import { type Status, statusOf } from '../../../queries/gateway/status.ts';
import { listTasks, taskShape } from '../../../queries/tasks/listing.ts';
import type { Workspace } from '../../../workspace.ts';
import { defineCommand } from '../../command/define.ts';
import { inOneLine } from '../../text/indented.ts';
import { atHere, dayHere, zoneLine } from '../../text/local-time.ts';
import { mailboxInWords } from '../../text/mailbox.ts';
import { waitsFor } from '../../text/waits-for.ts';

export const status = defineCommand({
  name: 'status',
  summary: 'How the gateway and everybody in it are',
  examples: [
    ['status', 'exit code 1 while something is not well'],
    ['status --json', 'the same for programs'],
  ],
  async run({ open }) {
    const workspace = open({ tolerant: true });
    const found = await statusOf(workspace);
    const { uptime_s: uptime } = found;
    const started_at = uptime === null ? null : iso(workspace.clock.now() - uptime * 1000);
    const { trusted_received: trusted } = workspace.live.current().security.gateway_auth;
    const { loginServers } = trustedServers(trusted);
    return { ...found, started_at, next_task: await nextTask(workspace), trusted_logins: loginServers };
  },
  // The question was answered, whatever the answer is.
  json: (status) => ({ ok: true, ...status }),
  text: (status, { hint }) => hint(describe(status)),
  exitCode: ({ healthy }) => (healthy ? 0 : 1),
});

type Next = { readonly id: string; readonly name: string; readonly at: string };

/** The task that is due first. */
async function nextTask(workspace: Workspace): Promise<Next | null> {
  const now = workspace.clock.now();
  const due = (await listTasks(workspace)).flatMap((one) => {
    const { id, name, next_at: at } = taskShape(one, now);
    return at === null ? [] : [{ id, name, at }];
  });
  return due.toSorted((a, b) => (a.at < b.at ? -1 : 1))[0] ?? null;
}

/** A connection may look alive for long after the server has gone; the time of its last answer does not. */
const lookedInWords = ({ looked_at: at }: Status['mailboxes'][number]): string =>
  at === null ? '' : `, looked for mail at ${atHere(at)}`;

function sendingInWords({ smtp }: Status['mailboxes'][number]): string {
  if (smtp.state === null) return '';
  if (smtp.state === 'ready') return '; SMTP ready';
  if (smtp.state === 'needs_login') return `; SMTP: ${smtp.error}${smtp.waiting > 0 ? ` (${smtp.waiting} wait)` : ''}`;
  return `; SMTP: ${smtp.waiting} ${smtp.waiting === 1 ? 'mail waits' : 'mails wait'} for another try (${smtp.error ?? 'no answer'})`;
}

function recently({ models, today, last_mail: last, backup }: Status, next: Next | null): string[] {
  return [
    ...models.map(({ model, personas }) => `Model: ${model} for ${listOf(personas)}`),
    `Today: ${today.runs} ${today.runs === 1 ? 'run' : 'runs'}, ${today.cost_usd.toFixed(4)} USD`,
    ...(last
      ? [
          `Last mail: ${atHere(last.received_at)}  ${last.from ?? 'nobody'}  ${JSON.stringify(last.subject)}, ${last.decision}${last.code && last.code !== last.decision ? ` (${last.code})` : ''}`,
        ]
      : []),
    ...(backup.next_at === null
      ? []
      : [`Next backup: ${atHere(backup.next_at)}${backup.last?.path ? `, last ${atHere(backup.last.at)}` : ''}`]),
    ...(next ? [`Next task: ${atHere(next.at)}  ${next.id}`] : []),
  ];
}

const listOf = (ids: readonly string[]): string => (ids.length > 5 ? `${ids.length} personas` : ids.join(', '));

type Shown = Status & {
  readonly started_at: string | null;
  readonly next_task: Next | null;
  /** Servers that are believed about who logged in there. */
  readonly trusted_logins: readonly string[];
};

function describe(status: Shown): string {
  const { queue, outbox } = status;
  const refused = Object.entries(status.refusals).map(([code, count]) => `${count} ${code}`);
  const loaded = status.extensions.filter(({ state }) => state === 'loaded').length;
  return [
    status.running
      ? `The gateway runs${status.started_at === null ? '' : ` since ${atHere(status.started_at)}`} (pid ${status.pid}).`
      : 'No gateway runs; `epistle start` starts one.',
    ...status.mailboxes.map(
      (one) => `  mailbox ${one.id}: ${mailboxInWords(one, status.running)}${lookedInWords(one)}${sendingInWords(one)}`,
    ),
    ...status.personas.slice(0, SHOWN).map(inWords),
    ...(status.personas.length > SHOWN ? [`  … and ${status.personas.length - SHOWN} more personas`] : []),
    ...recently(status, status.next_task),
    `Runs: ${queue.queued} queued, ${queue.running} running, ${queue.waiting_approval} waiting for approval, ${queue.deferred} deferred`,
    ...status.deferred.map(
      ({ persona, code, count, until, message }) =>
        `  ${persona}: ${count} ${count === 1 ? 'mail waits' : 'mails wait'} ${waitsFor(code, until)}${message ? `; ${inOneLine(message)}` : ''}`,
    ),
    ...partsInWords(status.waiting_parts),
    `Outbox: ${outbox.queued} queued, ${outbox.failed} failed, ${outbox.unknown} unknown${outbox.drafts > 0 ? `, ${outbox.drafts} in Drafts` : ''}`,
    ...(status.parked_jobs ?? []).map(
      ({ persona, kind, code, count }) =>
        `Parked: ${count} ${count === 1 ? 'job' : 'jobs'} of the kind ${kind} of ${persona} cannot be done here (${code})`,
    ),
    `Dead letters: ${status.dead_letters}${status.dead_letters > 0 ? ' (see `epistle deadletters list`)' : ''}`,
    ...(refused.length > 0 ? [`Refused: ${refused.join(', ')}`] : []),
    ...status.cooldowns.map(({ provider, until }) => `Provider ${provider} rests until ${atHere(until)}`),
    `Extensions: ${loaded} loaded, ${status.extensions.filter(({ state }) => state === 'error').length} with errors`,
    ...status.extensions.flatMap(({ kind, name, error }) =>
      error?.code === 'extension_failed' ? [`  ${kind} ${name} is switched off: ${error.message}`] : [],
    ),
    ...status.tools_waiting.map(
      ({ server, tools }) =>
        `  mcp ${server}: not used until an owner has allowed it: ${listOfTools(tools)}; \`epistle extensions check ${server}\` shows what has changed`,
    ),
    ...(status.unhandled_rejections > 0 ? [`Unhandled rejections: ${status.unhandled_rejections} (see the log)`] : []),
    ...status.missing_keys.map(
      ({ provider, keys, personas }) =>
        `Wrong: ${keys.join(', ')} is not set, so provider ${provider} cannot answer for ${personas.join(', ')}`,
    ),
    ...status.unpriced.map(({ model, persona, until }) =>
      until === null
        ? `Wrong: ${persona} has a budget, and nobody has said what ${model} costs, so its mail waits (\`prices\` in configs/inference.json)`
        : `From ${dayHere(until)} on mail to ${persona} waits: there is a budget, and nobody has said what ${model} costs (\`prices\` in configs/inference.json)`,
    ),
    ...(status.trusted_logins.length === 0 ? [] : [`Note: ${loginsInWords(status.trusted_logins)}`]),
    ...status.config_errors.map((problem) => `Wrong: ${describeProblem(problem)}`),
    ...(status.running && status.config_errors.length > 0
      ? ['The running gateway goes on with the last good version of what is wrong.']
      : []),
    zoneLine(),
    ...(status.healthy ? [] : ['', `Not healthy: ${status.unhealthy.join('; ')}.`]),
  ].join('\n');
}

const SHOWN = 50;

const listOfTools = (tools: readonly string[]): string =>
  tools.length > 5 ? `${tools.slice(0, 5).join(', ')} and ${tools.length - 5} more` : tools.join(', ');

const partsInWords = ({ external, delegation }: Status['waiting_parts']): string[] =>
  external + delegation === 0
    ? []
    : [`Parts that wait for a result: ${external} begun elsewhere, ${delegation} in child runs`];

/** Of one that cannot be loaded not even the address may be known; where to look is. */
const inWords = ({ id, address, state, error }: Status['personas'][number]): string =>
  [
    `  ${id}${address === null ? '' : ` <${address}>`}: ${state}`,
    ...(error ? [`(${error}; see \`epistle persona validate ${id}\`)`] : []),
  ].join(' ');
