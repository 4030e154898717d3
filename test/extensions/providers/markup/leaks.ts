import type { Json } from '#contract';
import { FAMILIES, type Family } from './families.ts';

/** A text that a model's server has handed on with markup in it, and what is to become of it. */
export interface Leak {
  readonly name: string;
  readonly model: string;
  readonly text: string;
  /** What its reader may get; null: nothing of it, the model is asked again. */
  readonly answer: string | null;
  readonly call: { readonly name: string; readonly arguments: Readonly<Record<string, Json>> } | null;
}

/** All of them have this word; no answer has. */
export const SECRET = 'ZIRKON';

const THOUGHTS: readonly string[] = [
  `Okay, the user Ann wants the total. ${SECRET}. I should add 40 and 2.`,
  `The user asks for a plan.\n\nFirst: ${SECRET}.\n- look at the file\n- add it up\n\nWait, let me check again... yes, 42.`,
  `Hmm. ${SECRET} is in plan.txt; I could write \`total = 42\` or\n\`\`\`js\nconst total = 42;\n\`\`\`\nbut in words is better.`,
  `用户想知道总数。${SECRET}。我应该回答四十二。`,
];

const ANSWERS: readonly string[] = [
  'Hello Ann,\n\nthe total is 42.\n\nBest wishes\nAda',
  'The total is 42.',
  '**Total:** 42\n\n| item | sum |\n| --- | --- |\n| a | 40 |\n| b | 2 |',
  'Hallo Ann, es sind 42. In JSON: `{"total": 42}`.\n\n```json\n{"total": 42}\n```',
];

const ARGUMENTS: readonly Readonly<Record<string, string>>[] = [
  { path: 'plan.txt' },
  { path: `${SECRET}/q3 report.md` },
  { path: 'a "b" c.txt' },
];

/** What stands before a call that is no whole one. */
const WORDS = ['', "I'll have a look.\n\n", 'Let me check the file.\n'];

function ofFamily(family: Family): Leak[] {
  const { name, model } = family;
  const leaks: Leak[] = [];
  const add = (what: string, text: string, answer: string | null, call: Leak['call'] = null) =>
    leaks.push({ name: `${name}: ${what} ${leaks.length}`, model, text, answer, call });
  for (const write of family.reasoning) {
    THOUGHTS.forEach((thought, n) => {
      add('reasoning', write(thought, ANSWERS[n] ?? ''), ANSWERS[n] ?? '');
    });
  }
  for (const write of family.unended) {
    THOUGHTS.forEach((thought) => {
      add('within reasoning', write(thought), null);
    });
  }
  for (const write of family.calls) {
    ARGUMENTS.forEach((args, n) => {
      // Pythons and single quotes have no place for the other kind.
      const text = write('read_file', args);
      if (text.includes("'") && JSON.stringify(args).includes('\\"')) return;
      add('call', text, '', { name: 'read_file', arguments: args });
      const canFollow = !/^(?:analysis|\{|\[\w+\(|```json|Action)/.test(text);
      if (n === 0 && canFollow)
        add('call after words', `I'll have a look.\n\n${text}`, "I'll have a look.", {
          name: 'read_file',
          arguments: args,
        });
      const cut = text.slice(0, text.indexOf(args.path ?? '') + 3);
      if (n < 2) add('cut call', `${canFollow ? (WORDS[n] ?? '') : ''}${cut}`, null);
    });
  }
  if (family.reasoning.length > 0 && family.calls[0]) {
    const call = family.calls.find((write) => !write('x', {}).includes('analysis')) ?? family.calls[0];
    const think = family.reasoning[0];
    const args = { path: 'plan.txt' };
    if (think && name !== 'gpt-oss')
      add('call after reasoning', think(THOUGHTS[0] ?? '', call('read_file', args)), '', {
        name: 'read_file',
        arguments: args,
      });
  }
  return leaks;
}

/** In the middle of a text, in other letters, twice, with ends of turns. */
const MIDDLE: readonly Leak[] = ['think', 'thinking', 'thought', 'reasoning', 'scratchpad'].flatMap((tag) =>
  THOUGHTS.flatMap((thought, n): Omit<Leak, 'name'>[] => [
    {
      model: 'm',
      text: `Let me see.\n\n<${tag}>\n${thought}\n</${tag}>\n\nThe total is 42.`,
      answer: 'Let me see.\n\nThe total is 42.',
      call: null,
    },
    {
      model: 'm',
      text: `<${tag.toUpperCase()}>\n${thought}\n</${tag.toUpperCase()}>\n\nThe total is 42.`,
      answer: 'The total is 42.',
      call: null,
    },
    {
      model: 'm',
      text: `<${tag}>a</${tag}>\n\n<${tag}>\n${thought}\n</${tag}>\nThe total is 42.`,
      answer: 'The total is 42.',
      call: null,
    },
    { model: 'm', text: `The total is 42.\n\n<${tag}>\n${thought}`, answer: null, call: null },
    {
      model: 'm',
      text: `<${tag}>\n${thought}\n</${tag}>\n\nThe total is 42.<|im_end|>`,
      answer: 'The total is 42.',
      call: null,
    },
    ...(n === 0
      ? [{ model: 'm', text: `Hi Ann, <${tag}>${thought}</${tag}> it is 42.`, answer: null, call: null }]
      : []),
    ...(n === 0
      ? [{ model: 'm', text: `Hi Ann.<${tag}>${thought}</${tag}>It is 42.`, answer: 'Hi Ann. It is 42.', call: null }]
      : []),
  ]).map((leak, index) => ({ ...leak, name: `middle ${tag} ${index}` })),
);

export const LEAKS: readonly Leak[] = [...FAMILIES.flatMap(ofFamily), ...MIDDLE];
