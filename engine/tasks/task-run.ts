import type { Persona, TaskDefinition } from '../config/types.ts';
import { type Ids, sha256 } from '../lib/ids.ts';
import { localTime } from '../lib/schedule/zone.ts';
import type { PlannedRun, TaskTimeStatus } from '../storage/types/tasks.ts';

import { timeStatus } from './time-status.ts';

export interface TaskRunOptions {
  readonly task: TaskDefinition;
  readonly persona: Persona;
  /** Address that is written to when the persona has no owner. */
  readonly adminContact: string | null;
  readonly domain: string;
  /** How often mail that the run sends may travel between agents. */
  readonly recursion: number;
  readonly ids: Ids;
  readonly now: number;
}

/**
 * The run of one due time, with the message that starts it. Its principal is the owner: only who may write the
 * persona's folder can write a task, and by mail only an owner's approval does. So it has an owner's surface, and
 * like an owner's mail it still asks before it does what needs approval.
 */
export function planTaskRun(
  options: TaskRunOptions,
  dueAt: number,
  made: { threadId: string | null; pinned: string | null; last: TaskTimeStatus | undefined },
): PlannedRun {
  const { task, persona, ids, now, domain } = options;
  const threadId = made.threadId ?? ids.next();
  const messageId = ids.next();
  const runId = ids.next();
  const mailId = `<task-${messageId}@${domain}>`;
  return {
    newThread: made.threadId === null ? { id: threadId, kind: 'task', subject: task.name } : null,
    message: {
      id: messageId,
      thread_id: threadId,
      direction: 'in',
      message_id: mailId,
      // A second fence behind the due time's own row.
      duplicate_key: `task:${task.id}:${dueAt}`,
      linked_to: null,
      run_id: runId,
      from_address: null,
      to: [persona.address],
      cc: [],
      reply_to: null,
      subject: task.name,
      in_reply_to: null,
      references: [],
      date: dueAt,
      received_at: now,
      tier: 'owner',
      text: task.prompt,
      new_text: task.prompt,
      pieces: [],
      raw_sha256: null,
      rendered_json: null,
    },
    run: {
      id: runId,
      thread_id: threadId,
      message: messageId,
      message_id: mailId,
      kind: 'task',
      status: 'queued',
      sender: null,
      tier: 'owner',
      recursion: options.recursion,
      due_at: now,
      created_at: now,
    },
    snapshot: {
      task: task.id,
      name: task.name,
      due_at: dueAt,
      timezone: task.timezone,
      file_sha256: task.sha256,
      prompt_sha256: sha256(task.prompt),
      deliver: readersOf(options),
      sticky: task.thread === 'sticky',
      condition: task.condition,
      pinned: made.pinned,
      answer: task.answer,
      previous: task.thread === 'sticky' && made.last ? previousInWords(made.last, task.timezone) : null,
    },
  };
}

function readersOf({ task, persona, adminContact }: TaskRunOptions): readonly string[] {
  if (task.deliver === 'none') return [];
  if (task.deliver !== 'owner') return task.deliver;
  return persona.owners.length > 0 ? persona.owners : adminContact === null ? [] : [adminContact];
}

function previousInWords(last: TaskTimeStatus, zone: string): string {
  const { state, code, delivery } = timeStatus(last);
  const when = localTime(zone, last.due_at);
  if (state === 'ran') {
    const mail = { sent: 'was delivered', queued: 'is on its way', failed: 'could not be delivered', none: '' }[
      delivery
    ];
    return mail === '' ? `${when}: had nothing to deliver` : `${when}: its result ${mail}`;
  }
  const words = { skipped: 'was skipped', missed: 'was missed', queued: 'is not over yet', failed: 'failed' }[state];
  return `${when}: ${words}${code === null ? '' : ` (${code})`}`;
}
