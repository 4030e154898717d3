import { makeBenchWorkspace } from '../bench-workspace.ts';
import { type Correspondent, exchange, sinkMailbox } from '../correspondent.ts';
import { rounded } from '../figures.ts';
import { launch } from '../gateway.ts';

const PERSONAS = 4;

export interface EndToEnd {
  readonly concurrency: number;
  readonly answers_per_s: number;
  readonly cpu_ms_per_mail: number;
}

/** Mail in over SMTP, one model call, the answer out over SMTP; only the gateway's CPU time is counted. */
export async function measureEndToEnd(
  correspondent: Correspondent,
  modelUrl: string,
  size: { warmUp: number; mails: (concurrency: number) => number },
): Promise<EndToEnd[]> {
  const mailboxes = [sinkMailbox(correspondent.hello.sinkPort)];
  const workspace = makeBenchWorkspace({ personas: PERSONAS, modelUrl, mailboxes });
  const gateway = await launch(workspace.root);
  try {
    const task = { personas: PERSONAS, answers: true };
    await exchange(correspondent, gateway.listener, { ...task, connections: 8, mails: size.warmUp });
    const results: EndToEnd[] = [];
    for (const concurrency of [1, 8, 32]) {
      const mails = size.mails(concurrency);
      const before = gateway.cpuMs();
      const { seconds } = await exchange(correspondent, gateway.listener, { ...task, connections: concurrency, mails });
      const cpuMs = gateway.cpuMs() - before;
      results.push({
        concurrency,
        answers_per_s: rounded(mails / seconds, 0),
        cpu_ms_per_mail: rounded(cpuMs / mails),
      });
    }
    return results;
  } finally {
    await gateway.stop();
    workspace.remove();
  }
}
