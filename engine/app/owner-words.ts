import { decideApprovals } from '../actions/approvals.ts';
import type { ActionPorts } from '../actions/ports.ts';
import type { Persona } from '../config/types.ts';
import type { AnsweredInWords } from '../intake/begin-from-answer.ts';
import type { Clock } from '../lib/clock.ts';
import { type OwnerWords, ownerWords } from '../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../record/jobs/jobs.ts';
import type { PersonaFiles } from '../storage/persona-files.ts';
import type { Store } from '../storage/ports/store.ts';
import { ANSWERED_SINCE, type ApprovalDecision } from '../storage/types/approvals.ts';

type Ports = ActionPorts & {
  readonly clock: Clock;
  filesOf(personaId: string): Pick<PersonaFiles, 'mail'>;
  begin(answered: AnsweredInWords): Promise<boolean>;
};

/** Hands on what an owner has said beyond the matter of the run that has it: each once, also where it is done again after a crash. */
export function createOwnerWordsPasser(ports: Ports): JobHandler {
  return handleJobs(ownerWords, async (persona, job, store) => {
    const { payload } = job;
    if (payload.do === 'begin') await begin(ports, persona, { payload, store });
    else await decide(ports, persona, { payload, store });
    await store.endJob(job.id);
  });
}

type Given<Do extends OwnerWords['do']> = {
  readonly payload: Extract<OwnerWords, { do: Do }>;
  readonly store: Store;
};

/** The bytes of an answer are kept as long as those of other mail that is no message. */
async function begin({ filesOf, begin: beginWith }: Ports, persona: Persona, { payload, store }: Given<'begin'>) {
  const { message_id: messageId, by, said, words } = payload;
  for (const { code, raw_sha256: sha256 } of await store.keptByMessageId(messageId)) {
    // Anybody may write this Message-ID on a mail of theirs; who wrote this one is looked at.
    if (code !== 'approval_answer') continue;
    const raw = await filesOf(persona.id).mail.get(sha256);
    if (await beginWith({ persona, raw, by, said, words })) return;
  }
}

/** As their answer by mail would. What was decided meanwhile stays so. */
async function decide(ports: Ports, persona: Persona, { payload, store }: Given<'answer' | 'close'>) {
  const { approval_id: id, by } = payload;
  const isOwner = persona.owners.some((owner) => owner.toLowerCase() === by);
  if (!isOwner) return;
  const verdict: ApprovalDecision =
    payload.do === 'answer'
      ? { id, state: 'approved', by, reason: payload.words }
      : { id, state: 'stale', by, reason: ANSWERED_SINCE };
  await decideApprovals(ports, { personaId: persona.id, store, verdicts: [verdict], now: ports.clock.now() });
}
