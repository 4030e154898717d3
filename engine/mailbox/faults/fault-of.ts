import type { Seen } from '../peer/look.ts';
import { otherServiceFault, silentFault, unreachedFault } from './connect-faults.ts';
import { type Fault, fault, type MailboxFailure, type Side } from './fault.ts';
import { loginFault, offeredFault } from './login-faults.ts';
import { folderFault, sendFault } from './mail-faults.ts';
import { tlsFault } from './tls-faults.ts';

/** Pure. What is certain before a login: no secret is sent to such a server. Null when a login can be tried. */
export const faultBeforeLogin = (side: Side, seen: Seen): Fault | null =>
  unreachedFault(side, seen) ?? otherServiceFault(side, seen) ?? tlsFault(side, seen) ?? offeredFault(side, seen);

export const secretFault = ({ secretEnv }: Side): Fault =>
  fault('secret_missing', `${secretEnv} is not set`, `put ${secretEnv}=… into .env or the environment`);

/** Pure. What a failure means, from what was seen of the server before and what it said. */
export function faultOf({ side, seen, said }: MailboxFailure, folder = 'INBOX'): Fault {
  const before = seen ? (faultBeforeLogin(side, seen) ?? silentFault(side, seen)) : null;
  if (before) return before;
  const words = said ?? { stage: 'login', code: null, text: 'it does not answer as it should' };
  if (words.stage === 'folder') return folderFault(side, folder, words);
  return words.stage === 'send' ? sendFault(side, words) : loginFault(side, words);
}
