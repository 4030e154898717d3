import type { Json } from '#contract';

// Six kinds of work of one persona. Each is done by looking two things up, by asking for a rule and by noting what it comes to.

/** A kind as it is told apart in mail, in notes and in prompts. */
export interface Kind {
  /** As the engine names it. */
  readonly work: string;
  /** What its mails are about; also the desk at which is looked up and noted. */
  readonly desk: string;
  /** What the stage `frame` makes of such a mail; null: it is a task. */
  readonly intent: 'question' | 'information' | 'scheduling' | 'request' | null;
  /** With which its ids begin. */
  readonly letter: string;
  readonly opening: string;
}

export const KINDS: readonly Kind[] = [
  { work: 'answer', desk: 'order', intent: 'question', letter: 'A', opening: 'Where is my order, please?' },
  { work: 'triage', desk: 'fault', intent: 'information', letter: 'B', opening: 'Something is broken here.' },
  { work: 'schedule', desk: 'visit', intent: 'scheduling', letter: 'C', opening: 'When can somebody come?' },
  { work: 'research', desk: 'tender', intent: 'request', letter: 'D', opening: 'Please find out who has this tender.' },
  { work: 'task:stock', desk: 'stock', intent: null, letter: 'E', opening: 'Look after the stock.' },
  { work: 'task:rota', desk: 'rota', intent: null, letter: 'F', opening: 'Look after the rota.' },
];

/** Of a task every due time has the same id: it is part of its file. */
export const idOf = ({ intent, letter }: Kind, n: number): string => `${letter}${intent === null ? 1 : n}`;

/** The words of a mail, and those of a task. */
export const wordsOf = ({ opening, desk }: Kind, id: string): string =>
  `Hello Ada,\n${opening}\n${labelOf(desk)} ${id}\nThank you`;

export const labelOf = (desk: string): string => `The ${desk} number is`;

export const taskName = ({ work }: Kind): string => work.slice('task:'.length);

const HOLDERS = ['rosa', 'sven', 'tara', 'umar', 'vera'] as const;

/** Who has to do with an id: what a right note names. */
export function holderOf(id: string): string {
  const sum = [...id].reduce((total, char) => total * 7 + (char.codePointAt(0) ?? 0), 3);
  return HOLDERS[sum % HOLDERS.length] ?? HOLDERS[0];
}

/** By which way a note has to go; it changes when the old one is closed. */
export type Route = 'north' | 'south';

/** A line for each note that was taken. */
export interface Note {
  readonly desk: string;
  readonly id: string;
  readonly holder: string;
  readonly route: Route;
}

/** The playbook that an owner would write for a kind once its work is understood. */
export const playbookFor = ({ work, desk }: Kind, route: Route): { readonly [key: string]: Json } => ({
  meta: { kind: work, capabilities: ['advice', 'steps', 'answer'], version: 1 },
  advice: `Look the ${desk} up, then who holds it, then the rule, and note it on the way ${route}.`,
  steps: [
    {
      tool: 'look_up',
      arguments: { desk, id: `{{mail.word_after ${labelOf(desk)}}}` },
      expect: [{ of: 'result.holder', is: 'present' }],
    },
    { tool: 'look_up', arguments: { desk: 'people', id: '{{steps.1.result.holder}}' } },
    { tool: 'rule_for', arguments: { desk, id: '{{steps.1.result.id}}' } },
    {
      tool: 'note',
      arguments: { desk, id: '{{steps.1.result.id}}', holder: '{{steps.2.result.id}}', route },
      expect: [{ of: 'result.taken', is: 'present' }],
    },
  ],
  answer: `{{steps.2.result.id}} has ${desk} {{steps.1.result.id}} now.`,
});
