import { join } from 'node:path';
import { startWorker } from '../../app.ts';
import { startSmtpListener } from '../../gateway/smtp-listener.ts';
import { writeDurably } from '../../storage/blobs.ts';
import { submissionSecret, type Workspace } from '../../workspace.ts';
import type { CommandContext, Register } from '../command.ts';
import { packageVersion } from '../version.ts';

const LOCK_WAIT_MS = 10_000;
const DRAIN_MS = 7000;
/** How long `ready` waits for mailboxes that do not answer. */
const MAILBOX_WAIT_MS = 5000;

export const startCommand: Register = (program, act) => {
  program.command('start').description('Run the gateway').action(act(start));
};

async function start(context: CommandContext): Promise<undefined> {
  const workspace = context.open('configured');
  const { live, log, dataDir, ids } = workspace;
  const worker = await startWorker(workspace, { lockWaitMs: LOCK_WAIT_MS });
  const { gateway } = live.current();
  const listener = gateway.smtp_listener.enabled
    ? await startSmtpListener({
        config: gateway,
        submissionSecret: submissionSecret(dataDir, ids),
        receive: worker.receive,
        findByAddress: (address) => live.personas().byAddress(address),
        log,
      })
    : null;
  await worker.mailboxes.start(MAILBOX_WAIT_MS);
  live.start();
  const ready = {
    ready: true,
    pid: process.pid,
    version: packageVersion(),
    workspace: workspace.root,
    smtp: listener && { host: listener.host, port: listener.port },
    mailboxes: worker.mailboxes.states(),
    personas: await personaStates(workspace),
    console: null,
  };
  writeDurably(dataDir, join(dataDir, 'ready.json'), Buffer.from(`${JSON.stringify(ready)}\n`));
  if (context.json) context.print(JSON.stringify(ready));
  else for (const line of welcome(ready)) context.print(line);

  await stopSignal();
  log.info({}, 'stopping');
  await listener?.close();
  await worker.stop(DRAIN_MS);
  return undefined;
}

async function personaStates({ live, gateway }: Workspace) {
  const states = [];
  for (const entry of live.personas().all()) {
    if (entry.state === 'error') {
      states.push({
        id: entry.id,
        address: entry.addresses[0] ?? null,
        state: 'error',
        error: entry.problems[0]?.message ?? null,
      });
      continue;
    }
    const state = (await gateway.isPaused(entry.id)) ? 'paused' : 'ready';
    states.push({ id: entry.id, address: entry.persona.address, state, error: null });
  }
  return states;
}

function welcome(ready: {
  smtp: { host: string; port: number } | null;
  personas: readonly { address: string | null; state: string }[];
}): string[] {
  const first = ready.personas.find(({ state }) => state === 'ready');
  return [
    `Epistle is ready${ready.smtp ? `: mail is taken on ${ready.smtp.host} port ${ready.smtp.port}` : ''}.`,
    ...(first
      ? ['Write to a persona:', '', `./scripts/epistle send --to ${first.address} --subject "Hello" --wait`, '']
      : []),
  ];
}

/** Resolves at SIGTERM or SIGINT. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}
