import { type Random, seededRandom } from '../soak/random.ts';
import type { Aspect, Said } from './said.ts';
import { english } from './said-in-english.ts';
import { german } from './said-in-german.ts';
import { japanese } from './said-in-japanese.ts';
import { SYNONYMS } from './synonyms.ts';

export interface Letter {
  readonly messageId: string;
  readonly thread: string;
  /** `in`: from the person to the persona; `out`: the other way. */
  readonly direction: 'in' | 'out';
  readonly person: Person;
  readonly subject: string;
  readonly text: string;
  /** Unix ms. */
  readonly at: number;
}

export interface Person {
  readonly name: string;
  readonly address: string;
}

export interface Question {
  readonly text: string;
  readonly language: string;
  /** Who was written with about it; an owner may ask, too. */
  readonly person: Person;
  /** The mail that tells it as it is now. */
  readonly evidence: string;
  /** It was told otherwise before. */
  readonly changed: boolean;
  /** Told in the answer to a mail that asked for it. */
  readonly inAnswer: boolean;
}

export interface Dialogues {
  readonly letters: readonly Letter[];
  readonly questions: readonly Question[];
}

const LANGUAGES: readonly Said[] = [english, german, japanese];
const BEGIN = Date.parse('2025-01-06T08:00:00Z');
const MINUTE = 60_000;
const PERSONA = 'Ada';

interface Fact {
  readonly said: Said;
  readonly person: Person;
  readonly place: string;
  readonly aspect: Aspect;
  readonly told: readonly { readonly messageId: string; readonly value: string; readonly inAnswer: boolean }[];
}

/**
 * Conversations of twelve people in three languages over two years: chat about places, and in nearly each something that
 * is told of one, a quarter of it of what was told before. Questions name the place; of their other words each is replaced by a
 * synonym with a probability of one half, and at least one always is.
 */
export function makeDialogues({
  seed,
  letters: wanted,
  questions,
}: {
  seed: number;
  letters: number;
  questions: number;
}): Dialogues {
  const random = seededRandom(seed);
  const letters: Letter[] = [];
  const facts = new Map<string, Fact>();
  for (let thread = 0; letters.length < wanted; thread += 1) {
    const said = one(random, LANGUAGES);
    const at = BEGIN + Math.floor((thread / (wanted / 6)) * 730 * 24 * 60) * MINUTE;
    letters.push(...conversation({ random, said, thread: `t${thread}`, at, facts }));
  }
  const all = [...facts.values()];
  const asked = Array.from({ length: Math.min(questions, all.length) }, () =>
    all.splice(random.between(0, all.length - 1), 1),
  ).flat();
  return { letters, questions: asked.map((fact) => questionOf(random, fact)) };
}

const one = <Value>({ between }: Random, values: readonly Value[]): Value =>
  values[between(0, values.length - 1)] as Value;

const placesOf = ({ syllables: { first, last } }: Said): readonly string[] =>
  first.flatMap((a) => last.map((b) => `${a}${b}`));

function note(facts: Map<string, Fact>, fact: Omit<Fact, 'told'>, telling: Fact['told'][number]): void {
  const key = `${fact.place} ${fact.said.aspects.indexOf(fact.aspect)}`;
  facts.set(key, { ...fact, told: [...(facts.get(key)?.told ?? []), telling] });
}

const peopleOf = ({ people, language }: Said): readonly Person[] =>
  people.map((name, n) => ({ name, address: `${language}${n}@people.example` }));

function conversation(world: {
  random: Random;
  said: Said;
  thread: string;
  at: number;
  facts: Map<string, Fact>;
}): Letter[] {
  const { random, said, thread, facts } = world;
  const known = random.chance(0.25) ? [...facts.values()].filter((fact) => fact.said === said) : [];
  const again = known.length > 0 ? one(random, known) : null;
  const place = again?.place ?? one(random, placesOf(said));
  const person = again?.person ?? one(random, peopleOf(said));
  const subject = one(random, said.subjects).replaceAll('{e}', place);
  const length = random.between(3, 10);
  const tells = random.chance(0.95) ? random.between(0, length - 2) : length;
  const aspect = again?.aspect ?? one(random, said.aspects);
  const value = one(random, aspect.values);
  const inAnswer = random.chance(0.3);
  let at = world.at;
  return Array.from({ length }, (_, n): Letter => {
    at += random.between(20, 3000) * MINUTE;
    const direction = n % 2 === 0 ? 'in' : 'out';
    const messageId = `<${thread}.${n}@people.example>`;
    const sentences = Array.from({ length: random.between(1, 4) }, () =>
      one(random, said.chat).replaceAll('{e}', random.chance(0.7) ? place : one(random, placesOf(said))),
    );
    const tell = (text: string) => {
      const sentence = text.replaceAll('{e}', place).replaceAll('{v}', value);
      sentences.splice(random.between(0, sentences.length), 0, sentence);
    };
    const isTold = n === (inAnswer ? tells + 1 : tells);
    if (n === tells) tell(inAnswer ? aspect.asked : one(random, aspect.says));
    else if (isTold) tell(aspect.answered);
    if (isTold) note(facts, { said, person, place, aspect }, { messageId, value, inAnswer });
    const text = letterOf(random, said, { sentences, direction, person });
    return { messageId, thread, direction, person, subject: n === 0 ? subject : `Re: ${subject}`, text, at };
  });
}

function letterOf(
  random: Random,
  said: Said,
  { sentences, direction, person }: Pick<Letter, 'direction' | 'person'> & { readonly sentences: readonly string[] },
): string {
  const [from, to] = direction === 'in' ? [person.name, PERSONA] : [PERSONA, person.name];
  return [
    one(random, said.greetings).replaceAll('{n}', to),
    sentences.join(said.language === 'ja' ? '' : ' '),
    one(random, said.closings).replaceAll('{n}', from),
  ].join('\n\n');
}

function questionOf(random: Random, { said, person, place, aspect, told }: Fact): Question {
  const words = [...aspect.question.matchAll(/<([^>]+)>/g)].map(([, word = '']) => word);
  const always = random.between(0, words.length - 1);
  const replaced = new Set(words.filter((_, n) => n === always || random.chance(0.5)));
  const text = aspect.question
    .replaceAll(/<([^>]+)>/g, (_, word: string) =>
      replaced.has(word) ? one(random, SYNONYMS[word] ?? [`no synonym of ${word}`]) : word,
    )
    .replaceAll('{e}', place);
  const last = told.at(-1);
  return {
    text,
    language: said.language,
    person,
    evidence: last?.messageId ?? '',
    changed: told.some(({ value }) => value !== last?.value),
    inAnswer: last?.inAnswer === true,
  };
}
