import type { ImapConfig } from '../../../config/types.ts';
import type { ImapSession } from './session.ts';

/**
 * Shows people in the mailbox what has been taken: \Seen, a keyword, or a move. The cursor is the state, this is
 * courtesy: what the server refuses comes back as a warning, only a lost connection throws.
 */
export async function markProcessed(
  session: ImapSession,
  processed: ImapConfig['processed'],
  uids: readonly number[],
): Promise<string | null> {
  if (processed === 'none' || uids.length === 0) return null;
  const warning = await mark(session, processed, uids);
  if (warning !== null) session.closed.throwIfAborted();
  return warning;
}

function mark(session: ImapSession, processed: string, uids: readonly number[]): Promise<string | null> {
  const argument = processed.slice(processed.indexOf(':') + 1);
  if (processed.startsWith('move:')) return move(session, argument, uids);
  return flag(session, processed.startsWith('keyword:') ? argument : '\\Seen', uids);
}

async function flag(session: ImapSession, name: string, uids: readonly number[]): Promise<string | null> {
  const isDone = await session.call('STORE', (client) =>
    client.messageFlagsAdd(uids.join(','), [name], { uid: true, silent: true }),
  );
  return isDone ? null : `the server did not store ${name}`;
}

async function move(session: ImapSession, target: string, uids: readonly number[]): Promise<string | null> {
  const range = uids.join(',');
  const has = (capability: string) => session.client.capabilities.has(capability);
  if (has('MOVE')) {
    const moved = await session.call('MOVE', (client) => client.messageMove(range, target, { uid: true }));
    if (!moved) return `the server did not move mail to ${target}`;
    // Without COPYUID the tagged OK must suffice; with it, a UID that is not listed was not moved or is gone already.
    const left = moved.uidMap ? uids.filter((uid) => !moved.uidMap?.has(uid)) : [];
    return left.length > 0 ? `not moved to ${target}: UID ${left.join(',')}` : null;
  }
  // A plain EXPUNGE would also remove what people have marked as deleted (RFC 4315): then rather leave it.
  if (!has('UIDPLUS')) return 'the server has neither MOVE nor UIDPLUS: mail stays where it is';
  const copied = await session.call('COPY', (client) => client.messageCopy(range, target, { uid: true }));
  const safe = copied ? uids.filter((uid) => copied.uidMap?.has(uid)) : [];
  if (safe.length === 0) return `the server did not copy mail to ${target}`;
  const isRemoved = await session.call('EXPUNGE', (client) => client.messageDelete(safe.join(','), { uid: true }));
  return isRemoved ? null : `copied to ${target}, but not removed`;
}

/** Makes the folder that `move:` names; that it is there already is the usual case. */
export async function prepareTarget(session: ImapSession, processed: ImapConfig['processed']): Promise<string | null> {
  if (!processed.startsWith('move:')) return null;
  const target = processed.slice('move:'.length);
  try {
    await session.call('CREATE', (client) => client.mailboxCreate(target));
    return null;
  } catch {
    session.closed.throwIfAborted();
    return `the folder ${target} could not be made`;
  }
}
