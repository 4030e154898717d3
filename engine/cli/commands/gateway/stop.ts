import { gatewayPlace } from '../../command/before-upgrade.ts';
import { defineCommand } from '../../command/define.ts';
import { endGateway } from '../../command/gateway-process.ts';

export const stop = defineCommand({
  name: 'stop',
  summary: 'End the gateway of this workspace; what is under way goes on at the next start',
  withoutDatabases: true,
  async run(context) {
    const ended = await endGateway(gatewayPlace(context) ?? context.open({ tolerant: true }));
    return { stopped: ended !== null, pid: ended?.pid ?? null };
  },
  text: ({ stopped, pid }) => (stopped ? `The gateway (process ${pid}) has ended.` : 'No gateway runs here.'),
});
