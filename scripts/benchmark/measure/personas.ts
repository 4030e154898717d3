import { makeBenchWorkspace } from '../bench-workspace.ts';
import { type Correspondent, exchange, sinkMailbox } from '../correspondent.ts';
import { median, rounded } from '../figures.ts';
import { launch, type RunningGateway } from '../gateway.ts';

const CONNECTIONS = 4;

export interface PersonasFigure {
  readonly count: number;
  readonly start_ms: number;
  readonly rss_mb: number;
  readonly cost_ratio: number;
}

/**
 * The first start with so many personas, the memory after some mail, and what a mail to the same persona costs as a
 * multiple of what it costs a gateway with one persona that runs beside it.
 */
export async function measurePersonas(
  correspondent: Correspondent,
  modelUrl: string,
  size: { counts: readonly number[]; warmUp: number; rounds: number; mails: number },
): Promise<PersonasFigure[]> {
  const open = async (personas: number) => {
    const mailboxes = [sinkMailbox(correspondent.hello.sinkPort)];
    const workspace = makeBenchWorkspace({ personas, modelUrl, mailboxes });
    const gateway = await launch(workspace.root);
    return { gateway, close: () => gateway.stop().then(workspace.remove) };
  };
  const send = (gateway: RunningGateway, mails: number) =>
    exchange(correspondent, gateway.listener, { personas: 1, connections: CONNECTIONS, answers: true, mails });
  const cost = async (gateway: RunningGateway) => {
    const before = gateway.cpuMs();
    await send(gateway, size.mails);
    return gateway.cpuMs() - before;
  };

  const base = await open(1);
  try {
    await send(base.gateway, size.warmUp);
    const figures: PersonasFigure[] = [];
    for (const count of size.counts) {
      const { gateway, close } = count === 1 ? { ...base, close: async () => {} } : await open(count);
      try {
        if (count > 1) await send(gateway, size.warmUp);
        const own: number[] = [];
        const alone: number[] = [];
        for (let round = 0; round < size.rounds; round += 1) {
          alone.push(await cost(base.gateway));
          own.push(await cost(gateway));
        }
        figures.push({
          count,
          start_ms: rounded(gateway.startMs, 0),
          rss_mb: rounded(gateway.rssMb(), 0),
          cost_ratio: rounded(median(own) / median(alone)),
        });
      } finally {
        await close();
      }
    }
    return figures;
  } finally {
    await base.close();
  }
}
