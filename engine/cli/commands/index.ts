import type { Register } from '../command.ts';
import { approvalsCommand } from './approvals.ts';
import { auditCommand } from './audit.ts';
import { chatCommand } from './chat.ts';
import { deadLettersCommand } from './dead-letters.ts';
import { deliverCommand } from './deliver.ts';
import { demoCommand } from './demo.ts';
import { doctorCommand } from './doctor.ts';
import { extensionsCommand } from './extensions.ts';
import { initCommand } from './init.ts';
import { mailboxCommand } from './mailbox.ts';
import { outboxCommand } from './outbox.ts';
import { personaCommand } from './persona.ts';
import { providersCommand } from './providers.ts';
import { runsCommand } from './runs.ts';
import { sendCommand } from './send.ts';
import { startCommand } from './start.ts';
import { statusCommand } from './status.ts';
import { threadsCommand } from './threads.ts';
import { usageCommand } from './usage.ts';
import { versionCommand } from './version.ts';
import { whyCommand } from './why.ts';

/** Every command, in the order of the help text. */
export const commands: readonly Register[] = [
  initCommand,
  demoCommand,
  startCommand,
  statusCommand,
  doctorCommand,
  sendCommand,
  deliverCommand,
  chatCommand,
  whyCommand,
  runsCommand,
  threadsCommand,
  approvalsCommand,
  auditCommand,
  outboxCommand,
  deadLettersCommand,
  personaCommand,
  mailboxCommand,
  providersCommand,
  extensionsCommand,
  usageCommand,
  versionCommand,
];
