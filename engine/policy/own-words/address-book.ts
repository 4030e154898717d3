import { addressKey } from '../../mail/mime/address.ts';

/** What somebody is called, and where they are reached. */
export interface Named {
  readonly name: string;
  readonly address: string;
}

/** Who is meant by a name in an owner's words. */
export interface AddressBook {
  /** The name in the text by which this address alone is meant; null: none, or one that somebody else has as well. */
  nameIn(text: string, address: string): string | null;
}

/**
 * `known`: names that the configuration or owners themselves gave to people. `seen`: those that others gave, to themselves too:
 * they name nobody, and a name that stands among them as well is one of two people.
 */
export function addressBook(known: readonly Named[], seen: readonly Named[] = []): AddressBook {
  const byForm = new Map<string, Set<string>>();
  const all = known.flatMap(withForms);
  for (const { key, forms } of [...all, ...seen.flatMap(withForms)])
    for (const form of forms) byForm.set(folded(form), (byForm.get(folded(form)) ?? new Set()).add(key));
  return {
    nameIn(text, address) {
      const wanted = addressKey(address);
      const forms = all.flatMap(({ key, forms: own }) => (key === wanted ? own : []));
      const longestFirst = [...new Set(forms)].toSorted((one, other) => other.length - one.length);
      return longestFirst.find((form) => byForm.get(folded(form))?.size === 1 && stands(text, form)) ?? null;
    },
  };
}

const MAX_NAME = 100;
const MIN_FIRST_NAME = 2;

function withForms({ name, address }: Named): readonly { readonly key: string; readonly forms: readonly string[] }[] {
  const key = addressKey(address);
  const forms = formsOf(name);
  return key === null || forms.length === 0 ? [] : [{ key, forms }];
}

/** The whole name, and the first of its words, by which people call each other. An address is no name. */
function formsOf(written: string): readonly string[] {
  const plain = written.normalize('NFC').replace(/\s+/g, ' ').trim();
  if (plain.length < MIN_FIRST_NAME || plain.length > MAX_NAME || plain.includes('@') || !/\p{L}/u.test(plain))
    return [];
  const [last = '', first, ...more] = plain.split(/, ?/);
  const name = first === undefined || more.length > 0 ? plain : `${first} ${last}`.trim();
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
