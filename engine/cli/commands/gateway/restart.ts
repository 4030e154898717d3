import { EngineError } from '#contract';
import { runManager, serviceFor, serviceOf } from '../../../service/manager.ts';
import { gatewayPlace } from '../../command/before-upgrade.ts';
import { defineCommand } from '../../command/define.ts';
import { endGateway, gatewayHere, startGateway, untilRunning } from '../../command/gateway-process.ts';

export const restart = defineCommand({
  name: 'restart',
  summary: 'End the gateway of this workspace and start it anew; the machine restarts one that runs as a service',
  withoutDatabases: true,
  async run(context) {
    const workspace = gatewayPlace(context) ?? context.open({ tolerant: true });
    const running = gatewayHere(workspace);
    const service = running === null ? serviceFor(workspace.root) : serviceOf(running.pid);
    if (service !== null) {
      const { ok, said } = runManager(service.restart);
      if (ok) {
        const again = await untilRunning(workspace, ({ pid }) => pid !== running?.pid);
        if (again === null)
          throw new EngineError('not_running', 'the service did not start the gateway; `epistle logs` says why');
        return { pid: again.pid, was: running?.pid ?? null, service: service.name };
      }
      // Of an account that has no manager of services now, it runs without one.
      if (running !== null || !service.restart.includes('--user'))
        throw new EngineError('not_running', `\`${service.restart.join(' ')}\` failed: ${said}`);
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
