import { addressKey } from '../../mail/mime/address.ts';
import { BEFORE_HAN, BEHIND, formsBehind, OF_TWO_SIGNS, TITLED } from './forms-of-address.ts';

/** What somebody is called, and where they are reached. */
export interface Named {
  readonly name: string;
  readonly address: string;
}

/** Who is meant by a name in an owner's words. */
export interface AddressBook {
  /** The name in the text by which this address alone is meant; null: none, or one that somebody else has as well. */
  nameIn(text: string, address: string): string | null;
  /** The family name behind or before a title ("Herrn Ellerbusch") by which this address alone can be meant; null as above. */
  titledIn(text: string, address: string): string | null;
  /** All who are meant by a name in it, at most so many. */
  namedIn(text: string, most: number): readonly Named[];
}

/**
 * `known`: names that the configuration or owners themselves gave to people. `seen`: those that others gave, to themselves too:
 * they name nobody, and a name that stands among them as well is one of two people.
 */
export function addressBook(known: readonly Named[], seen: readonly Named[] = []): AddressBook {
  const byForm = new Map<string, Set<string>>();
  const people = { known: onceEach(known), seen: onceEach(seen) };
  const all = people.known.flatMap(withForms);
  const everybody = [...people.known, ...people.seen].flatMap(({ name, address }) => {
    const key = addressKey(address);
    return key === null ? [] : [{ key, plain: plainName(name) }];
  });
  for (const { key, forms } of [...all, ...people.seen.flatMap(withForms)])
    for (const form of forms) byForm.set(folded(form), (byForm.get(folded(form)) ?? new Set()).add(key));
  return {
    nameIn(text, address) {
      const wanted = addressKey(address);
      const forms = all.flatMap(({ key, forms: own }) => (key === wanted ? own : []));
      const longestFirst = [...new Set(forms)].toSorted((one, other) => other.length - one.length);
      return longestFirst.find((form) => byForm.get(folded(form))?.size === 1 && stands(text, form)) ?? null;
    },
    titledIn(text, address) {
      const wanted = addressKey(address);
      const own = people.known.flatMap((one) => (addressKey(one.address) === wanted ? [plainName(one.name)] : []));
      const isAlone = (title: Title) =>
        everybody.every(({ key, plain }) => key === wanted || !mayBeMeant(plain, title));
      const found = titlesIn(text).find((title) => own.some((name) => isFamily(name, title)) && isAlone(title));
      return found?.said ?? null;
    },
    namedIn(text, most) {
      const plain = folded(text.normalize('NFC').replace(/\s+/g, ' '));
      const found = new Map<string, Named>();
      for (const { key, forms, name, address } of all) {
        if (found.size >= most) break;
        const isMeant = (form: string) =>
          plain.includes(folded(form)) && byForm.get(folded(form))?.size === 1 && stands(text, form);
        if (!found.has(key) && forms.some(isMeant)) found.set(key, { name, address });
      }
      return [...found.values()];
    },
  };
}

const onceEach = (people: readonly Named[]): readonly Named[] => [
  ...new Map(people.map((one) => [`${one.name}\n${one.address}`, one])).values(),
];

const MAX_NAME = 100;
const MIN_FIRST_NAME = 2;

function withForms({
  name,
  address,
}: Named): readonly (Named & { readonly key: string; readonly forms: readonly string[] })[] {
  const key = addressKey(address);
  const forms = formsOf(name);
  return key === null || forms.length === 0 ? [] : [{ key, forms, name, address }];
}

/** Its words in their order; '': none. An address is no name. */
function plainName(written: string): string {
  const plain = written.normalize('NFC').replace(/\s+/g, ' ').trim();
  if (plain.length < MIN_FIRST_NAME || plain.length > MAX_NAME || plain.includes('@') || !/\p{L}/u.test(plain))
    return '';
  const [last = '', first, ...more] = plain.split(/, ?/);
  return first === undefined || more.length > 0 ? plain : `${first} ${last}`.trim();
}

/** The whole name, and the first of its words, by which people call each other. */
function formsOf(written: string): readonly string[] {
  const name = plainName(written);
  if (name === '') return [];
  const [called = ''] = name.split(' ');
  return [name, ...(called.length >= MIN_FIRST_NAME && /^\p{L}[\p{L}\p{M}'’-]+$/u.test(called) ? [called] : [])];
}

const folded = (name: string): string => name.toLowerCase();

const PART_OF_NAME = /[\p{L}\p{M}\p{N}@_-]/u;

/** A word with a capital and a blank, and what stands in front of it: nothing, or the end of a line or of a sentence. */
const CALLED = /[\p{Lu}\p{Lt}][\p{L}\p{M}'’-]{0,60} $/u;
const BEGINS = /(?:^|[\n.!?:…])["'“„«(>*-]? ?$/u;

/**
 * As a whole, in the case of its letters: "will" is no Will. What another capital follows may be the first name of somebody
 * else, and one word behind another capital the last: who writes of Tim Olsen, or of Jan Tim, does not mean Tim Berg. Where a
 * sentence begins any word has a capital, so that one alone is no name there unless a sign parts it from the rest: people are
 * in address books as "Please Help", too.
 */
function stands(text: string, form: string): boolean {
  const lines = text.normalize('NFC').replace(/\s+/g, (blank) => (blank.includes('\n') ? '\n' : ' '));
  const plain = lines.replaceAll('\n', ' ');
  const isOneWord = !form.includes(' ');
  for (let at = plain.indexOf(form); at >= 0; at = plain.indexOf(form, at + 1)) {
    const [before = ' ', after] = [plain[at - 1], plain.slice(at + form.length)];
    if (PART_OF_NAME.test(before) || PART_OF_NAME.test(after[0] ?? ' ')) continue;
    if (!/^ (?:\p{Lu}|\p{Lt})/u.test(after) && !(isOneWord && isDoubtful(lines.slice(0, at), after))) return true;
  }
  return false;
}

function isDoubtful(above: string, after: string): boolean {
  const near = above.slice(-100);
  if (BEGINS.test(near)) return !/^(?:[,:;，、：]|['’]s |$)/.test(after);
  const at = near.search(CALLED);
  return at >= 0 && !BEGINS.test(near.slice(0, at));
}

/** A family name with a title, as it stands in a text. `title`: '' where it stands behind the name. */
interface Title {
  readonly said: string;
  readonly title: string;
  readonly name: string;
  readonly script: 'latin' | 'chinese' | 'japanese';
}

function titlesIn(text: string): readonly Title[] {
  const plain = text.normalize('NFC').replace(/\s+/gu, ' ');
  const before = [...plain.matchAll(TITLED)].flatMap(({ 0: said, 1: title = '', 2: name = '', index }): Title[] =>
    GOES_ON.test(plain.slice(index + said.length)) ? [] : [{ said, title, name, script: 'latin' }],
  );
  return [...before, ...titlesBehind(plain)];
}

/** More of a name, of an address or of a host, or which of two of that name. */
const GOES_ON = /^(?:[\p{L}\p{M}\p{N}\p{Cf}@_-]|\.[\p{L}\p{N}]| (?:\p{Lu}|\p{Lt})| (?:sen|jun|senior|junior|sr|jr)\b)/u;

const HAN_BEFORE_TITLE = new RegExp(
  `(?<=^|[^\\p{L}\\p{M}\\p{N}\\p{Cf}@_-]|[\\p{sc=Hiragana}${BEFORE_HAN}])(\\p{sc=Han}{1,3})(?:${BEHIND.join('|')})`,
  'gu',
);

const KANA = /[\p{sc=Hiragana}\p{sc=Katakana}]/u;

function titlesBehind(plain: string): readonly Title[] {
  const script = KANA.test(plain) ? 'japanese' : 'chinese';
  return [...plain.matchAll(HAN_BEFORE_TITLE)].map(([said, name = '']) => ({ said, title: '', name, script }));
}

const HAN = /^\p{sc=Han}+$/u;
const NAME_WORD = /^\p{L}[\p{L}\p{M}'’.-]*$/u;

/**
 * Of several words the last, with the small ones before it; of Han signs the first word. Without blanks it is the first sign
 * or two of a Chinese name; how many it is of a Japanese one cannot be seen.
 */
function familyIn(name: string, script: Title['script']): string {
  const words = name.split(' ');
  if (script === 'latin') {
    if (words.length < 2 || !words.every((word) => NAME_WORD.test(word))) return '';
    const start = words.findLastIndex((word, at) => at < words.length - 1 && !/^\p{Ll}/u.test(word)) + 1;
    return start === 0 ? '' : words.slice(start).join(' ');
  }
  const [first = ''] = words;
  if (!words.every((word) => HAN.test(word))) return '';
  if (words.length > 1) return first;
  if (script === 'japanese' || first.length < 2 || first.length > 4) return '';
  return first.slice(0, OF_TWO_SIGNS.has(first.slice(0, 2)) ? 2 : 1);
}

function isFamily(plain: string, { title, name, script }: Title): boolean {
  const family = familyIn(plain, script);
  return family !== '' && formsBehind(title, family).includes(name);
}

/** Whoever has the name at any place may be called so. */
const mayBeMeant = (plain: string, { title, name, script }: Title): boolean =>
  script === 'latin'
    ? [plain, familyIn(plain, script), ...plain.split(/[ -]/)].some((word) =>
        formsBehind(title, word).some((form) => folded(form) === folded(name)),
      )
    : plain.startsWith(name);
