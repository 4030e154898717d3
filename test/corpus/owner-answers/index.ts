import type { OwnerAnswer, Question, WrittenAnswer } from './answer-case.ts';
import { type Draft, letterOf, type Pen, penOf } from './letter.ts';
import { PLACES, type Place, TAKEN_AWAY } from './places.ts';
import { isRegional, programsOf } from './programs/index.ts';
import { type Program, settingOf } from './programs/program.ts';
import { wordingOf } from './programs/wording.ts';
import { type Chance, chance, seedOf } from './random.ts';
import { LANGUAGES } from './words/index.ts';
import { KINDS, type Kind, type Words } from './words/words.ts';

/** How many places each phrase is put into. */
const TURNS = 2;
/** Plain yeses of each language. */
const YESES = 28;

interface Plan {
  readonly class: string;
  readonly kind: string | null;
  readonly expected: OwnerAnswer['expected'];
  readonly words: Words;
  readonly program: Program;
  readonly shown: readonly string[];
  /** Tells apart what would have the same name. */
  readonly mark: string;
  draft(pen: Pen, chance: Chance): Draft;
}

function answerOf(plan: Plan): OwnerAnswer {
  const { words, program } = plan;
  const name = [plan.class, plan.kind ?? 'none', words.language, program.id, plan.mark].join(' · ');
  return {
    name,
    expected: plan.expected,
    class: plan.class,
    kind: plan.kind,
    program: program.id,
    language: words.language,
    words: plan.shown,
    write(question, owner, messageId) {
      const wording = wordingOf(words.language);
      const pen = penOf(program, settingOf(question, owner, words, wording));
      return letterOf(pen, plan.draft(pen, chance(seedOf(name))), words.name, messageId);
    },
  };
}

const fitting = (words: Words, { fits }: Pick<Place, 'fits'>): readonly Program[] =>
  programsOf(words.language).filter((program) => fits?.(program) ?? true);

/** One of them; what people of the language use beside what all use comes up in a fifth of the mails. */
function programOf(programs: readonly Program[], random: Chance): Program {
  const regional = programs.filter(isRegional);
  return random.next() < 0.2 && regional.length > 0 ? random.of(regional) : random.of(programs);
}

/** What stands above a doubt has to be a yes for everybody, or it would be asked back for a reason of its own. */
const trapYes = (words: Words, random: Chance): string =>
  random.next() < 0.4 ? random.of(['Approve', 'approve', 'Yes', 'OK']) : random.of(words.yes.slice(0, 6));

/** Each phrase in `TURNS` places; all places of a language come up before one comes up again. */
function doubtful(words: Words): Plan[] {
  const random = chance(seedOf(`doubt ${words.language}`));
  const deck: { cards: Place[] } = { cards: [] };
  const place = (): Place => {
    if (deck.cards.length === 0) deck.cards = random.shuffled(PLACES.filter((one) => fitting(words, one).length > 0));
    const next = deck.cards.pop();
    if (!next) throw new Error('no place');
    return next;
  };
  const phrases = Array.from({ length: TURNS }, (_, turn) =>
    KINDS.flatMap((kind) => words[kind].map((phrase, index) => ({ kind, phrase, mark: `${turn + 1}.${index + 1}` }))),
  ).flat();
  return random.shuffled(phrases).map(({ kind, phrase, mark }) => {
    const at = place();
    const doubt = at.shows?.(phrase, random) ?? phrase;
    const yes = trapYes(words, random);
    return {
      class: at.class,
      kind: doubt === phrase || at.class === 'other_form_of_letters' ? kind : null,
      expected: 'not_approve',
      words,
      program: programOf(fitting(words, at), random),
      shown: [doubt],
      mark,
      draft: (pen, within) => at.draft({ pen, words, yes, doubt, chance: within }),
    };
  });
}

type Written = readonly (readonly string[])[];

/** What is written by hand for one language, below a yes or instead of it. */
function byHand(words: Words): Plan[] {
  const random = chance(seedOf(`by hand ${words.language}`));
  const programs = programsOf(words.language);
  const of = (
    name: string,
    kind: Kind | null,
    written: Written,
    withYes: boolean,
    behind: readonly string[] = [],
  ): Plan[] =>
    written.map((lines, index) => {
      const yes = trapYes(words, random);
      const isSigned = random.next() < 0.4;
      return {
        class: name,
        kind,
        expected: 'not_approve',
        words,
        program: programOf(programs, random),
        shown: lines,
        mark: String(index + 1),
        draft: (pen, within) => ({
          above: [
            ...(withYes ? [pen.typed([yes])] : []),
            pen.typed([...lines, ...behind]),
            ...(isSigned ? [pen.signed(within.of(words.signatures))] : []),
          ],
          quote: within.next() < 0.8 ? {} : null,
        }),
      };
    });
  const each = (phrases: readonly string[]): Written => phrases.map((phrase) => [phrase]);
  return [
    ...of('like_a_footer', null, each(words.footerLike), true),
    ...of('like_a_header_block', null, words.headerLike, true),
    ...of('like_an_attribution', null, each(words.attributionLike), true),
    ...of('like_an_attribution_with_quote', null, each(words.attributionLike), true, ['> Hm.']),
    ...of('no_yes_at_all', 'no', each(words.no), false),
    ...of('no_yes_at_all', 'question', each(words.question), false),
    ...of('no_yes_at_all', null, each(words.undecided), false),
  ];
}

/** A yes that is struck out or hidden. */
function takenAway(words: Words): Plan[] {
  const random = chance(seedOf(`taken away ${words.language}`));
  const programs = programsOf(words.language).filter(({ parts }) => parts !== 'plain');
  return Object.entries(TAKEN_AWAY).map(([name, piece]) => {
    const yes = random.of(words.yes);
    return {
      class: name,
      kind: 'takeBack',
      expected: 'not_approve',
      words,
      program: programOf(programs, random),
      shown: [yes],
      mark: '1',
      draft: (pen, within) => ({ above: [piece(pen, yes)], quote: within.next() < 0.8 ? {} : null }),
    };
  });
}

/** A yes and an ordinary end: the footer of a phone or a program, a signature, or both. */
function plainYeses(words: Words): Plan[] {
  const random = chance(seedOf(`yes ${words.language}`));
  const own = programsOf(words.language);
  const programs = [
    ...random.shuffled(own.filter(isRegional)),
    ...random.shuffled(own.filter((one) => !isRegional(one))),
  ];
  return Array.from({ length: YESES }, (_, index) => {
    const program = programs[index % programs.length] ?? random.of(programs);
    const yes = words.yes[index % words.yes.length] ?? '';
    const hasFooter = program.footer !== undefined;
    const hasSignature = !hasFooter || random.next() < 0.35;
    const greeting = random.next() < 0.25 ? [random.of(words.greetings), ''] : [];
    const closing = random.next() < 0.35 ? ['', random.of(words.closings), words.name] : [];
    const signature = random.of(words.signatures);
    return {
      class: `yes_with_${[...(hasSignature ? ['signature'] : []), ...(hasFooter ? ['footer'] : [])].join('_and_')}`,
      kind: null,
      expected: 'approve',
      words,
      program,
      shown: [yes],
      mark: String(index + 1),
      draft: (pen, within) => ({
        above: [
          pen.typed([...greeting, yes, ...closing]),
          ...(hasSignature ? [pen.signed(signature)] : []),
          ...(hasFooter ? [pen.footer()] : []),
        ],
        quote: within.next() < 0.9 ? {} : null,
      }),
    };
  });
}

/** The same yeses with nothing beside them: what is not acted on here fails by its words, and not by what stands below. */
function yesesAlone(words: Words): Plan[] {
  const random = chance(seedOf(`alone ${words.language}`));
  return words.yes.map((yes, index) => ({
    class: 'yes_alone',
    kind: null,
    expected: 'approve',
    words,
    program: programOf(programsOf(words.language), random),
    shown: [yes],
    mark: String(index + 1),
    draft: (pen) => ({ above: [pen.typed([yes])], quote: null }),
  }));
}

/** Words that agree without a yes. */
function agreeing(words: Words): Plan[] {
  const random = chance(seedOf(`agreeing ${words.language}`));
  return words.agreeing.map((phrase, index) => ({
    class: 'agreeing_words',
    kind: null,
    expected: 'either',
    words,
    program: programOf(programsOf(words.language), random),
    shown: [phrase],
    mark: String(index + 1),
    draft: (pen) => ({ above: [pen.typed([phrase])], quote: {} }),
  }));
}

/** A yes above a signature whose words look like a doubt to who does not know that it is one. */
function hardSignatures(words: Words): Plan[] {
  const random = chance(seedOf(`hard ${words.language}`));
  return words.hardSignatures.map((signature, index) => {
    const yes = random.of(words.yes);
    return {
      class: 'ordinary_signature_hard',
      kind: null,
      expected: 'either',
      words,
      program: programOf(programsOf(words.language), random),
      shown: [yes, ...signature],
      mark: String(index + 1),
      draft: (pen) => ({ above: [pen.typed([yes]), pen.signed(signature)], quote: {} }),
    };
  });
}

/** All answers, the same ones in the same order each time. */
export const ownerAnswers: readonly OwnerAnswer[] = LANGUAGES.flatMap((words) =>
  [
    ...doubtful(words),
    ...byHand(words),
    ...takenAway(words),
    ...plainYeses(words),
    ...yesesAlone(words),
    ...hardSignatures(words),
    ...agreeing(words),
  ].map(answerOf),
);

/** All of them as mails that answer one question. */
export const writtenTo = (question: Question, owner: string): WrittenAnswer[] =>
  ownerAnswers.map(({ write, ...answer }, index) => ({
    ...answer,
    raw: write(question, owner, `<answer-${index + 1}@example.com>`),
  }));
