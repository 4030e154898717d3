import { setTimeout as wait } from 'node:timers/promises';
import { listOutbox } from '../../../queries/mail/outbox.ts';
import type { Workspace } from '../../../workspace.ts';

const POLL_MS = 500;

/** Waits until a mail of the owner was answered; false when none was within `ms`. */
export async function firstAnswer(workspace: Workspace, owner: string, ms: number): Promise<boolean> {
  for (const until = Date.now() + ms; Date.now() < until; await wait(POLL_MS)) {
    const { outbox } = await listOutbox(workspace, { limit: 50, status: 'sent' });
    if (
      outbox.some(
        ({ kind, to }) => kind === 'reply' && to.some(({ address }) => address.toLowerCase() === owner.toLowerCase()),
      )
    )
      return true;
  }
  return false;
}
