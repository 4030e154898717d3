import type { Screen } from '../screen.ts';
import { approvals } from './approvals.ts';
import { costs } from './costs.ts';
import { logIns } from './log-ins.ts';
import { mail } from './mail.ts';
import { passkeys } from './passkeys.ts';
import { people } from './people.ts';
import { personas } from './personas.ts';
import { runs } from './runs.ts';
import { settings } from './settings.ts';
import { system } from './system.ts';
import { tasks } from './tasks.ts';
import { today } from './today.ts';

/** In the order of the list on the left. */
export const SCREENS: readonly Screen[] = [
  today,
  mail,
  approvals,
  runs,
  personas,
  tasks,
  people,
  costs,
  settings,
  system,
  logIns,
  passkeys,
];
