import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { startIdleMemory } from '../../../app/idle-memory.ts';
import type { Ready } from '../../../app/ready-file.ts';
import { createGateway } from '../../../app.ts';
import type { CommandContext } from '../../command/context.ts';
import { defineCommand } from '../../command/define.ts';
import { lastStartedFile, rememberStarted } from '../../command/last-started.ts';
import { homeWorkspace, isWorkspace } from '../../command/which-workspace.ts';
import { renewSchemas } from '../set-up/schemas.ts';
import { writeTemplates } from '../set-up/templates.ts';

/** Past this the process ends by itself: all that matters is on disk, and who sent the signal counts on ten seconds. */
const HARD_STOP_MS = 9500;
/** Databases are closed by then; what is left is a client that does not close its side of a connection. */
const LINGER_MS = 500;

export const start = defineCommand({
  name: 'start',
  summary: 'Run the gateway: take in mail, answer it, until SIGTERM or Ctrl-C',
  examples: [
    ['start', 'in this folder; where it holds no workspace, the one started last, or ~/epistle'],
    ['--workspace ~/agents start', 'in another one'],
  ],
  options: { quiet: { flags: '--quiet', about: 'log into data/log/ alone, not to stderr' } },
  run: (context, { options }) => runUntilStopped(context, options.quiet === true),
});

async function runUntilStopped(context: CommandContext, quiet: boolean): Promise<undefined> {
  if (context.root === homeWorkspace(homedir()) && !isWorkspace(context.root)) {
    writeTemplates(context.root);
    context.note(`There is no workspace here, so one was made in ${context.root}.`);
  }
  renewSchemas(context.root);
  const stopped = stopSignal();
  const broken = Promise.withResolvers<never>();
  // Asked for below; until then nobody waits for it.
  broken.promise.catch(() => {});
  const onException = (error: unknown) => {
    exitAfter(HARD_STOP_MS);
    broken.reject(error);
  };
  const workspace = context.open({ log: quiet ? 'file' : 'configured', onException });
  const { unhandledRejections } = context;
  const gateway = createGateway(workspace, { unhandledRejections });
  const ready = await Promise.race([gateway.start(), broken.promise]);
  const memory = startIdleMemory();
  if (context.json) context.print(JSON.stringify(ready));
  else for (const line of welcome(ready, context)) context.print(line);
  // Nobody waits for it any more.
  rememberStarted(lastStartedFile({ stateHome: context.settings.stateHome, home: homedir() }), resolve(context.root));

  try {
    await Promise.race([stopped, broken.promise]);
  } finally {
    exitAfter(HARD_STOP_MS);
    workspace.log.info({}, 'stopping');
    memory.stop();
    await gateway.stop();
    exitAfter(LINGER_MS);
  }
  return undefined;
}

/** Only while something else keeps the process alive. */
const exitAfter = (ms: number): void => void setTimeout(() => process.exit(), ms).unref();

function welcome({ smtp, personas }: Ready, { command }: CommandContext): string[] {
  const first = personas.find(({ state }) => state === 'ready');
  const door = smtp ? `: listening for mail on ${smtp.host} port ${smtp.port}` : '';
  const broken = personas.filter(({ state }) => state === 'error');
  return [
    `Epistle is ready${door}.`,
    ...(broken.length > 0
      ? [`Not ready: ${broken.map(({ id }) => id).join(', ')}; see \`${command('persona validate')}\`.`]
      : []),
    ...(first
      ? [
          'Write to a persona:',
          '',
          command(`send --to ${first.address} --subject "Hello" --wait`),
          '',
          'Look at everything in a browser:',
          '',
          command('console'),
          '',
        ]
      : [`No persona is ready; \`${command('persona create <id>')}\` makes one.`]),
  ];
}

/** Resolves at SIGTERM or SIGINT. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}
