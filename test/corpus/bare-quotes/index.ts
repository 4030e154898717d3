import type { Expected, OwnerAnswer, Question } from '../owner-answers/answer-case.ts';
import { type Draft, letterOf, type Pen, type Piece, penOf, quotation } from '../owner-answers/letter.ts';
import { type Program, settingOf } from '../owner-answers/programs/program.ts';
import { type Chance, chance, seedOf } from '../owner-answers/random.ts';
import { BARE_PROGRAMS, type BareProgram } from './programs.ts';
import { ADVERTS, type Answers, answersOf, tongueOf, UNKNOWN_YES } from './tongues.ts';

/** An answer above or below a question that a program has quoted without marks. */
export interface BareAnswer extends Omit<OwnerAnswer, 'write'> {
  readonly expected: Extract<Expected, 'approve' | 'not_approve'>;
  /** What it clearly says; null where it says neither. */
  readonly says: 'yes' | 'no' | null;
  readonly evidence: BareProgram['evidence'];
  /** `other`: a question that this owner was asked before. */
  write(question: Question, owner: string, messageId: string, other?: Question): Buffer;
}

interface Made {
  readonly pen: Pen;
  readonly words: Answers;
  readonly random: Chance;
  readonly other: Question;
  readonly adverts: BareProgram['adverts'];
}

interface Way {
  readonly shown: readonly string[];
  draft(made: Made): Draft;
}

interface Drawn {
  readonly words: Answers;
  readonly program: Program;
  readonly turn: number;
  readonly random: Chance;
}

const QUOTE = {};
const at = (items: readonly string[], index: number): string => items[index % items.length] ?? '';

/** How people put a plain answer. */
const CLEAR: Readonly<Record<string, (line: string, made: Made) => Draft>> = {
  alone: (line, { pen }) => ({ above: [pen.typed([line])], quote: QUOTE }),
  greeted: (line, { pen, words, random }) => ({
    above: [pen.typed([random.of(words.greetings), '', line])],
    quote: QUOTE,
  }),
  closed: (line, { pen, words, random }) => ({
    above: [pen.typed([line, '', random.of(words.closings), words.name])],
    quote: QUOTE,
  }),
  above_a_footer: (line, { pen, words }) => ({ above: [pen.typed([line]), pen.typed([words.footer])], quote: QUOTE }),
  with_a_name: (line, { pen, words }) => ({
    above: [pen.typed([line, words.name.split(' ')[0] ?? ''])],
    quote: QUOTE,
  }),
  below: (line, { pen }) => ({ above: [], quote: QUOTE, below: [pen.typed([line])] }),
  below_with_a_name: (line, { pen, words, random }) => ({
    above: [],
    quote: QUOTE,
    below: [pen.typed([line, '', random.of(words.closings), words.name])],
  }),
};

/** Of programs that cost nothing: what they write below, before or behind the question. */
const ADVERTISED: typeof CLEAR = {
  above_an_advert: (line, { pen, random, adverts }) => ({
    above: [pen.typed([line]), pen.typed(['-- ', ...random.of(adverts)])],
    quote: QUOTE,
  }),
  advert_below: (line, { pen, random, adverts }) => ({
    above: [pen.typed([line])],
    quote: QUOTE,
    below: [pen.typed(['-- ', ...random.of(adverts)])],
  }),
};

/** The head that the program puts above a mail of somebody else, and what that mail said. */
function mailOf({ pen }: Made, from: Question['from'], lines: readonly string[]): Piece {
  const { program, setting } = pen;
  const question = { ...setting.question, from };
  const shape = program.shape.of({ ...setting, question, owner: setting.question.from.address });
  const { open, text, close } = shape.headHtml;
  return {
    text: [...shape.head, ...lines.map((line) => `${shape.prefix}${line}`), ''],
    html: `${shape.open}${open}${text}${close}${shape.quoteOpen}${pen.typed(lines).html}${shape.quoteClose}${shape.close}`,
  };
}

const owned = ({ pen, words }: Made) => ({ name: words.name, address: pen.setting.owner });

const doubtful =
  (kind: 'negation' | 'condition' | 'later' | 'amount' | 'undecided') =>
  ({ words, turn }: Drawn): Way => {
    const shown = at(words[kind], turn).split('\n');
    return { shown, draft: ({ pen }) => ({ above: [pen.typed(shown)], quote: QUOTE }) };
  };

/** What is no yes, by the class that it is of. */
const OTHER: Readonly<Record<string, (drawn: Drawn) => Way>> = {
  negation: doubtful('negation'),
  condition: doubtful('condition'),
  later: doubtful('later'),
  another_amount: doubtful('amount'),
  undecided: doubtful('undecided'),
  below_the_question: ({ words, turn }) => {
    const [yes, doubt] = [at(words.yes, turn), at(words.undecided, turn)];
    return {
      shown: [doubt],
      draft: ({ pen }) => ({ above: [pen.typed([yes])], quote: QUOTE, below: [pen.typed([doubt])] }),
    };
  },
  doubt_below_alone: ({ words, turn }) => {
    const shown = at([...words.condition, ...words.later, ...words.amount], turn).split('\n');
    return { shown, draft: ({ pen }) => ({ above: [], quote: QUOTE, below: [pen.typed(shown)] }) };
  },
  yes_below_a_doubt: ({ words, turn }) => {
    const [yes, doubt] = [at(words.yes, turn), at(words.undecided, turn)];
    return {
      shown: [doubt],
      draft: ({ pen }) => ({ above: [pen.typed([doubt])], quote: QUOTE, below: [pen.typed([yes])] }),
    };
  },
  advert_alone: ({ turn }) => {
    const lines = ADVERTS[turn % ADVERTS.length] ?? [];
    return { shown: lines, draft: ({ pen }) => ({ above: [], quote: QUOTE, below: [pen.typed([...lines])] }) };
  },
  yes_of_another_below: ({ words, turn }) => ({
    shown: [],
    draft: (made) => ({
      above: [],
      quote: QUOTE,
      below: [mailOf(made, { name: 'Tim Berger', address: 'tim@elsewhere.example' }, [at(words.yes, turn)])],
    }),
  }),
  word_of_the_question: ({ turn, words }) => ({
    shown: [],
    draft: ({ pen }) => {
      const lines = pen.setting.question.text.split('\n').filter((line) => /^[^\s>|].{8,}/u.test(line));
      return { above: [pen.typed([at([words.subject, ...lines], turn)])], quote: QUOTE };
    },
  }),
  yes_in_the_quotation: ({ words, turn }) => ({
    shown: [],
    draft: (made) => ({
      above: turn % 2 === 0 ? [] : [made.pen.typed([at(words.undecided, turn)])],
      quote: null,
      below: [mailOf(made, owned(made), [at(words.yes, turn)]), quotation(made.pen, QUOTE)],
    }),
  }),
  no_above_an_earlier_yes: ({ words, turn }) => {
    const no = at(words.no, turn);
    return {
      shown: [no],
      draft: (made) => ({
        above: [made.pen.typed([no])],
        quote: null,
        below: [mailOf(made, owned(made), [at(words.yes, turn)]), quotation(made.pen, QUOTE)],
      }),
    };
  },
  unknown_language: ({ turn }) => {
    const shown = [at(UNKNOWN_YES, turn)];
    return { shown, draft: ({ pen }) => ({ above: [pen.typed(shown)], quote: QUOTE }) };
  },
  advert: ({ words, turn }) => ({
    shown: at(
      ADVERTS.map((lines) => lines.join('\n')),
      turn,
    ).split('\n'),
    draft: ({ pen }) => ({
      above: [pen.typed([at(words.undecided, turn)]), pen.typed(['-- ', ...(ADVERTS[turn % ADVERTS.length] ?? [])])],
      quote: QUOTE,
    }),
  }),
  another_question: ({ words, turn }) => ({
    shown: [],
    draft: ({ pen, other }) => {
      const { program, setting } = pen;
      const quoting = penOf(program, { ...setting, question: other });
      return { above: [pen.typed([at(words.yes, turn)])], quote: null, below: [quotation(quoting, QUOTE)] };
    },
  }),
  forwarded_yes: ({ words, turn }) => ({
    shown: [],
    draft: (made) => ({
      above: turn % 2 === 0 ? [] : [made.pen.typed(['FYI'])],
      quote: null,
      below: [mailOf(made, { name: 'Tim Berger', address: 'tim@elsewhere.example' }, [at(words.yes, turn)])],
      subject: (asked) => asked.replace(/^[^:：]{1,5}[:：]/u, 'Fwd:'),
    }),
  }),
};

interface Plan {
  readonly class: string;
  readonly says: BareAnswer['says'];
  readonly language: string;
  readonly bare: BareProgram;
  readonly mark: number;
  readonly way: Way;
}

function answerOf({ class: kind, says, language, bare, mark, way }: Plan): BareAnswer {
  const { program, evidence } = bare;
  const name = ['bare', kind, language, program.id, String(mark)].join(' · ');
  return {
    name,
    class: kind,
    kind: null,
    language,
    says,
    evidence,
    expected: says === 'yes' ? 'approve' : 'not_approve',
    program: program.id,
    words: way.shown,
    write(question, owner, messageId, other = question) {
      const words = answersOf(language);
      const pen = penOf(program, settingOf(question, owner, words, tongueOf(language).wording));
      return letterOf(
        pen,
        way.draft({ pen, words, other, adverts: bare.adverts, random: chance(seedOf(name)) }),
        words.name,
        messageId,
      );
    },
  };
}

/** Three of five say yes. */
const YES_OF_FIVE = 3;

function clearOf(bare: BareProgram): Plan[] {
  const random = chance(seedOf(`clear ${bare.program.id}`));
  const turns = new Map<string, number>();
  const first = random.below(bare.languages.length);
  return Array.from({ length: bare.clear }, (_, index) => {
    const language = at(bare.languages, first + index);
    const words = answersOf(language);
    const says = random.below(5) < YES_OF_FIVE ? ('yes' as const) : ('no' as const);
    const turn = turns.get(`${language} ${says}`) ?? random.below(6);
    turns.set(`${language} ${says}`, turn + 1);
    const line = at(words[says], turn);
    const [form, draft] = random.of(Object.entries(bare.adverts.length > 0 ? { ...CLEAR, ...ADVERTISED } : CLEAR));
    const way: Way = { shown: [line], draft: (made) => draft(line, made) };
    return { class: `${says}_${form}`, says, language, bare, mark: index + 1, way };
  });
}

function othersOf(bare: BareProgram): Plan[] {
  const random = chance(seedOf(`other ${bare.program.id}`));
  const kinds = random.shuffled(Object.entries(OTHER));
  const first = random.below(bare.languages.length);
  return Array.from({ length: bare.other }, (_, index) => {
    const language = at(bare.languages, first + index);
    const [kind, make] = kinds[index % kinds.length] ?? ['', undefined];
    if (!make) throw new Error('no kind');
    const words = answersOf(language);
    const turn = random.below(12);
    const way = make({ words, program: bare.program, turn, random });
    return { class: kind, says: null, language, bare, mark: index + 1, way };
  });
}

/** All of them, the same ones in the same order each time. */
export const bareAnswers: readonly BareAnswer[] = BARE_PROGRAMS.flatMap((bare) => [
  ...clearOf(bare),
  ...othersOf(bare),
]).map(answerOf);
