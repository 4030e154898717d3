import { EngineError } from '#contract';
import { runManager, serviceOf } from '../../../service/manager.ts';
import { defineCommand } from '../../command/define.ts';
import { endGateway, gatewayHere, startGateway, untilRunning } from '../../command/gateway-process.ts';

export const restart = defineCommand({
  name: 'restart',
  summary: 'End the gateway of this workspace and start it anew; the machine restarts one that runs as a service',
  async run({ open }) {
    const workspace = open({ tolerant: true });
    const running = gatewayHere(workspace);
    const service = running === null ? null : serviceOf(running.pid);
    if (running !== null && service !== null) {
      const { ok, said } = runManager(service.restart);
      if (!ok) throw new EngineError('not_running', `\`${service.restart.join(' ')}\` failed: ${said}`);
      const again = await untilRunning(workspace, ({ pid }) => pid !== running.pid);
      if (again === null)
        throw new EngineError('not_running', 'the service did not start the gateway again; `epistle logs` says why');
      return { pid: again.pid, was: running.pid, service: service.name };
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
