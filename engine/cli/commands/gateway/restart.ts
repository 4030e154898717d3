import { setTimeout as wait } from 'node:timers/promises';
import { EngineError } from '#contract';
import { runningGateway } from '../../../queries/gateway/running.ts';
import { runManager, serviceOf } from '../../../service/manager.ts';
import type { Workspace } from '../../../workspace.ts';
import { defineCommand } from '../../command/define.ts';
import { endGateway, startGateway } from '../../command/gateway-process.ts';

const READY_MS = 30_000;
const POLL_MS = 100;

export const restart = defineCommand({
  name: 'restart',
  summary:
    'End the gateway of this workspace and start it anew, by its service where it is one; it starts where none runs',
  async run({ open }) {
    const workspace = open({ tolerant: true });
    const running = runningGateway(workspace);
    const service = running === null ? null : serviceOf(running.pid);
    if (running !== null && service !== null) {
      const { ok, said } = runManager(service.restart);
      if (!ok) throw new EngineError('not_running', `${service.restart.join(' ')}: ${said}`);
      return { pid: await another(workspace, running.pid), was: running.pid, service: service.name };
    }
    const ended = await endGateway(workspace);
    const { pid } = await startGateway(workspace, process.argv[1] ?? '');
    return { pid, was: ended?.pid ?? null, service: null };
  },
  text: ({ pid, was }) =>
    was === null
      ? `No gateway ran here; one does now (process ${pid}).`
      : `The gateway has ended, and runs again (process ${pid}).`,
});

/** The process that the service has started in place of this one. */
async function another(workspace: Workspace, old: number): Promise<number> {
  for (const until = Date.now() + READY_MS; Date.now() < until; await wait(POLL_MS)) {
    const ready = runningGateway(workspace);
    if (ready && ready.pid !== old) return ready.pid;
  }
  throw new EngineError('not_running', 'its service has not started it again; `epistle logs` says why');
}
