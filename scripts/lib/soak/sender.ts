import { setTimeout as sleep } from 'node:timers/promises';
import { addressOf, type Conversation, type Letter } from './letters.ts';
import { type Attempt, type Door, submit } from './submit.ts';

export interface Sent {
  readonly letter: Letter;
  /** How often a 250 was heard for it. */
  acknowledged: number;
  /** Tries that reached the gateway. */
  tries: number;
  refusal: string | null;
}

export type Sender = ReturnType<typeof createSender>;

const RETRY_MS = 25;

/**
 * Behaves like a mail server that has our mail in its queue: keeps each one until it has heard 250 and offers the
 * same bytes again after anything else. `door` is null while nobody listens.
 */
export function createSender(options: { door(): Door | null; onAcknowledged(): void }) {
  const sent: Sent[] = [];
  const tasks = new Set<Promise<void>>();

  const attempt = async (record: Sent, hangUp: boolean): Promise<Attempt> => {
    const { letter } = record;
    const door = options.door();
    if (!door) return { kind: 'lost' };
    const to = letter.personas.map(addressOf);
    const result = await submit(door, { from: letter.from, to, raw: letter.raw }, hangUp);
    if (result.kind !== 'lost') record.tries += 1;
    if (result.kind === 'refused') record.refusal = result.answer;
    if (result.kind === 'acknowledged') {
      record.acknowledged += 1;
      options.onAcknowledged();
    }
    return result;
  };

  /** Until `times` 250s were heard, or a refusal. */
  const deliver = async (record: Sent, times: number) => {
    let hangUps = record.letter.hangUps;
    while (record.acknowledged < times && record.refusal === null) {
      const { kind } = await attempt(record, hangUps > 0);
      if (kind === 'hung_up') hangUps -= 1;
      else if (kind !== 'acknowledged') await sleep(RETRY_MS);
    }
  };

  const converse = async (conversation: Conversation) => {
    for (const letter of conversation) {
      const record: Sent = { letter, acknowledged: 0, tries: 0, refusal: null };
      sent.push(record);
      await deliver(record, letter.again ? 2 : 1);
    }
  };

  return {
    sent: sent as readonly Sent[],
    offer(conversation: Conversation): void {
      const task = converse(conversation).finally(() => tasks.delete(task));
      tasks.add(task);
    },
    /** Resolves when every mail that was offered has been settled. */
    async done(): Promise<void> {
      while (tasks.size > 0) await Promise.all(tasks);
    },
    unsettled: () => tasks.size,
  };
}
