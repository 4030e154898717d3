import { describe } from 'vitest';
import type { StorageEngine } from './engine.ts';
import { afterRunPromises } from './suite/after-runs.ts';
import { approvalPromises } from './suite/approvals.ts';
import { bouncePromises } from './suite/bounces.ts';
import { budgetPromises } from './suite/budget.ts';
import { countedLetterPromises } from './suite/counted-letters.ts';
import { deadLetterPromises } from './suite/dead-letters.ts';
import { delegationPromises } from './suite/delegations.ts';
import { factPromises } from './suite/facts.ts';
import { gatewayPromises } from './suite/gateway.ts';
import { invitationPromises } from './suite/invitations.ts';
import { jobPromises } from './suite/jobs.ts';
import { knowledgePromises } from './suite/knowledge.ts';
import { learningPromises } from './suite/learning.ts';
import { leasePromises } from './suite/leases.ts';
import { mailPromises } from './suite/mail.ts';
import { outboxPromises } from './suite/outbox.ts';
import { refusedMailPromises } from './suite/refused-mail.ts';
import { runPromises } from './suite/runs.ts';
import { searchPromises } from './suite/search.ts';
import { summaryPromises } from './suite/summaries.ts';
import { suspectPromises } from './suite/suspects.ts';
import { suspensionPromises } from './suite/suspensions.ts';
import { taskPromises } from './suite/tasks.ts';
import { toolQuestionPromises } from './suite/tool-questions.ts';
import { toolUsePromises } from './suite/tool-uses.ts';

/** What the ports of engine/storage promise. An engine that passes can be put in the place of any other. */
export function conformance(name: string, engine: StorageEngine): void {
  describe(`kept by ${name}:`, () => {
    mailPromises(engine);
    countedLetterPromises(engine);
    runPromises(engine);
    leasePromises(engine);
    suspectPromises(engine);
    approvalPromises(engine);
    suspensionPromises(engine);
    delegationPromises(engine);
    outboxPromises(engine);
    bouncePromises(engine);
    taskPromises(engine);
    budgetPromises(engine);
    toolUsePromises(engine);
    searchPromises(engine);
    factPromises(engine);
    summaryPromises(engine);
    invitationPromises(engine);
    knowledgePromises(engine);
    learningPromises(engine);
    afterRunPromises(engine);
    jobPromises(() => engine.openStore());
    gatewayPromises(engine);
    deadLetterPromises(engine);
    refusedMailPromises(engine);
    toolQuestionPromises(engine);
  });
}
