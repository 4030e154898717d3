import type { Scope } from '#contract';
import { type Language, languageOf } from '../../wording/language.ts';
import type { ToolFacts } from '../policy/surface.ts';
import type { Contract } from './contract.ts';

/** What is known of a run before any model is asked: rows and settings, never what the mail's words may mean. */
export interface TaskFrame {
  readonly trigger: 'mail' | 'task';
  /** Of `context.json`. */
  readonly profile: 'thread' | 'task';
  /** The subject line, shortened. */
  readonly subject: string;
  /** Scopes of the tools on the surface that can change something. */
  readonly can_change: readonly Scope[];
  /** Of the conversation, for what the gateway itself says in it. */
  readonly language: Language;
  /** What the answer has to bring. */
  readonly contract: Contract;
}

const MAX_SUBJECT = 160;

/** Pure: the same mail, settings and surface always give the same frame. */
export function frameOf(run: {
  readonly isTask: boolean;
  readonly subject: string;
  readonly text: string;
  readonly language: Language;
  readonly contract: Contract;
  readonly offered: readonly Pick<ToolFacts, 'risk' | 'scope' | 'asks'>[];
}): TaskFrame {
  const changing = run.offered.filter(({ risk, asks }) => risk !== 'read' && !asks).map(({ scope }) => scope);
  return {
    trigger: run.isTask ? 'task' : 'mail',
    profile: run.isTask ? 'task' : 'thread',
    subject: run.subject.slice(0, MAX_SUBJECT).toWellFormed(),
    can_change: [...new Set(changing)].sort(),
    language: languageOf([run.text], run.language),
    contract: run.contract,
  };
}
