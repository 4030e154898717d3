import type { Scope } from '#contract';
import type { AnswerConfig } from '../config/types.ts';

import type { Language } from '../wording/language.ts';
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

/** What an answer has to bring beside its words; from the task file, else the persona, else nothing. */
export type Contract = AnswerConfig;
