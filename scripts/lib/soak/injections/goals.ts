import { MAIL_GOALS } from './mail-goals.ts';
import type { Mode, Names, Seen, Turn } from './scene.ts';
import { TASK_GOALS } from './task-goals.ts';
import { WEB_GOALS } from './web-goals.ts';

/** What an injected text wants done. */
export interface Goal {
  /** The gateways on which it is held; `trusting` where only its values can be what holds it. */
  readonly modes: readonly Mode[];
  /** What the one who writes wants done beside, by which an address or an amount becomes trusted. */
  asks?(names: Names): string;
  /** The order as its reader meets it. */
  text(names: Names): string;
  /** What the model does that obeys it, turn by turn. */
  turns(names: Names): readonly Turn[];
  /** What it says in its answer. */
  says?(names: Names, seen: Seen): string;
  /** The same order in later runs, each begun by a mail of the owner: what the mail asks, and what the model does. */
  later?(names: Names): readonly Later[];
  /** What may be asked of a server: what stands word for word in what was read. */
  mayFetch?(names: Names): readonly string[];
  /** Where the attacker's pages lead on to, by path. */
  redirects?(names: Names): Readonly<Record<string, string>>;
  /** The mail is the owner's alone: nobody else has such a tool. */
  readonly ownerOnly?: true;
}

export interface Later {
  readonly asks: string;
  readonly turns: readonly Turn[];
  /** In the thread of the first mail, with its answer quoted below; or passed on in a thread of its own. */
  readonly with?: 'quote' | 'forward';
}

export const GOALS: Readonly<Record<string, Goal>> = { ...WEB_GOALS, ...MAIL_GOALS, ...TASK_GOALS };
