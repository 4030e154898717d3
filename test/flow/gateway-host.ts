import { resolve } from 'node:path';
import { createGateway, type Gateway } from '../../engine/app.ts';
import { processSettings } from '../../engine/config/environment.ts';
import { createLog, createLogFile, logFiles } from '../../engine/lib/log/log.ts';
import { openWorkspace, type Workspace } from '../../engine/workspace.ts';
import { answerQuestions } from './host.ts';
import type { GatewayNews, GatewayQuestion } from './hosted-gateways.ts';

// Gateways of several workspaces at work in one process: loading the program costs more than most of what a test has one
// do. Each is opened as `epistle start` opens it, with the environment that it is handed, and lets go of all when it stops.
const running = new Map<number, { readonly gateway: Gateway; readonly workspace: Workspace }>();

async function start({ number, root, variables }: Extract<GatewayQuestion, { asks: 'start' }>) {
  const workspace = openWorkspace({
    root,
    settings: processSettings(variables),
    variables,
    makeLog: ({ current }) => {
      const { system } = current();
      const file = system.log.file ? createLogFile(logFiles(resolve(root, system.data_dir))) : null;
      return createLog(system.log, { file, shown: { write: (log) => host.tell({ number, log }) } });
    },
  });
  try {
    const gateway = createGateway(workspace, { unhandledRejections: () => 0 });
    const ready = await gateway.start();
    running.set(number, { gateway, workspace });
    return ready;
  } catch (error) {
    await workspace.close();
    throw error;
  }
}

async function stop({ number, atOnce }: Extract<GatewayQuestion, { asks: 'stop' }>): Promise<null> {
  const found = running.get(number);
  running.delete(number);
  try {
    await found?.gateway.stop(atOnce ? 0 : undefined);
  } finally {
    await found?.workspace.close();
  }
  return null;
}

const host = answerQuestions<GatewayQuestion, unknown, GatewayNews>((question) =>
  question.asks === 'start' ? start(question) : stop(question),
);

// Nobody knows whose it was, and what else it broke: the process ends, and the test that is under way fails.
const end = (what: string, error: unknown): void => {
  const stack = error instanceof Error ? error.stack : String(error);
  process.send?.({ news: { broken: `${what}: ${stack}` } }, () => process.exit(1));
};
process.on('unhandledRejection', (error) => end('unhandled rejection', error));
process.on('uncaughtException', (error) => end('uncaught exception', error));
