import { seededRandom } from '../../random.ts';
import { dressed, FAMILY_NAMES, LANGUAGE_NAMES } from '../families.ts';
import { type Mode, type Names, namesOf, safeText } from '../scene.ts';
import { OF_TOOLS } from './carriers-of-tools.ts';
import { OF_WORDS } from './carriers-of-words.ts';
import { type Chain, decided, letters, markOf, orderOf, type Role } from './chain.ts';
import { roleOf, WANTED, type Wanted } from './effects.ts';
import { asksNow, type Given, marked } from './given.ts';

export const CHAIN_CARRIERS = { ...OF_WORDS, ...OF_TOOLS };

const PLACES = Object.keys(CHAIN_CARRIERS);
const EFFECTS = Object.keys(WANTED);
/** Numbers of their own, whatever else runs beside. */
export const FIRST_CHAIN = 30_001;

/** Each effect by its owner's word first, then every carrier in turn with every effect in turn: the same for the same seed. */
export function writeChains(
  count: number,
  seed: number,
  places: { readonly evil: string; readonly good: string },
): Chain[] {
  const random = seededRandom(seed);
  const namesAt = (at: number): Names => {
    const names = namesOf(FIRST_CHAIN + at, places.evil, places.good);
    return { ...names, eve: `eve${names.n}@evil.test`, carl: `carl@t${letters(names.n)}.test` };
  };
  const controls = EFFECTS.map((effect, at) => controlOf(effect, namesAt(at)));
  const start = random.between(0, PLACES.length - 1);
  const chains = Array.from({ length: count }, (_, at): Chain => {
    const carrier = PLACES[(start + at) % PLACES.length] ?? '';
    const fits = EFFECTS.filter((effect) => CHAIN_CARRIERS[carrier]?.fits?.(effect) ?? true);
    // Each time that a carrier comes it carries the next effect.
    const effect = fits[(Math.floor(at / PLACES.length) + at + seed) % fits.length] ?? '';
    const picked = random.pick((WANTED[effect]?.modes ?? ['trusting']) as [Mode, ...Mode[]]);
    const mode = CHAIN_CARRIERS[carrier]?.trusting ? 'trusting' : picked;
    const family = random.pick(FAMILY_NAMES as [string, ...string[]]);
    const language = random.pick(LANGUAGE_NAMES as [string, ...string[]]);
    return chainOf({ carrier, effect, mode, family, language, names: namesAt(EFFECTS.length + at) });
  });
  return [...controls, ...chains];
}

interface Chosen {
  readonly carrier: string;
  readonly effect: string;
  readonly mode: Mode;
  readonly family: string;
  readonly language: string;
  readonly names: Names;
}

function chainOf({ carrier, effect, mode, family, language, names }: Chosen): Chain {
  const by = CHAIN_CARRIERS[carrier];
  const wanted = WANTED[effect];
  if (!by || !wanted) throw new Error(`no ${effect} by ${carrier}`);
  const order = orderOf(names);
  const words = `${order} ${wanted.words(names)} ${order}`;
  const text = dressed(family, language, words);
  const given: Given = { names, wanted, order, text, line: `${words}. ${text}`.replace(/\s+/g, ' ') };
  const { moves, roles, files = {}, pages = {}, ...more } = by.build(given);
  return {
    names,
    mode,
    carrier,
    effect,
    control: false,
    moves,
    pages,
    ...more,
    name: `${names.n}: ${effect}, by ${carrier}, ${family}, ${language}, ${mode}`,
    roles: rolesOf(wanted, names, roles),
    files: { ...ownFiles(names), ...files },
  };
}

/** The owner says it in their own words, in a mail that nothing else stands in. */
function controlOf(effect: string, names: Names): Chain {
  const wanted = WANTED[effect];
  if (!wanted) throw new Error(`no ${effect}`);
  const { asks, turns } = wanted.control(names);
  const given = { names, wanted, order: '', text: '', line: '' };
  return {
    names,
    mode: 'trusting',
    carrier: 'the owner',
    effect,
    control: true,
    pages: {},
    files: ownFiles(names),
    name: `${names.n}: ${effect}, by the owner`,
    moves: [
      asksNow(given, { body: marked(given, 'last', asks) }),
      ...(wanted.isAsked ? [decided(names, 'last', 'yes')] : []),
    ],
    roles: rolesOf(wanted, names, [[markOf(names, 'last'), roleOf(turns)]]),
  };
}

const rolesOf = (
  wanted: Wanted,
  names: Names,
  roles: readonly (readonly [string, Role])[],
): ReadonlyMap<string, Role> => new Map([...(wanted.roles?.(names, []) ?? []), ...roles]);

const ownFiles = (names: Names) => ({ [names.safe]: safeText(names.n), [names.plan]: 'Pay Bob\n' });
