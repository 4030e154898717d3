import type { Persona } from '../config/types.ts';
import { targetOf } from '../queries/gateway/provider-in-use.ts';
import { tellOfEnds } from './logins/login-troubles.ts';
import { tellOfRefusedSenders } from './refused/daily-digest.ts';
import { isUpgradeUntold } from './telling/news.ts';
import { tellUnpriced } from './telling/tell-owners.ts';
import type { Worker } from './worker.ts';

/** So long after its time is over an answer about tools is still told what became of the question. */
const REMEMBERED_MS = 90 * 24 * 3_600_000;

/**
 * What is done once a day besides clearing away: owners hear of logins that end soon and of senders who were refused, and
 * threads without mail are closed, of personas whose threads are summarised.
 */
export async function daily({ workspace, announce }: Worker, signal: AbortSignal): Promise<void> {
  await tellOfEnds({ workspace, announce });
  await tellOfRefusedSenders({ workspace, announce });
  if (!(await isUpgradeUntold({ workspace }))) await tellUnpriced({ workspace, announce });
  const { gateway, live, stores, clock } = workspace;
  await gateway.pruneToolQuestions(clock.now() - REMEMBERED_MS);
  const personas = [...live.personas().all()].flatMap((entry) => (entry.state === 'ready' ? [entry.persona] : []));
  const closing = personas.filter((persona) => isSummarised(workspace, persona));
  // Loaded where it is needed: most gateways summarise nothing.
  if (closing.length === 0) return;
  const { closeIdleThreads } = await import('../memory/threads/close-idle.ts');
  await closeIdleThreads({ personas: closing, system: live.current().system, stores, announce, clock }, signal);
}

/** What answers without a model summarises nothing, and would be asked about the same threads each day. */
function isSummarised(workspace: Worker['workspace'], persona: Persona): boolean {
  const stage = persona.inference.stages?.summarise ?? workspace.live.current().inference.stages.summarise;
  if (stage == null) return false;
  return (stage.provider ?? targetOf(workspace, persona).provider) !== 'offline';
}
