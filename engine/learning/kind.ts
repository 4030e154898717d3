import type { Intent } from '../record/codec/intent.ts';
import { workKind } from '../record/codec/playbook.ts';

const BY_INTENT: Readonly<Record<Intent['kind'], string>> = {
  question: 'answer',
  request: 'answer',
  information: 'triage',
  scheduling: 'schedule',
  other: 'answer',
};

export const isWorkKind = (text: string): boolean => workKind.safeParse(text).success;

/**
 * What kind of work a run is, as far as something can be learned of it: its task; else what a stage took the mail for;
 * else what came with it and how it is answered. Null: of a child run nothing is learned. Pure.
 */
export function kindOfWork(run: {
  readonly trigger: 'mail' | 'task' | 'delegation';
  readonly task: string | null;
  readonly intent: Intent | null;
  readonly hasInvitation: boolean;
  /** Its answer lies in Drafts for an owner to send. */
  readonly isDraft: boolean;
}): string | null {
  if (run.trigger === 'delegation') return null;
  if (run.trigger === 'task') return run.task === null ? null : `task:${run.task}`;
  if (run.hasInvitation) return 'schedule';
  if (run.intent === null) return run.isDraft ? 'draft' : 'answer';
  const { kind, wanted_effects: effects } = run.intent;
  // It asks for something, and for nothing that a tool would change.
  return kind === 'request' && effects.length === 0 ? 'research' : BY_INTENT[kind];
}
