import type { Register } from '../command.ts';
import { deliverCommand } from './deliver.ts';
import { runsCommand } from './runs.ts';
import { sendCommand } from './send.ts';
import { startCommand } from './start.ts';
import { versionCommand } from './version.ts';
import { whyCommand } from './why.ts';

/** Every command, in the order of the help text. */
export const commands: readonly Register[] = [
  startCommand,
  sendCommand,
  deliverCommand,
  whyCommand,
  runsCommand,
  versionCommand,
];
