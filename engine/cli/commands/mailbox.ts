import { EngineError } from '#contract';
import { nearestOf } from '../../config/nearest.ts';
import { didYouMean } from '../../config/problem.ts';
import { mailboxInWords, mailboxStates } from '../../queries/gateway/mailbox-states.ts';
import { probe } from '../../queries/gateway/probe.ts';
import { runningGateway } from '../../queries/gateway/running.ts';
import { readState } from '../../queries/gateway/state.ts';
import type { CommandContext, Outcome, Register } from '../command.ts';
import { table } from '../text/table.ts';

const TEST_MS = 15_000;

export const mailboxCommand: Register = (program, act) => {
  const mailbox = program.command('mailbox').description('Where mail is fetched from and sent through');
  mailbox.command('list').description('The mailboxes of configs/gateway.json').action(act(list));
  mailbox
    .command('test')
    .description('Log in to a mailbox, or to all of them, and leave again')
    .argument('[id]')
    .action(act(test));
};

async function list(context: CommandContext): Promise<Outcome> {
  const workspace = context.open({ tolerant: true });
  const { live, dataDir } = workspace;
  const running = runningGateway(workspace);
  const { gateway } = live.current();
  const states = mailboxStates(gateway, (running && readState(dataDir, running.pid)?.mailboxes) ?? []);
  const mailboxes = gateway.mailboxes.map(({ id, imap, smtp, save_sent }) => ({
    id,
    state: states.find((one) => one.id === id)?.state ?? 'disabled',
    error: states.find((one) => one.id === id)?.error ?? null,
    imap: imap ? { host: imap.host, port: imap.port, user: imap.user, folder: imap.folder } : null,
    smtp: smtp ? { host: smtp.host, port: smtp.port, user: smtp.user } : null,
    save_sent,
  }));
  return {
    data: { mailboxes, next: null },
    text: table(
      ['ID', 'STATE', 'IMAP', 'SMTP'],
      mailboxes.map((one) => [
        one.id,
        one.imap ? mailboxInWords(one, running !== null) : 'only sends',
        one.imap ? `${one.imap.host}:${one.imap.port}` : '-',
        one.smtp ? `${one.smtp.host}:${one.smtp.port}` : '-',
      ]),
      'No mailboxes; mail comes in through the SMTP listener and leaves into data/outgoing/.',
    ),
  };
}

async function test(context: CommandContext, id: string | undefined): Promise<Outcome> {
  const { live, environment } = context.open();
  const { gateway } = live.current();
  const ids = gateway.mailboxes.map((one) => one.id);
  if (id !== undefined && !ids.includes(id)) {
    throw new EngineError(
      'not_found',
      `no mailbox has the id ${id}${didYouMean(nearestOf(id, ids)) || '; see `epistle mailbox list`'}`,
    );
  }
  const chosen = gateway.mailboxes.filter((one) => id === undefined || one.id === id);
  const mailboxes = await Promise.all(
    chosen.map((mailbox) => probe(mailbox, { secretOf: environment.secretOf, helo: gateway.domain, ms: TEST_MS })),
  );
  const ok = mailboxes.every(({ imap, smtp }) => imap?.ok !== false && smtp?.ok !== false);
  const line = (what: string, one: { ok: boolean; message: string } | null) =>
    one === null ? [] : [`  ${what}: ${one.ok ? 'ok' : 'FAILED'}, ${one.message}`];
  return {
    data: { mailboxes },
    text:
      mailboxes.length === 0
        ? 'No mailboxes are configured.'
        : mailboxes.flatMap((one) => [one.id, ...line('imap', one.imap), ...line('smtp', one.smtp)]).join('\n'),
    exitCode: ok ? 0 : 1,
  };
}
